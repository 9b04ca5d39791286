import { userInfo } from 'node:os'
import { type Command, Option } from 'commander'
import type { Database } from '../db/database.js'
import { runningServers } from '../db/server-presence.js'
import { type ApiKeySummary, createApiKey, listApiKeys, type NewApiKey } from '../domain/auth/api-key.js'
import { DEFAULT_OVERLAP_SECONDS, rotateApiKey } from '../domain/auth/api-key-rotation.js'
import { type ApiKeyKind, apiKeyKinds } from '../domain/auth/api-key-secret.js'
import { revokeKeyById } from '../domain/auth/revocation.js'
import {
  aligned,
  answer,
  type CommandContext,
  credentialsOf,
  type JsonOption,
  originOf,
  parseDuration,
  requirePepper,
} from './command-context.js'
import { checkSecret, findKey } from './find-key.js'

export function registerKeysCommand(program: Command, context: CommandContext): void {
  const { stdout, stderr, runtime } = context
  const keys = program.command('keys').description('API keys')
  keys
    .command('create')
    .description('create an API key; its secret is shown once')
    .requiredOption('--org <id>', 'the organization')
    .option('--team <id>', 'a team to restrict the key to')
    .addOption(new Option('--kind <kind>', 'API key, worker key or management key').choices(apiKeyKinds).default('pk'))
    .option('--name <text>', 'a display name')
    .option(
      '--permission <permission>',
      'a permission of the key, repeatable; default: all that its kind can use',
      (value: string, before: readonly string[] | undefined) => [...(before ?? []), value],
    )
    .option(
      '--expires <duration>',
      'the lifetime of the key, such as 90s, 24h or 30d; default: until revoked',
      (given) => parseDuration(given),
    )
    .option('--json', 'print one JSON object')
    .action((options: CreateOptions) => {
      const { org: organizationId, team: teamId, kind, name, permission: permissions, expires: seconds } = options
      const operator = operatorOf('keys create')
      return context.onDatabase(async (database) => {
        await requirePepper(database, context)
        const tools = { ...credentialsOf(database, context), operator }
        const request = { organizationId, teamId, kind, name, permissions, seconds }
        const key = await createApiKey(tools, request)
        answerNewKey(context, options, key, await connectionOf(database, context, key))
      })
    })
  keys
    .command('list')
    .description('list the API keys of an organization')
    .requiredOption('--org <id>', 'the organization')
    .option('--json', 'print one JSON object')
    .action((options: { readonly org: string } & JsonOption) =>
      context.onDatabase(async (database) => {
        const keys = await listApiKeys(database, options.org)
        const lines = keys.map((key) => `${keyToLine(key, runtime.now())}\n`)
        answer(context, options, { keys: keys.map((key) => ({ ...key, teamId: key.teamId ?? '' })) }, lines.join(''))
      }),
    )
  keys
    .command('rotate')
    .description('create the successor of an API key, with the same access; its secret is shown once')
    .argument('<id>', 'the id of the key')
    .option(
      '--overlap <duration>',
      'how long both keys are valid, such as 90s, 24h or 30d; after a leak, 0 revokes the old one immediately',
      (given) => parseDuration(given, { minSeconds: 0 }),
      DEFAULT_OVERLAP_SECONDS,
    )
    .option('--json', 'print one JSON object')
    .action((id: string, options: { readonly overlap: number } & JsonOption) =>
      context.onDatabase(async (database) => {
        await requirePepper(database, context)
        const tools = { ...credentialsOf(database, context), operator: operatorOf('keys rotate') }
        const key = await rotateApiKey(tools, { id, overlapSeconds: options.overlap })
        const { rotatedFrom, endsAt } = key
        answerNewKey(context, options, key, { rotatedFrom, ...(await connectionOf(database, context, key)) })
        stderr.write(`${id} ${endsAt === undefined ? 'is revoked' : `is valid until ${endsAt.toISOString()}`}.\n`)
      }),
    )
  keys
    .command('revoke')
    .description('revoke an API key and its tokens permanently')
    .argument('<id>', 'the id of the key')
    .option('--chain', 'also revoke all keys that it was rotated from and to')
    .action((id: string, { chain = false }: { readonly chain?: boolean }) =>
      context.onDatabase(async (database) => {
        const revoked = await revokeKeyById({ database, runtime }, id, { chain })
        for (const each of revoked) stdout.write(`revoked ${each}\n`)
        if (revoked.length === 0) stdout.write(`${id} was already revoked\n`)
      }),
    )
  keys
    .command('find')
    .description('show who an API key or token belongs to, who created it and when, and its last use')
    .argument('<id>', 'the id of a key, or - to read a secret or token from standard input')
    .option('--json', 'print one JSON object')
    .action((id: string, options: JsonOption) => findKey(id, options, context))
  keys
    .command('check')
    .description('check by format and checksum whether a text is an API key secret; needs no database')
    .argument('<secret>', 'the text, or - to read it from standard input')
    .action((secret: string) => checkSecret(secret, context))
}

