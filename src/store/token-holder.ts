import { Prisma } from '../../gen/prisma/client.js'
import type { TeamUserRole } from '../../gen/prisma/enums.js'
import type { ApiKeyModel, MembershipModel } from '../../gen/prisma/models.js'
import type { PreparedQueryable } from '../db/queryable.js'
import { createPreparedStatement, type Parameter } from '../db/statement.js'
import { useIsDue } from './api-key.js'
import { ofOrganization } from './tenant.js'

/** A token by its hash, expired or not. */
interface FoundToken {
  readonly tokenHash: Uint8Array
  readonly isExpired: boolean
}

/** The key that a token was made of. */
export type TokenKey = Pick<ApiKeyModel, 'id' | 'organizationId' | 'teamId' | 'kind' | 'name' | 'permissions'> & {
  /** Its last use is so long ago that this one is to be written down. */
  readonly useIsDue: boolean
}

/** A member with the roles in the teams of the organization. */
export type TokenMember = Pick<MembershipModel, 'userId' | 'organizationId' | 'role'> & {
  readonly name: string
  readonly teamRoles: Readonly<Record<string, TeamUserRole>>
}

interface TokenHashes {
  readonly tokenHashes: readonly Uint8Array[]
}

/**
 * The rows of each of the hashes. Planning takes several times as long as looking up, so the plan has to be one that
 * PostgreSQL keeps: how many hashes there are is hidden from the planner by the inner `SELECT`, else a plan for the list at
 * hand always seems cheaper than the kept one; and `OFFSET 0` has each looked up by itself, never all rows read to be joined.
 */
function ofEachToken(tokenHashes: Parameter, rows: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`
SELECT found.* FROM unnest((SELECT ${tokenHashes}::bytea[])) AS asked (token_hash) CROSS JOIN LATERAL (${rows}
 OFFSET 0) AS found`
}

// A management key has no tokens; it gets none here either, however one came to exist.
const selectKey = createPreparedStatement<TokenHashes, TokenKey & FoundToken>({
  name: 'select_key_of_token',
  reason: 'set',
  columns: {
    tokenHash: 'bytea',
    isExpired: 'bool',
    id: 'text',
    organizationId: 'text',
    teamId: 'text',
    kind: 'enum api_key_kind',
    name: 'text',
    permissions: 'text[]',
    useIsDue: 'bool',
  },
  text: ({ tokenHashes }) =>
    ofEachToken(
      tokenHashes,
      Prisma.sql`
SELECT s.token_hash AS "tokenHash", s.expires_at <= now() AS "isExpired", k.id, k.organization_id AS "organizationId",
       k.team_id AS "teamId", k.kind, k.name, k.permissions, ${useIsDue} AS "useIsDue"
  FROM api_key_sessions s
  JOIN api_keys k ON k.organization_id = s.organization_id AND k.id = s.api_key_id
 WHERE s.token_hash = asked.token_hash AND k.revoked_at IS NULL AND k.kind <> 'mk'`,
    ),
})

const memberColumns = {
  userId: 'text',
  organizationId: 'text',
  role: 'enum user_role',
  name: 'text',
  teamRoles: 'json',
} as const

/** A member; `isOfOrganization` holds a table to the organization, by the name that the statement gives it. */
const memberRow = (isOfOrganization: (alias: string) => Prisma.Sql) => Prisma.sql`
       m.user_id AS "userId", m.organization_id AS "organizationId", m.role,
       coalesce(nullif(btrim(m.first_name || ' ' || m.last_name), ''), u.email) AS name,
       (SELECT coalesce(json_object_agg(t.team_id, t.role), '{}')
          FROM team_members t
         WHERE ${isOfOrganization('t')} AND t.user_id = m.user_id) AS "teamRoles"`

const ofMember = (alias: string) => Prisma.sql`${Prisma.raw(alias)}.organization_id = m.organization_id`

const selectMember = createPreparedStatement<TokenHashes, TokenMember & FoundToken>({
  name: 'select_member_of_token',
  reason: 'set',
  columns: { tokenHash: 'bytea', isExpired: 'bool', ...memberColumns },
  text: ({ tokenHashes }) =>
    ofEachToken(
      tokenHashes,
      Prisma.sql`
SELECT k.token_hash AS "tokenHash", k.expires_at <= now() AS "isExpired", ${memberRow(ofMember)}
  FROM user_tokens k
  JOIN memberships m ON m.organization_id = k.organization_id AND m.user_id = k.user_id
  JOIN users u ON u.id = m.user_id
 WHERE k.token_hash = asked.token_hash AND m.deactivated_at IS NULL`,
    ),
})

interface EmailIdentity {
  readonly email: string
  readonly organizationId: string | null
}

const memberOfEmail = (email: Parameter, isOfOrganization: (alias: string) => Prisma.Sql) => Prisma.sql`
SELECT ${memberRow(isOfOrganization)}
  FROM memberships m
  JOIN users u ON u.id = m.user_id
 WHERE ${isOfOrganization('m')} AND u.email_key = lower(${email}::text COLLATE "C") AND m.deactivated_at IS NULL
 ORDER BY m.ordinal
 LIMIT 1`

const selectMemberByEmail = createPreparedStatement<EmailIdentity, TokenMember>({
  name: 'select_member_of_email',
  reason: 'keyset or recursion',
  columns: memberColumns,
  text: ({ email }) => memberOfEmail(email, ofOrganization),
})

// Of any organization, the oldest membership: one that another organization makes later changes nothing. It goes by the
// ordinal, because an import sets the time of creation.
const selectOldestMemberByEmail = createPreparedStatement<Pick<EmailIdentity, 'email'>, TokenMember>({
  name: 'select_oldest_member_of_email',
  reason: 'keyset or recursion',
  columns: memberColumns,
  text: ({ email }) => memberOfEmail(email, ofMember),
})

/** The statements of this file. */
export const tokenHolderStatements = [selectKey, selectMember, selectMemberByEmail, selectOldestMemberByEmail]

/** The live keys that the tokens with these hashes were made of. */
export function selectKeysOfTokens(
  tables: PreparedQueryable,
  tokenHashes: readonly Uint8Array[],
): Promise<(TokenKey & FoundToken)[]> {
  return tables.run(selectKey, { tokenHashes })
}

/** The members, deactivated ones left out, whose tokens have these hashes. */
export function selectMembersOfTokens(
  tables: PreparedQueryable,
  tokenHashes: readonly Uint8Array[],
): Promise<(TokenMember & FoundToken)[]> {
  return tables.run(selectMember, { tokenHashes })
}

/** The member with the address in the organization, or where none is named in the oldest membership. */
export async function findMemberByEmail(
  tables: PreparedQueryable,
  { email, organizationId }: EmailIdentity,
): Promise<TokenMember | undefined> {
  const [member] =
    organizationId === null
      ? await tables.run(selectOldestMemberByEmail, { email })
      : await tables.run(selectMemberByEmail, { email, organizationId })
  return member
}
