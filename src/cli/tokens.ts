import { type Command, InvalidArgumentError } from 'commander'
import { createBearerTokens } from '../domain/auth/bearer-token.js'
import { createSecretHasher } from '../domain/auth/secret-hash.js'
import { createUserToken, DEFAULT_USER_TOKEN_SECONDS, MAX_USER_TOKEN_SECONDS } from '../domain/auth/user-token.js'
import type { CommandContext } from './command-context.js'

interface CreateOptions {
  readonly user: string
  readonly org: string
  readonly ttl: number
  readonly json?: true
}

/** `svc tokens`: makes user tokens. */
export function registerTokensCommand(program: Command, context: CommandContext): void {
  program
    .command('tokens')
    .description('tokens of people')
    .command('create')
    .description('make a token of a member of an organization; it is shown once')
    .requiredOption('--user <id>', 'the person')
    .requiredOption('--org <id>', 'the organization')
    .option(
      '--ttl <seconds>',
      `how long it lasts, at most ${MAX_USER_TOKEN_SECONDS}`,
      parseSeconds,
      DEFAULT_USER_TOKEN_SECONDS,
    )
    .option('--json', 'answer one JSON object')
    .action((options: CreateOptions) => createToken(options, context))
}

async function createToken(options: CreateOptions, context: CommandContext): Promise<void> {
  const { config, runtime, stdout } = context
  const hasher = createSecretHasher(config.secretPepper)
  const request = { userId: options.user, organizationId: options.org, ttlSeconds: options.ttl }
  const opened = await context.openDatabase()
  try {
    const { database } = opened
    const bearerTokens = createBearerTokens({ database, runtime })
    const { token, expiresAt } = await createUserToken({ database, hasher, bearerTokens, runtime }, request)
    if (options.json) {
      stdout.write(`${JSON.stringify({ token, expiresAt })}\n`)
    } else {
      stdout.write(`${token}\n`)
      context.stderr.write(`It lasts until ${expiresAt.toISOString()} and is not shown again.\n`)
    }
  } finally {
    await opened.close()
  }
}

function parseSeconds(given: string): number {
  if (!/^[0-9]{1,9}$/.test(given)) throw new InvalidArgumentError('must be a whole number of seconds')
  return Number(given)
}