interface CreateOptions extends JsonOption {
  readonly org: string
  readonly team?: string
  readonly kind: ApiKeyKind
  readonly name?: string
  readonly permission?: readonly string[]
  readonly expires?: number
}

/** Where an identity provider sends what it supplies; only for the kind of key with which it does. */
async function connectionOf(
  database: Database,
  { config }: CommandContext,
  { kind }: NewApiKey,
): Promise<{ readonly scimUrl?: string }> {
  if (kind !== 'mk') return {}
  const [running] = config.publicUrl === undefined ? await runningServers(database) : []
  const base = config.publicUrl ?? running ?? originOf(config.host, config.port, config.tls && 'https')
  return { scimUrl: `${base.replace(/\/$/, '')}/scim/v2` }
}

/** The output of a command that has made a key; `rotatedFrom` is only for programs. */
function answerNewKey(
  context: CommandContext,
  options: JsonOption,
  key: NewApiKey,
  more: { readonly rotatedFrom?: string; readonly scimUrl?: string },
): void {
  const { id, secret, kind, organizationId, teamId = '', permissions, expiresAt } = key
  const text = aligned([
    ['id', id],
    ['secret', secret],
    ['permissions', permissions.join(' ')],
    ...(more.scimUrl === undefined ? [] : [['SCIM address', more.scimUrl] as const]),
    ...(expiresAt === undefined ? [] : [['expires', expiresAt.toISOString()] as const]),
  ])
  answer(context, options, { id, secret, kind, organizationId, teamId, permissions, expiresAt, ...more }, text)
  if (!options.json) context.stderr.write('The secret is not shown again.\n')
}

function operatorOf(command: string): string {
  return `${userName()} (svc ${command})`
}

function userName(): string {
  try {
    return userInfo().username
  } catch {
    // The user of a container need not have a name.
    return `user ${process.getuid?.() ?? 'without a name'}`
  }
}

function keyToLine(key: ApiKeySummary, now: Date): string {
  const { id, kind, teamId, name, lastUsedAt, rotatedFrom } = key
  const reach = teamId === undefined ? 'organization' : `team ${teamId}`
  const used = lastUsedAt === undefined ? 'never used' : `used ${lastUsedAt.toISOString()}`
  const origin = rotatedFrom === undefined ? [] : [`rotated from ${rotatedFrom}`]
  return [id, kind, reach, stateOf(key, now), used, ...origin, name].join('  ').trimEnd()
}

/** A key that expires within this time is shown as expiring soon. */
const SOON_DAYS = 7

function stateOf({ revokedAt, expiresAt }: ApiKeySummary, now: Date): string {
  if (revokedAt !== undefined) return `revoked ${revokedAt.toISOString()}`
  if (expiresAt === undefined) return 'active'
  const days = (expiresAt.getTime() - now.getTime()) / 86_400_000
  if (days <= 0) return `expired ${expiresAt.toISOString()}`
  return `${days <= SOON_DAYS ? 'expires soon,' : 'active until'} ${expiresAt.toISOString()}`
}
