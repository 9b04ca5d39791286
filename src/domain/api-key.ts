import type { ApiKeyKind } from '../../gen/prisma/enums.js'
import type { Database } from '../db/database.js'
import type { Sql } from '../db/sql.js'
import { type FieldViolation, invalidField, notFound, refuseViolations } from '../errors.js'
import { createApiKeySecret } from './api-key-secret.js'
import { recordAuditEvents, systemActor } from './audit-event.js'
import { type Permission, permissions } from './caller.js'
import type { Runtime } from './runtime.js'
import type { SecretHasher } from './secret-hash.js'
import { optionalNameLimits, textViolations } from './text-field.js'

/** A key to be made. */
export interface ApiKeyRequest {
  readonly organizationId: string
  /** The one team that it reaches; without it, every team of the organization. */
  readonly teamId?: string | undefined
  /** Default: `pk`. */
  readonly kind?: ApiKeyKind | undefined
  readonly name?: string | undefined
  /** Default: `defaultPermissions`. */
  readonly permissions?: readonly string[] | undefined
}

/** A new key. The secret is not kept and cannot be shown again. */
export interface NewApiKey {
  readonly id: string
  readonly secret: string
  readonly kind: ApiKeyKind
  readonly organizationId: string
  readonly teamId: string | undefined
  readonly permissions: readonly Permission[]
}

/** What making keys needs. */
export interface ApiKeyOptions {
  readonly database: Pick<Database, 'transaction'>
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
 * All that a kind of key can use (the matrix of the decisions, section 3): no key updates priorities, workers do not read
 * the audit log, a team's key leaves alone what belongs to the organization, and a management key has no permissions.
 */
export function defaultPermissions(kind: ApiKeyKind, isTeamScoped: boolean): Permission[] {
  if (kind === 'mk') return []
  return permissions.filter((permission) => {
    if (permission === 'tickets:write' || (isTeamScoped && organizationWide.has(permission))) return false
    return kind === 'pk' || permission !== 'audit:read'
  })
}

const insertApiKey = `
INSERT INTO api_keys (id, organization_id, team_id, kind, name, secret_hash, permissions)
VALUES ($1, $2, $3, $4, $5, $6, $7)`

/** Makes a key, with an audit event. Throws for a team or an organization that does not exist, and for bad values. */
export async function createApiKey(options: ApiKeyOptions, request: ApiKeyRequest): Promise<NewApiKey> {
  const { database, hasher, runtime } = options
  const { organizationId, teamId, kind = 'pk', name = '' } = request
  const granted = permissionsFrom(request.permissions, kind, teamId !== undefined)
  refuseViolations(keyViolations(name, kind, teamId))
  const id = runtime.newId()
  const secret = createApiKeySecret(kind, runtime)
  await database.transaction(async (sql) => {
    await requireOwner(sql, organizationId, teamId)
    const values = [id, organizationId, teamId ?? null, kind, name, hasher.hash(secret), granted]
    await sql.execute(insertApiKey, values)
    const event = { organizationId, actor: systemActor, action: 'api_key.create', targetType: 'api_key', targetId: id }
    await recordAuditEvents(sql, [{ ...event, teamId }], runtime)
  })
  return { id, secret, kind, organizationId, teamId, permissions: granted }
}

function keyViolations(name: string, kind: ApiKeyKind, teamId: string | undefined): FieldViolation[] {
  const violations = textViolations('name', name, optionalNameLimits)
  if (kind === 'mk' && teamId !== undefined) {
    const description = 'a management key belongs to the organization'
    violations.push({ field: 'team', description, reason: 'FIELD_INVALID' })
  }
  return violations
}

function permissionsFrom(given: readonly string[] = [], kind: ApiKeyKind, isTeamScoped: boolean): Permission[] {
  if (given.length === 0) return defaultPermissions(kind, isTeamScoped)
  if (kind === 'mk') throw invalidField('permission', 'a management key takes no permissions')
  const unknown = given.find((permission) => !permissions.some((known) => known === permission))
  if (unknown !== undefined) throw invalidField('permission', `${unknown} is not one of ${permissions.join(', ')}`)
  return permissions.filter((permission) => given.includes(permission))
}

async function requireOwner(sql: Sql, organizationId: string, teamId: string | undefined): Promise<void> {
  const organizations = await sql.query('SELECT FROM organizations WHERE id = $1 FOR KEY SHARE', [organizationId])
  if (organizations.length === 0) throw notFound('organization', organizationId)
  if (teamId === undefined) return
  const selectTeam = 'SELECT FROM teams WHERE organization_id = $1 AND id = $2 FOR KEY SHARE'
  const teams = await sql.query(selectTeam, [organizationId, teamId])
  if (teams.length === 0) throw notFound('team', teamId)
}

/** A key as lists show it: without secret and hash. */
export interface ApiKeySummary {
  readonly id: string
  readonly kind: ApiKeyKind
  readonly organizationId: string
  readonly teamId: string | undefined
  readonly name: string
  readonly permissions: readonly string[]
  readonly createdAt: Date
  readonly lastUsedAt: Date | undefined
  readonly revokedAt: Date | undefined
}

interface ApiKeyRow {
  readonly id: string
  readonly kind: ApiKeyKind
  readonly organization_id: string
  readonly team_id: string | null
  readonly name: string
  readonly permissions: readonly string[]
  readonly created_at: Date
  readonly last_used_at: Date | null
  readonly revoked_at: Date | null
}

const selectApiKeys = `
SELECT id, kind, organization_id, team_id, name, permissions, created_at, last_used_at, revoked_at
  FROM api_keys WHERE organization_id = $1 ORDER BY created_at, id`

/** The keys of an organization, revoked ones too, in the order of creation. Throws where there is no such organization. */
export async function listApiKeys(sql: Sql, organizationId: string): Promise<ApiKeySummary[]> {
  const rows = await sql.query<ApiKeyRow>(selectApiKeys, [organizationId])
  if (rows.length === 0) await requireOwner(sql, organizationId, undefined)
  return rows.map((row) => ({
    id: row.id,
    kind: row.kind,
    organizationId: row.organization_id,
    teamId: row.team_id ?? undefined,
    name: row.name,
    permissions: row.permissions,
    createdAt: row.created_at,
    lastUsedAt: row.last_used_at ?? undefined,
    revokedAt: row.revoked_at ?? undefined,
  }))
}
