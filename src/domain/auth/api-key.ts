import type { ApiKeyKind } from '../../../gen/prisma/enums.js'
import type { Tables } from '../../db/tables.js'
import { type FieldViolation, invalidField, notFound, refuseViolations } from '../../errors.js'
import type { Runtime } from '../../runtime/runtime.js'
import { insertApiKey, type NewApiKey as StoredApiKey, selectApiKeys } from '../../store/api-key.js'
import type { AuditAction } from '../../store/audit-action.js'
import { hasOrganization, hasTeam } from '../../store/organization.js'
import { type AuditEvent, recordAuditEvents, systemActor } from '../audit/audit-event.js'
import { type Permission, permissions } from '../caller/caller.js'
import { textFault } from '../value/free-text.js'
import { createApiKeySecret } from './api-key-secret.js'
import type { SecretHasher } from './secret-hash.js'

/** A key to be made. */
export interface ApiKeyRequest {
  readonly organizationId: string
  /** The only team that it reaches; default: every team of the organization. */
  readonly teamId?: string | undefined
  /** Default: `pk`. */
  readonly kind?: ApiKeyKind | undefined
  readonly name?: string | undefined
  /** Some of `defaultPermissions`; default: all of them. */
  readonly permissions?: readonly string[] | undefined
  /** How long it lasts; default: until it is revoked. */
  readonly seconds?: number | undefined
  /** Who makes it, in words for people; default: not known. */
  readonly createdBy?: string
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

/** What making keys needs. */
export interface ApiKeyOptions {
  readonly database: Tables
  readonly hasher: SecretHasher
  readonly runtime: Runtime
}

const organizationWide: ReadonlySet<Permission> = new Set([
  'users:read',
  'users:write',
  'ingestion:write',
  'audit:read',
])

/**
 * All that a kind of key can use (docs/resources.md): workers do not read the audit log, a
 * team's key has no permissions on what belongs to the organization, and a management key has none at all.
 */
export function defaultPermissions(kind: ApiKeyKind, isTeamScoped: boolean): Permission[] {
  if (kind === 'mk') return []
  return permissions.filter((permission) => {
    if (isTeamScoped && organizationWide.has(permission)) return false
    return kind === 'pk' || permission !== 'audit:read'
  })
}

/**
 * Makes a key and records an audit event. Throws for a team or an organization that does not exist, and for bad values.
 */
export async function createApiKey(options: ApiKeyOptions, request: ApiKeyRequest): Promise<NewApiKey> {
  const { database, runtime } = options
  const { organizationId, teamId, kind = 'pk', name = '', seconds, createdBy = '' } = request
  const granted = permissionsFrom(request.permissions, kind, teamId !== undefined)
  refuseViolations(keyViolations(name, kind, teamId))
  const expiresAt = seconds === undefined ? null : new Date(runtime.now().getTime() + seconds * 1000)
  return database.transaction(async (transaction) => {
    await requireOwner(transaction, organizationId, teamId)
    const reach = { organizationId, teamId: teamId ?? null, permissions: granted }
    const key = await addApiKey(options, transaction, { ...reach, kind, name, expiresAt, createdBy })
    const event = { ...keyEvent('api_key.create', { ...reach, id: key.id }), actor: systemActor }
    await recordAuditEvents(transaction, [event], runtime)
    return key
  })
}

/** A key to be added to a chain, or if it names none, as the first of its own. */
type AddedApiKey = Omit<StoredApiKey, 'id' | 'secretHash' | keyof KeyPlace | 'permissions'> &
  Partial<KeyPlace> & { readonly permissions: readonly Permission[] }

type KeyPlace = Pick<StoredApiKey, 'chainId' | 'rotation' | 'previousRotation'>

/** Stores a key with a new id and a new secret. */
export async function addApiKey(
  { hasher, runtime }: Omit<ApiKeyOptions, 'database'>,
  transaction: Tables,
  key: AddedApiKey,
): Promise<NewApiKey> {
  const { organizationId, teamId, kind, permissions: granted, expiresAt } = key
  const id = runtime.newId()
  const secret = createApiKeySecret(kind, runtime)
  const place = { chainId: id, rotation: 0, previousRotation: null }
  const secretHash = hasher.hash(secret)
  await insertApiKey(transaction, { ...place, ...key, permissions: [...granted], id, secretHash })
  const shown = { id, secret, kind, organizationId, permissions: granted }
  return { ...shown, teamId: teamId ?? undefined, expiresAt: expiresAt ?? undefined }
}

function keyViolations(name: string, kind: ApiKeyKind, teamId: string | undefined): FieldViolation[] {
  const violations: FieldViolation[] = []
  const fault = textFault(name, { max: 255 })
  if (fault !== undefined) violations.push({ field: 'name', description: fault, reason: 'FIELD_INVALID' })
  if (kind === 'mk' && teamId !== undefined) {
    const description = 'must be omitted: a management key belongs to the whole organization'
    violations.push({ field: 'team', description, reason: 'FIELD_INVALID' })
  }
  return violations
}

function permissionsFrom(given: readonly string[] = [], kind: ApiKeyKind, isTeamScoped: boolean): Permission[] {
  if (given.length === 0) return defaultPermissions(kind, isTeamScoped)
  if (kind === 'mk') throw invalidField('permission', 'must be omitted: a management key has no permissions')
  const usable = defaultPermissions(kind, isTeamScoped)
  const other = given.find((permission) => !usable.some((each) => each === permission))
  if (other !== undefined) {
    const holder = `a ${kind} key of ${isTeamScoped ? 'a team' : 'an organization'}`
    throw invalidField('permission', `${other} is not a permission that ${holder} can use: ${usable.join(', ')}`)
  }
  return usable.filter((permission) => given.includes(permission))
}

async function requireOwner(tables: Tables, organizationId: string, teamId: string | undefined): Promise<void> {
  if (!(await hasOrganization(tables, organizationId))) throw notFound('organization', organizationId)
  if (teamId !== undefined && !(await hasTeam(tables, organizationId, teamId))) throw notFound('team', teamId)
}

/**
 * The keys of an organization, including revoked ones, in creation order. Throws if there is no such
 * organization.
 */
export async function listApiKeys(tables: Tables, organizationId: string) {
  const rows = await selectApiKeys(tables, organizationId)
  if (rows.length === 0) await requireOwner(tables, organizationId, undefined)
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

/** An event of a credential; still to be told who did it. */
export type KeyEvent = Omit<AuditEvent, 'actor'>

/** The audit event of an action on a key, such as `api_key.revoke`. */
export function keyEvent(
  action: AuditAction,
  { organizationId, id, teamId }: Pick<StoredApiKey, 'organizationId' | 'id' | 'teamId'>,
): KeyEvent {
  return { organizationId, action, targetType: 'api_key', targetId: id, teamId: teamId ?? undefined }
}
