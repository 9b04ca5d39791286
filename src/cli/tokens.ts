import type { Command } from 'commander'
import {
  createUserToken,
  DEFAULT_USER_TOKEN_SECONDS,
  listUserTokens,
  MAX_USER_TOKEN_SECONDS,
  revokeUserToken,
  type UserTokenSummary,
} from '../domain/auth/user-token.js'
import { notFound } from '../errors.js'
import { answer, type CommandContext, credentialsOf } from './command-context.js'
import { parseDuration } from './option-values.js'

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

/** `svc tokens`: creates, lists and revokes user tokens. */
export function registerTokensCommand(program: Command, context: CommandContext): void {
  const tokens = program.command('tokens').description('user tokens')
  tokens
    .command('create')
    .description('create a token for a member of an organization; it is shown once')
    .requiredOption('--user <id>', 'the person')
    .requiredOption('--org <id>', 'the organization')
    .option(
      '--ttl <duration>',
      `the lifetime of the token, such as 30m, 8h or 7d, at most ${MAX_DAYS}d`,
      (given) => parseDuration(given, { maxDays: MAX_DAYS }),
      DEFAULT_USER_TOKEN_SECONDS,
    )
    .option('--json', 'print one JSON object')
    .action((options: CreateOptions) => createToken(options, context))
  tokens
    .command('list')
    .description('list the tokens of an organization or a user')
    .option('--org <id>', 'the organization')
    .option('--user <id>', 'the person')
    .option('--json', 'print one JSON object')
    .action((options: ListOptions) => listTokens(options, context))
  tokens
    .command('revoke')
    .description('revoke a token immediately')
    .argument('<id>', 'the id of the token, as listed')
    .action((id: string) => revokeToken(id, context))
}

function listTokens(options: ListOptions, context: CommandContext): Promise<void> {
  const { org: organizationId, user: userId } = options
  if (organizationId === undefined && userId === undefined) {
    throw new Error('specify whose tokens to list: --org ID, --user ID, or both')
  }
  return context.onDatabase(async (database) => {
    const tokens = await listUserTokens(database, { organizationId, userId })
    answer(context, options, { tokens }, tokens.map((token) => lineOf(token, context.runtime.now())).join(''))
  })
}

function lineOf({ id, organizationId, userId, createdAt, expiresAt }: UserTokenSummary, now: Date): string {
  const end = `${expiresAt <= now ? 'expired' : 'active until'} ${expiresAt.toISOString()}`
  return `${[id, organizationId, userId, `created ${createdAt.toISOString()}`, end].join('  ')}\n`
}

function revokeToken(id: string, context: CommandContext): Promise<void> {
  return context.onDatabase(async (database) => {
    const revoked = await revokeUserToken({ database, runtime: context.runtime }, id)
    if (revoked === undefined) throw notFound('user token', id)
    context.stdout.write(`revoked a token of ${revoked.userId} in ${revoked.organizationId}\n`)
  })
}

function createToken(options: CreateOptions, context: CommandContext): Promise<void> {
  const request = { userId: options.user, organizationId: options.org, ttlSeconds: options.ttl }
  return context.onDatabase(async (database) => {
    const { token, expiresAt } = await createUserToken(credentialsOf(database, context), request)
    answer(context, options, { token, expiresAt }, `${token}\n`)
    if (!options.json) context.stderr.write(`It lasts until ${expiresAt.toISOString()} and is not shown again.\n`)
  })
}
