import type { ApiKeyKind } from '../../../gen/prisma/enums.js'
import type { Tables } from '../../db/tables.js'
import { type FieldViolation, invalidField, notFound, refuseViolations } from '../../errors.js'
import {
  apiKeyStore,
  type FoundApiKey,
  findApiKey,
  insertApiKey,
  type LockedApiKey,
  lockKeyChain,
  newKeyId,
  type NewApiKey as StoredApiKey,
  selectApiKeys,
} from '../../store/api-key.js'
import type { AuditAction } from '../../store/audit-action.js'
import { hasTeam } from '../../store/organization.js'
import { type AuditEvent, authorOf, recordAuditEvents, systemActor } from '../audit/audit-event.js'
import {
  type CallContext,
  type Caller,
  canSee,
  keyPermissions,
  type Permission,
  permissions,
  requirePermissionIn,
  rightEndIn,
} from '../caller/caller.js'
import { requireOrganization } from '../organization.js'
import { written } from '../standard-methods.js'
import { standardResource } from '../standard-resource.js'
import { textFault } from '../value/free-text.js'
import { createApiKeySecret } from './api-key-secret.js'
import type { CredentialTools } from './bearer-token.js'
import type { SecretHasher } from './secret-hash.js'

export interface ApiKeyRequest {
  readonly organizationId: string
  /** The only team that it reaches; default: every team of the organization. */
  readonly teamId?: string | undefined
  /** Default: `pk`. */
  readonly kind?: ApiKeyKind | undefined
  readonly name?: string | undefined
  /** Some of `defaultPermissions`; default: all of them. An empty list is refused, except for a management key. */
  readonly permissions?: readonly string[] | undefined
  /** How long it lasts. Default: until it is revoked. */
  readonly seconds?: number | undefined
  /** When it expires (RFC 3339), instead of `seconds`. */
  readonly expiresAt?: string | undefined
}

/** The dependencies for changing keys, and the author: a call, or an operator, who may do anything. */
export interface KeyTools extends Pick<CredentialTools, 'database' | 'hasher' | 'runtime'> {
  readonly call?: CallContext
  /** In words for people, such as `alice (svc keys create)`; default: not known. */
  readonly operator?: string
}

/** A new key. The secret is not stored and cannot be shown again. */
export interface NewApiKey {
  readonly id: string
  readonly secret: string
  readonly kind: ApiKeyKind
  readonly organizationId: string
  readonly teamId: string | undefined
  readonly permissions: readonly Permission[]
  readonly expiresAt: Date | undefined
}

const organizationWide: ReadonlySet<Permission> = new Set(['users:read', 'users:write', 'ingestion:write'])

/**
 * The permissions that a kind of key can have (docs/resources.md): workers do not read the audit log, a team's key has
 * no permissions on what belongs to the organization, and a management key has none at all.
 */
export function defaultPermissions(kind: ApiKeyKind, isTeamScoped: boolean): Permission[] {
  if (kind === 'mk') return []
  return keyPermissions.filter((permission) => {
    if (isTeamScoped && organizationWide.has(permission)) return false
    return kind === 'pk' || permission !== 'audit:read'
  })
}

/**
 * Creates a key and records an audit event. Throws `RESOURCE_NOT_FOUND` for a team or an organization that does not
 * exist or is hidden from the caller, `PERMISSION_MISSING` if the key would have a permission that the caller lacks,
 * and `FIELD_INVALID` or `FIELD_REQUIRED` for bad values.
 */
export async function createApiKey(tools: KeyTools, request: ApiKeyRequest): Promise<NewApiKey> {
  const { database, runtime, call } = tools
  const { organizationId, teamId, kind = 'pk', name = '' } = request
  return database.transaction(async (transaction) => {
    await requireOrganization(transaction, organizationId)
    if (teamId !== undefined) {
      const isHidden = call !== undefined && !canSee(call.caller, teamId)
      if (isHidden || !(await hasTeam(transaction, organizationId, teamId))) throw notFound('team', teamId)
    }
    if (call !== undefined) requirePermissionIn(call.caller, teamId ?? null, 'keys:write')
    refuseViolations(keyViolations(name, kind, teamId))
    const granted = permissionsFrom(request.permissions, kind, teamId !== undefined)
    const reach = { organizationId, teamId: teamId ?? null, kind, permissions: granted }
    requireGivable(call, reach)
    const expiresAt = givableEnd(call, reach, endFrom(request, runtime.now()))
    const key = await addApiKey(tools, transaction, { ...reach, name, expiresAt })
    await recordKeyEvents(tools, transaction, [keyEvent('api_key.create', { ...reach, id: key.id })])
    return key
  })
}

