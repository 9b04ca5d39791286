import type { ApiKeyKind, TeamUserRole, UserRole } from '../../gen/prisma/enums.js'
import type { Sql } from '../db/sql.js'
import { createBatchedLookup, type Lookup } from './batched-lookup.js'
import { ACCESS_TOKEN_PREFIX, USER_TOKEN_PREFIX } from './bearer-token.js'
import { type Caller, type CallerKind, type Permission, permissions, type Reach } from './caller.js'
import { KEY_USE_INTERVAL_SQL, type KeyUses } from './key-use.js'
import type { OidcVerifier } from './oidc.js'
import { reachOfUser } from './role.js'
import type { SecretHasher } from './secret-hash.js'

/** Who holds a bearer token; undefined where it is not accepted, whatever the reason. */
export type Authenticate = (bearerToken: string) => Promise<Caller | undefined>

/** What authentication stands on. */
export interface AuthenticatorOptions {
  readonly database: Sql
  readonly hasher: SecretHasher
  readonly keyUses: KeyUses
  /** Verifies the tokens of the OpenID Connect issuer, where there is one. */
  readonly oidc?: OidcVerifier | undefined
}

/**
 * Makes the authenticator. It asks the database for every call after the call came and keeps nothing, so that a revocation
 * holds in every process as soon as it is committed; calls that come at the same time share a statement. Secrets of keys
 * are no bearer tokens. Throws when the database fails.
 */
export function createAuthenticator({ database, hasher, keyUses, oidc }: AuthenticatorOptions): Authenticate {
  const findKey = createTokenLookup<KeyRow>(database, hasher, selectKeyOfToken, 'select_key_of_token')
  const findPerson = createTokenLookup<PersonRow>(database, hasher, selectPersonOfToken, 'select_person_of_token')
  return async (bearerToken) => {
    if (bearerToken.startsWith(ACCESS_TOKEN_PREFIX)) {
      const row = await findKey(bearerToken)
      if (row?.use_is_due) keyUses.note(row.id)
      return row && callerOfKey(row)
    }
    if (bearerToken.startsWith(USER_TOKEN_PREFIX)) {
      const row = await findPerson(bearerToken)
      return row && callerOfPerson([row])
    }
    const identity = await oidc?.(bearerToken)
    if (identity === undefined) return undefined
    const values = [identity.email, identity.organizationId ?? null]
    return callerOfPerson(await database.query<PersonRow>(selectPersonOfEmail, values, 'select_person_of_email'))
  }
}

/** Looks up rows that carry the hash of their token. */
function createTokenLookup<Row extends object>(
  database: Sql,
  hasher: SecretHasher,
  statement: string,
  name: string,
): Lookup<string, Row | undefined> {
  return createBatchedLookup(async (tokens) => {
    const candidates = new Map(tokens.map((token) => [token, hasher.candidates(token)]))
    const rows = await database.query<Row & { token_hash: Buffer }>(statement, [[...candidates.values()].flat()], name)
    return (token) => rows.find((row) => candidates.get(token)?.some((hash) => hash.equals(row.token_hash)))
  })
}

interface KeyRow {
  readonly id: string
  readonly organization_id: string
  readonly team_id: string | null
  readonly kind: ApiKeyKind
  readonly name: string
  readonly permissions: readonly string[]
  readonly use_is_due: boolean
}

// A management key has no tokens; that it gets none here either does not hang on how one came to be.
const selectKeyOfToken = `
SELECT s.token_hash, k.id, k.organization_id, k.team_id, k.kind, k.name, k.permissions,
       k.last_used_at IS NULL OR k.last_used_at <= now() - ${KEY_USE_INTERVAL_SQL} AS use_is_due
  FROM api_key_sessions s
  JOIN api_keys k ON k.id = s.api_key_id
 WHERE s.token_hash = ANY($1::bytea[]) AND s.expires_at > now() AND k.revoked_at IS NULL AND k.kind <> 'mk'`

function callerOfKey(row: KeyRow): Caller {
  const { id, name, organization_id: organizationId, team_id: teamId } = row
  return { kind: callerKindOf(row), id, name, organizationId, reach: reachOfKey(teamId, row.permissions) }
}

function callerKindOf({ kind, team_id: teamId }: KeyRow): CallerKind {
  if (kind === 'wk') return 'worker'
  return teamId === null ? 'organization_api_key' : 'team_api_key'
}

function reachOfKey(teamId: string | null, granted: readonly string[]): Reach {
  const known: ReadonlySet<Permission> = new Set(permissions.filter((permission) => granted.includes(permission)))
  return teamId === null
    ? { scope: 'organization', permissions: known }
    : { scope: 'teams', teams: new Map([[teamId, known]]) }
}

interface PersonRow {
  readonly user_id: string
  readonly organization_id: string
  readonly role: UserRole
  readonly name: string
  readonly team_roles: Readonly<Record<string, TeamUserRole>>
}

const personColumns = `
       m.user_id, m.organization_id, m.role,
       coalesce(nullif(btrim(m.first_name || ' ' || m.last_name), ''), u.email) AS name,
       (SELECT coalesce(json_object_agg(t.team_id, t.role), '{}')
          FROM team_members t
         WHERE t.organization_id = m.organization_id AND t.user_id = m.user_id) AS team_roles`

const selectPersonOfToken = `
SELECT k.token_hash, ${personColumns}
  FROM user_tokens k
  JOIN memberships m ON m.organization_id = k.organization_id AND m.user_id = k.user_id
  JOIN users u ON u.id = m.user_id
 WHERE k.token_hash = ANY($1::bytea[]) AND k.expires_at > now() AND m.deactivated_at IS NULL`

// Two rows are enough to see that the address alone does not tell the organization.
const selectPersonOfEmail = `
SELECT ${personColumns}
  FROM memberships m
  JOIN users u ON u.id = m.user_id
 WHERE u.email_key = lower($1::text COLLATE "C") AND ($2::text IS NULL OR m.organization_id = $2)
   AND m.deactivated_at IS NULL
 LIMIT 2`

function callerOfPerson(rows: readonly PersonRow[]): Caller | undefined {
  const [row] = rows
  if (row === undefined || rows.length > 1) return undefined
  const { user_id: id, name, organization_id: organizationId } = row
  return { kind: 'user', id, name, organizationId, reach: reachOfUser(row.role, row.team_roles) }
}
