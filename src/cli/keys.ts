import { text } from 'node:stream/consumers'
import { type Command, InvalidArgumentError } from 'commander'
import { type ApiKeySummary, createApiKey, listApiKeys } from '../domain/auth/api-key.js'
import { type ApiKeyKind, apiKeyKindFrom, inspectApiKeySecret } from '../domain/auth/api-key-secret.js'
import { revokeKeyById } from '../domain/auth/revocation.js'
import { createSecretHasher } from '../domain/auth/secret-hash.js'
import { notFound } from '../errors.js'
import type { CommandContext } from './command-context.js'
import { parseDuration } from './duration.js'

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

/** `svc keys`: makes, lists, revokes and checks API keys. */
export function registerKeysCommand(program: Command, context: CommandContext): void {
  const keys = program.command('keys').description('API keys')
  keys
    .command('create')
    .description('make an API key; its secret is shown once')
    .requiredOption('--org <id>', 'the organization')
    .option('--team <id>', 'the only team that the key can reach')
    .option('--kind <kind>', 'pk (API key), wk (worker key) or mk (management key)', parseKind, 'pk' as const)
    .option('--name <text>', 'a name for people')
    .option('--permission <permission>', 'can be repeated; default: all that the kind can use', collect)
    .option('--expires <duration>', 'how long it lasts, such as 90s, 24h or 30d; default: until revoked', parseDuration)
    .option('--json', 'answer one JSON object')
    .action((options: CreateOptions) => createKey(options, context))
  keys
    .command('list')
    .description('list the API keys of an organization')
    .requiredOption('--org <id>', 'the organization')
    .option('--json', 'answer one JSON object')
    .action((options: ListOptions) => listKeys(options, context))
  keys
    .command('revoke')
    .description('revoke an API key permanently and end the sessions of its tokens')
    .argument('<id>', 'the id of the key')
    .action((id: string) => revokeKey(id, context))
  keys
    .command('check')
    .description('check by form and checksum whether a text is an API key secret; uses no database')
    .argument('<secret>', 'the text, or - to read it from standard input')
    .action((secret: string) => checkSecret(secret, context))
}

async function createKey(options: CreateOptions, context: CommandContext): Promise<void> {
  const { config, runtime, stdout } = context
  const hasher = createSecretHasher(config.secretPepper)
  const request = {
    organizationId: options.org,
    teamId: options.team,
    kind: options.kind,
    name: options.name,
    permissions: options.permission,
    seconds: options.expires,
  }
  const opened = await context.openDatabase()
  try {
    const key = await createApiKey({ database: opened.database, hasher, runtime }, request)
    const { id, secret, kind, organizationId, teamId = '', permissions, expiresAt } = key
    if (options.json) {
      stdout.write(`${JSON.stringify({ id, secret, kind, organizationId, teamId, permissions, expiresAt })}\n`)
    } else {
      stdout.write(`id           ${id}\nsecret       ${secret}\npermissions  ${permissions.join(' ')}\n`)
      if (expiresAt !== undefined) stdout.write(`expires      ${expiresAt.toISOString()}\n`)
      context.stderr.write('The secret is not shown again.\n')
    }
  } finally {
    await opened.close()
  }
}

async function listKeys({ org, json }: ListOptions, context: CommandContext): Promise<void> {
  const opened = await context.openDatabase()
  try {
    const keys = await listApiKeys(opened.database, org)
    if (json) context.stdout.write(`${JSON.stringify({ keys: keys.map(keyToJson) })}\n`)
    else for (const key of keys) context.stdout.write(`${keyToLine(key, context.runtime.now())}\n`)
  } finally {
    await opened.close()
  }
}

function keyToJson(key: ApiKeySummary) {
  const { id, kind, organizationId, teamId = '', name, permissions, createdAt, lastUsedAt, revokedAt, expiresAt } = key
  return { id, kind, organizationId, teamId, name, permissions, createdAt, lastUsedAt, revokedAt, expiresAt }
}

function keyToLine(key: ApiKeySummary, now: Date): string {
  const { id, kind, teamId, name, lastUsedAt } = key
  const reach = teamId === undefined ? 'organization' : `team ${teamId}`
  const used = lastUsedAt === undefined ? 'never used' : `used ${lastUsedAt.toISOString()}`
  return [id, kind, reach, stateOf(key, now), used, name].join('  ').trimEnd()
}

/** A key that ends within this time is shown as one that does. */
const SOON_DAYS = 7

function stateOf({ revokedAt, expiresAt }: ApiKeySummary, now: Date): string {
  if (revokedAt !== undefined) return `revoked ${revokedAt.toISOString()}`
  if (expiresAt === undefined) return 'active'
  const days = (expiresAt.getTime() - now.getTime()) / 86_400_000
  if (days <= 0) return `expired ${expiresAt.toISOString()}`
  return `${days <= SOON_DAYS ? 'expires soon,' : 'active until'} ${expiresAt.toISOString()}`
}

async function revokeKey(id: string, context: CommandContext): Promise<void> {
  const opened = await context.openDatabase()
  try {
    const revocation = await revokeKeyById(opened.database, context.runtime, id)
    if (revocation === undefined) throw notFound('API key', id)
    context.stdout.write(revocation.revokedNow ? `revoked ${id}\n` : `${id} was already revoked\n`)
  } finally {
    await opened.close()
  }
}

/** The text itself is never printed, so that it does not get into logs of whoever runs the check. */
async function checkSecret(argument: string, { stdin, stdout }: CommandContext): Promise<void> {
  const secret = argument === '-' ? (await text(stdin)).trim() : argument
  const inspection = inspectApiKeySecret(secret)
  if (inspection.ok) stdout.write(`an API key secret of kind ${inspection.kind}\n`)
  else if (inspection.fault === 'checksum') throw new Error('not an API key secret: the checksum is wrong')
  else throw new Error('not an API key secret: the form is wrong')
}

function parseKind(given: string): ApiKeyKind {
  const kind = apiKeyKindFrom(given)
  if (kind === undefined) throw new InvalidArgumentError('must be pk, wk or mk')
  return kind
}

function collect(value: string, before: readonly string[] = []): string[] {
  return [...before, value]
}
