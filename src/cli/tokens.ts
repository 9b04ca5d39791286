import type { Command } from 'commander'
import type { Database } from '../db/database.js'
import {
  createUserToken,
  DEFAULT_USER_TOKEN_SECONDS,
  listUserTokens,
  MAX_USER_TOKEN_SECONDS,
  revokeUserToken,
  type UserTokenSummary,
} from '../domain/auth/user-token.js'
import { requireOrganization } from '../domain/organization.js'
import { emailKeyOf } from '../domain/value/email-address.js'
import { notFound } from '../errors.js'
import { findMembersNamed } from '../store/operator-search.js'
import {
  answer,
  type CommandContext,
  credentialsOf,
  type JsonOption,
  parseDuration,
  requirePepper,
} from './command-context.js'

const MAX_DAYS = MAX_USER_TOKEN_SECONDS / 86_400

export function registerTokensCommand(program: Command, context: CommandContext): void {
  const { runtime, stdout, stderr } = context
  const tokens = program.command('tokens').description('user tokens')
  tokens
    .command('create')
    .description('create a token for a member of an organization; it is shown once')
    .requiredOption('--user <id>', 'the person: an id or an email address')
    .requiredOption('--org <id>', 'the organization')
    .option(
      '--ttl <duration>',
      `the lifetime of the token, such as 30m, 8h or 7d, at most ${MAX_DAYS}d`,
      (given) => parseDuration(given, { maxDays: MAX_DAYS }),
      DEFAULT_USER_TOKEN_SECONDS,
    )
    .option('--json', 'print one JSON object')
    .action((options: { readonly user: string; readonly org: string; readonly ttl: number } & JsonOption) =>
      context.onDatabase(async (database) => {
        await requirePepper(database, context)
        const { org: organizationId, ttl: ttlSeconds } = options
        await requireOrganization(database, organizationId)
        const [userId = options.user] = await userIdsOf(database, options.user, organizationId)
        const request = { userId, organizationId, ttlSeconds }
        const { token, expiresAt } = await createUserToken(credentialsOf(database, context), request)
        answer(context, options, { token, expiresAt }, `${token}\n`)
        if (!options.json) stderr.write(`It lasts until ${expiresAt.toISOString()} and is not shown again.\n`)
      }),
    )
  tokens
    .command('list')
    .description('list the tokens of an organization or a user')
    .option('--org <id>', 'the organization')
    .option('--user <id>', 'the person: an id or an email address')
    .option('--json', 'print one JSON object')
    .action((options: { readonly org?: string; readonly user?: string } & JsonOption) => {
      const { org: organizationId, user } = options
      if (organizationId === undefined && user === undefined) {
        throw new Error('specify whose tokens to list: --org ID, --user ID, or both')
      }
      return context.onDatabase(async (database) => {
        if (organizationId !== undefined) await requireOrganization(database, organizationId)
        const userIds = user === undefined ? undefined : await userIdsOf(database, user, organizationId)
        if (user !== undefined && userIds?.length === 0) throw notFound('user', user)
        const tokens = await listUserTokens(database, { organizationId, userIds })
        answer(context, options, { tokens }, tokens.map((token) => lineOf(token, runtime.now())).join(''))
      })
    })
  tokens
    .command('revoke')
    .description('revoke a token immediately')
    .argument('<id>', 'the id of the token, as listed')
    .action((id: string) =>
      context.onDatabase(async (database) => {
        const revoked = await revokeUserToken({ database, runtime }, id)
        if (revoked === undefined) throw notFound('user token', id)
        stdout.write(`revoked a token of ${revoked.userId} in ${revoked.organizationId}\n`)
      }),
    )
}

/** The ids of the people with the id or address: in one organization one at most, in all of them perhaps several. */
async function userIdsOf(database: Database, given: string, organizationId: string | undefined): Promise<string[]> {
  const members = await findMembersNamed(database, { organizationId, userId: given, emailKey: emailKeyOf(given) })
  return [...new Set(members.map(({ userId }) => userId))]
}

function lineOf({ id, organizationId, userId, createdAt, expiresAt }: UserTokenSummary, now: Date): string {
  const end = `${expiresAt <= now ? 'expired' : 'active until'} ${expiresAt.toISOString()}`
  return `${[id, organizationId, userId, `created ${createdAt.toISOString()}`, end].join('  ')}\n`
}