/** Ten years. */
const MAX_LIFETIME_SECONDS = 315_360_000

function endFrom({ seconds, expiresAt }: ApiKeyRequest, now: Date): Date | null {
  if (!expiresAt) return seconds === undefined ? null : new Date(now.getTime() + seconds * 1000)
  if (seconds !== undefined) throw invalidField('expiresAt', 'must be omitted beside lifetimeSeconds')
  const end = new Date(expiresAt)
  const left = end.getTime() - now.getTime()
  if (left > 0 && left <= MAX_LIFETIME_SECONDS * 1000) return end
  throw invalidField('expiresAt', 'must be in the future, within ten years')
}

/** Refuses a caller who has less than the key. What a management key can do is in no list: it takes all permissions. */
export function requireGivable(
  call: CallContext | undefined,
  { teamId, kind, permissions: granted }: Pick<StoredApiKey, 'teamId' | 'kind' | 'permissions'>,
): void {
  if (call === undefined) return
  for (const permission of permissions) {
    if (kind === 'mk' || granted.includes(permission)) requirePermissionIn(call.caller, teamId, permission)
  }
}

/** The end of a key that is requested to end at `end`, or never: at the latest, the end of its creator's rights. */
export function givableEnd(call: CallContext | undefined, { teamId }: Pick<StoredApiKey, 'teamId'>, end: Date | null) {
  const ownEnd = call === undefined ? null : rightEndIn(call.caller, teamId)
  return ownEnd === null || (end !== null && end < ownEnd) ? end : ownEnd
}

/** Finds a key of the caller's organization; for an operator, of any. Throws `RESOURCE_NOT_FOUND`. */
export async function findKeyFor({ database, call }: Omit<KeyTools, 'hasher'>, id: string): Promise<FoundApiKey> {
  const key = await findApiKey(database, { id, ...(call && { organizationId: call.caller.organizationId }) })
  if (key === undefined) throw notFound('API key', id)
  return key
}

/**
 * Locks a key and its chain. Throws `RESOURCE_NOT_FOUND` if it is hidden from the caller, and
 * `PERMISSION_MISSING` without `keys:write` where it belongs.
 */
export async function lockKeyFor(
  { call }: Omit<KeyTools, 'hasher'>,
  transaction: Tables,
  key: FoundApiKey,
): Promise<LockedApiKey> {
  const locked = await lockKeyChain(transaction, key)
  const isHidden = locked !== undefined && call !== undefined && !canSee(call.caller, locked.teamId)
  if (locked === undefined || isHidden) throw notFound('API key', key.id)
  if (call !== undefined) requirePermissionIn(call.caller, locked.teamId, 'keys:write')
  return locked
}

export function recordKeyEvents(
  { call, runtime }: Omit<KeyTools, 'hasher'>,
  transaction: Tables,
  events: readonly AuditEvent[],
): Promise<void> {
  const author = call === undefined ? { actor: systemActor } : authorOf(call)
  return recordAuditEvents(transaction, events, { ...author, runtime })
}

/** A key to be added to a chain, or if it names none, as the first of its own. */
type AddedApiKey = Omit<
  StoredApiKey,
  'id' | 'secretHash' | 'createdAt' | 'createdBy' | 'createdByUserId' | keyof KeyPlace | 'permissions'
> &
  Partial<KeyPlace> & { readonly permissions: readonly Permission[] }

type KeyPlace = Pick<StoredApiKey, 'chainId' | 'rotation' | 'previousRotation'>

