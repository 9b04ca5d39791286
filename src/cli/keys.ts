import { userInfo } from 'node:os'
import { type Command, InvalidArgumentError } from 'commander'
import { type ApiKeySummary, createApiKey, listApiKeys, type NewApiKey } from '../domain/auth/api-key.js'
import { type RotationRefusal, rotateApiKey } from '../domain/auth/api-key-rotation.js'
import { type ApiKeyKind, apiKeyKindFrom } from '../domain/auth/api-key-secret.js'
import { revokeKeyById } from '../domain/auth/revocation.js'
import { notFound } from '../errors.js'
import { aligned, answer, type CommandContext, credentialsOf } from './command-context.js'
import { checkSecret, findKey } from './find-key.js'
import { parseDuration } from './option-values.js'

interface CreateOptions {
  readonly org: string
  readonly team?: string
  readonly kind: ApiKeyKind
  readonly name?: string
  readonly permission?: readonly string[]
  readonly expires?: number
  readonly json?: true
}

interface ListOptions {
  readonly org: string
  readonly json?: true
}

/** 24 hours. */
const DEFAULT_OVERLAP_SECONDS = 86_400

/** `svc keys`: creates, rotates, lists, revokes and checks API keys. */
export function registerKeysCommand(program: Command, context: CommandContext): void {
  const keys = program.command('keys').description('API keys')
  keys
    .command('create')
    .description('create an API key; its secret is shown once')
    .requiredOption('--org <id>', 'the organization')
    .option('--team <id>', 'a team to restrict the key to')
    .option('--kind <kind>', 'pk (API key), wk (worker key) or mk (management key)', parseKind, 'pk' as const)
    .option('--name <text>', 'a display name')
    .option(
      '--permission <permission>',
      'a permission of the key, repeatable; default: all that its kind can use',
      collect,
    )
    .option(
      '--expires <duration>',
      'the lifetime of the key, such as 90s, 24h or 30d; default: until revoked',
      (given) => parseDuration(given),
    )
    .option('--json', 'print one JSON object')
    .action((options: CreateOptions) => createKey(options, context))
  keys
    .command('list')
    .description('list the API keys of an organization')
    .requiredOption('--org <id>', 'the organization')
    .option('--json', 'print one JSON object')
    .action((options: ListOptions) => listKeys(options, context))
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
    .action((id: string, options: { readonly overlap: number; readonly json?: true }) =>
      rotateKey(id, options, context),
    )
  keys
    .command('revoke')
    .description('revoke an API key and its tokens permanently')
    .argument('<id>', 'the id of the key')
    .option('--chain', 'also revoke all keys that it was rotated from and to')
    .action((id: string, options: { readonly chain?: boolean }) => revokeKey(id, options, context))
  keys
    .command('find')
    .description('show who an API key or token belongs to, who created it and when, and its last use')
    .argument('<id>', 'the id of a key, or - to read a secret or token from standard input')
    .option('--json', 'print one JSON object')
    .action((id: string, options: { readonly json?: true }) => findKey(id, options, context))
  keys
    .command('check')
    .description('check by format and checksum whether a text is an API key secret; needs no database')
    .argument('<secret>', 'the text, or - to read it from standard input')
    .action((secret: string) => checkSecret(secret, context))
}

function createKey(options: CreateOptions, context: CommandContext): Promise<void> {
  const request = {
    organizationId: options.org,
    teamId: options.team,
    kind: options.kind,
    name: options.name,
    permissions: options.permission,
    seconds: options.expires,
    createdBy: operatorOf('keys create'),
  }
  return context.onDatabase(async (database) => {
    const key = await createApiKey(credentialsOf(database, context), request)
    answer(context, options, newKeyToJson(key), newKeyToText(key))
    if (!options.json) context.stderr.write(SHOWN_ONCE)
  })
}

function rotateKey(
  id: string,
  options: { readonly overlap: number; readonly json?: true },
  context: CommandContext,
): Promise<void> {
  const { stderr } = context
  const request = { id, overlapSeconds: options.overlap, createdBy: operatorOf('keys rotate') }
  return context.onDatabase(async (database) => {
    const key = await rotateApiKey(credentialsOf(database, context), request)
    if ('refused' in key) throw rotationError(id, key)
    const { rotatedFrom, endsAt } = key
    answer(context, options, { ...newKeyToJson(key), rotatedFrom }, newKeyToText(key))
    if (!options.json) stderr.write(SHOWN_ONCE)
    stderr.write(`${id} ${endsAt === undefined ? 'is revoked' : `is valid until ${endsAt.toISOString()}`}.\n`)
  })
}

/** Who runs a command, in words for people, such as `alice (svc keys create)`. */
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

function rotationError(id: string, refusal: RotationRefusal): Error {
  switch (refusal.refused) {
    case 'not found':
      return notFound('API key', id)
    case 'rotated':
      return new Error(`${id} was already rotated: its successor is ${refusal.by}`)
    case 'revoked':
    case 'expired':
      return new Error(
        `${id} ${refusal.refused === 'revoked' ? 'is revoked' : 'has expired'}: create a new key instead`,
      )
  }
}

function newKeyToJson({ id, secret, kind, organizationId, teamId = '', permissions, expiresAt }: NewApiKey) {
  return { id, secret, kind, organizationId, teamId, permissions, expiresAt }
}

function newKeyToText({ id, secret, permissions, expiresAt }: NewApiKey): string {
  return aligned([
    ['id', id],
    ['secret', secret],
    ['permissions', permissions.join(' ')],
    ...(expiresAt === undefined ? [] : [['expires', expiresAt.toISOString()] as const]),
  ])
}

const SHOWN_ONCE = 'The secret is not shown again.\n'

function listKeys(options: ListOptions, context: CommandContext): Promise<void> {
  return context.onDatabase(async (database) => {
    const keys = await listApiKeys(database, options.org)
    const lines = keys.map((key) => `${keyToLine(key, context.runtime.now())}\n`)
    answer(context, options, { keys: keys.map((key) => ({ ...key, teamId: key.teamId ?? '' })) }, lines.join(''))
  })
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

function revokeKey(
  id: string,
  { chain = false }: { readonly chain?: boolean },
  context: CommandContext,
): Promise<void> {
  return context.onDatabase(async (database) => {
    const revoked = await revokeKeyById(database, context.runtime, id, { chain })
    if (revoked === undefined) throw notFound('API key', id)
    for (const each of revoked) context.stdout.write(`revoked ${each}\n`)
    if (revoked.length === 0) context.stdout.write(`${id} was already revoked\n`)
  })
}

function parseKind(given: string): ApiKeyKind {
  const kind = apiKeyKindFrom(given)
  if (kind === undefined) throw new InvalidArgumentError('must be pk, wk or mk')
  return kind
}

function collect(value: string, before: readonly string[] = []): string[] {
  return [...before, value]
}
