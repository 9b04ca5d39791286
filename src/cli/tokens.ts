import type { Command } from 'commander'
import { createBearerTokens } from '../domain/auth/bearer-token.js'
import { listUserTokens, revokeUserToken, type UserTokenSummary } from '../domain/auth/credential-owner.js'
import { createSecretHasher } from '../domain/auth/secret-hash.js'
import { createUserToken, DEFAULT_USER_TOKEN_SECONDS, MAX_USER_TOKEN_SECONDS } from '../domain/auth/user-token.js'
import { notFound } from '../errors.js'
import type { CommandContext } from './command-context.js'
import { parseDuration } from './duration.js'

interface CreateOptions {
  readonly user: string
  readonly org: string
  readonly ttl: number
  readonly json?: true
}

interface ListOptions {
  readonly org?: string
  readonly user?: string
  readonly json?: true
}

const MAX_DAYS = MAX_USER_TOKEN_SECONDS / 86_400

/** `svc tokens`: makes, lists and revokes user tokens. */
export function registerTokensCommand(program: Command, context: CommandContext): void {
  const tokens = program.command('tokens').description('tokens of people')
  tokens
    .command('create')
    .description('make a token of a member of an organization; it is shown once')
    .requiredOption('--user <id>', 'the person')
    .requiredOption('--org <id>', 'the organization')
    .option(
      '--ttl <duration>',
      `how long it lasts, such as 30m, 8h or 7d, at most ${MAX_DAYS}d`,
      (given) => parseDuration(given, { maxDays: MAX_DAYS }),
      DEFAULT_USER_TOKEN_SECONDS,
    )
    .option('--json', 'answer one JSON object')
    .action((options: CreateOptions) => createToken(options, context))
  tokens
    .command('list')
    .description('list the tokens of an organization or of a person')
    .option('--org <id>', 'the organization')
    .option('--user <id>', 'the person')
    .option('--json', 'answer one JSON object')
    .action((options: ListOptions) => listTokens(options, context))
  tokens
    .command('revoke')
    .description('end a token at once')
    .argument('<id>', 'the id of the token, as listed')
    .action((id: string) => revokeToken(id, context))
}

async function listTokens({ org, user, json }: ListOptions, context: CommandContext): Promise<void> {
  if (org === undefined && user === undefined) throw new Error('say whose tokens to list: --org ID, --user ID, or both')
  const { stdout, runtime } = context
  const { database, close } = await context.openDatabase()
  try {
    const tokens = await listUserTokens(database, { organizationId: org, userId: user })
    if (json) stdout.write(`${JSON.stringify({ tokens })}\n`)
    else for (const token of tokens) stdout.write(`${lineOf(token, runtime.now())}\n`)
  } finally {
    await close()
  }
}

function lineOf({ id, organizationId, userId, createdAt, expiresAt }: UserTokenSummary, now: Date): string {
  const end = `${expiresAt <= now ? 'expired' : 'active until'} ${expiresAt.toISOString()}`
  return [id, organizationId, userId, `made ${createdAt.toISOString()}`, end].join('  ')
}

async function revokeToken(id: string, context: CommandContext): Promise<void> {
  const { database, close } = await context.openDatabase()
  try {
    const revoked = await revokeUserToken({ database, runtime: context.runtime }, id)
    if (revoked === undefined) throw notFound('user token', id)
    context.stdout.write(`revoked a token of ${revoked.userId} in ${revoked.organizationId}\n`)
  } finally {
    await close()
  }
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