export async function addApiKey(
  { hasher, runtime, call, operator = '' }: KeyTools,
  transaction: Tables,
  key: AddedApiKey,
): Promise<NewApiKey> {
  const { organizationId, teamId, kind, permissions: granted, expiresAt } = key
  const id = newKeyId(runtime.newId(), organizationId)
  const secret = createApiKeySecret(kind, runtime)
  const place = { chainId: id, rotation: 0, previousRotation: null }
  const secretHash = hasher.hash(secret)
  const maker =
    call === undefined
      ? { createdBy: operator, createdByUserId: null }
      : { createdBy: nameOf(call.caller), createdByUserId: call.caller.id }
  // Prisma's default would be the time of the machine.
  const made = { id, secretHash, createdAt: runtime.now(), ...maker }
  await insertApiKey(transaction, { ...place, ...key, permissions: [...granted], ...made })
  const shown = { id, secret, kind, organizationId, permissions: granted }
  return { ...shown, teamId: teamId ?? undefined, expiresAt: expiresAt ?? undefined }
}

function nameOf({ name, id }: Caller): string {
  return name === id ? id : `${name} (${id})`
}

function keyViolations(name: string, kind: ApiKeyKind, teamId: string | undefined): FieldViolation[] {
  const violations: FieldViolation[] = []
  const fault = textFault(name, 255)
  if (fault !== undefined) violations.push({ field: 'name', description: fault, reason: 'FIELD_INVALID' })
  if (kind === 'mk' && teamId !== undefined) {
    const description = 'must be omitted: a management key belongs to the whole organization'
    violations.push({ field: 'teamId', description, reason: 'FIELD_INVALID' })
  }
  return violations
}

function permissionsFrom(given: readonly string[] | undefined, kind: ApiKeyKind, isTeamScoped: boolean): Permission[] {
  const usable = defaultPermissions(kind, isTeamScoped)
  if (given === undefined || (kind === 'mk' && given.length === 0)) return usable
  if (kind === 'mk') throw invalidField('permissions', 'must be omitted: a management key has no permissions')
  if (given.length === 0) throw invalidField('permissions', 'must name at least one', 'FIELD_REQUIRED')
  const other = given.find((permission) => !usable.some((each) => each === permission))
  if (other !== undefined) {
    const holder = `a ${kind} key of ${isTeamScoped ? 'a team' : 'an organization'}`
    throw invalidField('permissions', `${other} is not a permission that ${holder} can use: ${usable.join(', ')}`)
  }
  return usable.filter((permission) => given.includes(permission))
}

/**
 * The keys of an organization, including revoked ones, in creation order. Throws if there is no such
 * organization.
 */
export async function listApiKeys(tables: Tables, organizationId: string) {
  const rows = await selectApiKeys(tables, organizationId)
  if (rows.length === 0) await requireOrganization(tables, organizationId)
  return rows.map(({ teamId, lastUsedAt, revokedAt, expiresAt, previous, ...row }) => ({
    ...row,
    teamId: teamId ?? undefined,
    lastUsedAt: lastUsedAt ?? undefined,
    revokedAt: revokedAt ?? undefined,
    expiresAt: expiresAt ?? undefined,
    rotatedFrom: previous?.id,
  }))
}

/** A key as lists show it: without secret and hash, with the id of the key whose successor it is. */
export type ApiKeySummary = Awaited<ReturnType<typeof listApiKeys>>[number]

export function keyEvent(
  action: AuditAction,
  { organizationId, id, teamId }: Pick<StoredApiKey, 'organizationId' | 'id' | 'teamId'>,
): AuditEvent {
  return { organizationId, action, targetId: id, teamId }
}

export const apiKeys = standardResource(apiKeyStore, { name: 'API key' })

export async function printedKey(context: CallContext, id: string): Promise<string> {
  return (await written(context, context.tables, apiKeys, id)).json
}

/** The dependencies with which a call makes, rotates and revokes keys. */
export function keyToolsOf(call: CallContext, hasher: SecretHasher): KeyTools {
  return { database: call.tables, runtime: call.runtime, hasher, call }
}
