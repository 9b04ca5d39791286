import { Prisma } from '../../gen/prisma/client.js'
import type { TeamUserRole } from '../../gen/prisma/enums.js'
import type { ApiKeyModel, MembershipModel, UserTokenModel } from '../../gen/prisma/models.js'
import { createStatement, type Parameter } from '../db/statement.js'
import type { Tables } from '../db/tables.js'
import { useIsDue } from './api-key.js'
import { ofOrganization } from './tenant.js'

/** A token by its hash, expired or not. */
interface FoundToken {
  readonly tokenHash: Uint8Array
  readonly isExpired: boolean
}

/** The key for which a token was issued. */
export type TokenKey = Pick<ApiKeyModel, 'id' | 'organizationId' | 'teamId' | 'kind' | 'name' | 'permissions'> & {
  /** True if its last recorded use is so old that this one must be recorded. */
  readonly useIsDue: boolean
}

/** A member with the roles in the teams of the organization. */
export type TokenMember = Pick<MembershipModel, 'userId' | 'organizationId' | 'role'> & {
  readonly name: string
  readonly teamRoles: Readonly<Record<string, TeamUserRole>>
}

/** The organization of a token, by its hash. */
type OrganizationOfToken = Pick<UserTokenModel, 'tokenHash' | 'organizationId'>

/** Tokens of one organization. */
export interface OrganizationTokens {
  readonly organizationId: string
  readonly tokenHashes: readonly Uint8Array[]
}

type OfOrganization = (alias: string) => Prisma.Sql

/**
 * The rows of each of the given tokens. Planning takes several times as long as the look-up, so PostgreSQL must be able
 * to keep the plan: the inner `SELECT` hides the number of tokens from the planner, otherwise a plan for the list at
 * hand always seems cheaper than the kept one; and `OFFSET 0` makes it look up each token by itself instead of reading
 * all rows for a join.
 */
function ofEachToken(tokenHashes: Parameter, rows: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`
SELECT found.* FROM unnest((SELECT ${tokenHashes}::bytea[])) AS asked (token_hash)
 CROSS JOIN LATERAL (${rows} AND token.token_hash = asked.token_hash OFFSET 0) AS found`
}

const foundColumns = { tokenHash: 'bytea', isExpired: 'bool' } as const
const found = (expiresAt: Prisma.Sql) =>
  Prisma.sql`token.token_hash AS "tokenHash", ${expiresAt} <= now() AS "isExpired"`

const keyColumns = {
  ...foundColumns,
  id: 'text',
  organizationId: 'text',
  teamId: 'text',
  kind: 'enum api_key_kind',
  name: 'text',
  permissions: 'text[]',
  useIsDue: 'bool',
} as const

// A management key has no tokens; it gets none here either, even if one came to exist.
const keyOfToken = Prisma.sql`
SELECT ${found(Prisma.sql`least(token.expires_at, k.expires_at)`)}, k.id, k.organization_id AS "organizationId",
       k.team_id AS "teamId", k.kind, k.name, k.permissions, ${useIsDue} AS "useIsDue"
  FROM api_key_sessions token
  JOIN api_keys k ON ${ofOrganization('k')} AND k.id = token.api_key_id
 WHERE ${ofOrganization('token')} AND k.revoked_at IS NULL AND k.kind <> 'mk'`

const selectKey = createStatement<OrganizationTokens, TokenKey & FoundToken>({
  name: 'select_key_of_token',
  columns: keyColumns,
  text: ({ tokenHashes }) => ofEachToken(tokenHashes, keyOfToken),
})

const memberColumns = {
  userId: 'text',
  organizationId: 'text',
  role: 'enum user_role',
  name: 'text',
  teamRoles: 'json',
} as const

/** A member; `isOfOrganization` restricts a table, by its alias in the statement, to the organization. */
const memberRow = (isOfOrganization: OfOrganization) => Prisma.sql`
       m.user_id AS "userId", m.organization_id AS "organizationId", m.role,
       coalesce(nullif(btrim(m.first_name || ' ' || m.last_name), ''), u.email) AS name,
       (SELECT coalesce(json_object_agg(t.team_id, t.role), '{}')
          FROM team_members t
         WHERE ${isOfOrganization('t')} AND t.user_id = m.user_id) AS "teamRoles"`

const memberOfToken = Prisma.sql`
SELECT ${found(Prisma.sql`token.expires_at`)}, ${memberRow(ofOrganization)}
  FROM user_tokens token
  JOIN memberships m ON ${ofOrganization('m')} AND m.user_id = token.user_id
  JOIN users u ON u.id = m.user_id
 WHERE ${ofOrganization('token')} AND m.deactivated_at IS NULL`

const selectMember = createStatement<OrganizationTokens, TokenMember & FoundToken>({
  name: 'select_member_of_token',
  columns: { ...foundColumns, ...memberColumns },
  text: ({ tokenHashes }) => ofEachToken(tokenHashes, memberOfToken),
})

/**
 * Of all organizations, for old tokens that do not name theirs, until they have expired, and for the secrets of
 * management keys, which are bearer tokens as well.
 */
const selectOrganizations = createStatement<Pick<OrganizationTokens, 'tokenHashes'>, OrganizationOfToken>({
  name: 'organizations_of_tokens',
  columns: { tokenHash: 'bytea', organizationId: 'text' },
  text: ({ tokenHashes }) => {
    const of = (table: string) => Prisma.sql`
SELECT token_hash AS "tokenHash", organization_id AS "organizationId"
  FROM ${Prisma.raw(table)} WHERE token_hash = ANY ((SELECT ${tokenHashes}::bytea[])::bytea[])`
    return Prisma.sql`${of('api_key_sessions')} UNION ALL ${of('user_tokens')} UNION ALL
SELECT secret_hash, organization_id
  FROM api_keys WHERE secret_hash = ANY ((SELECT ${tokenHashes}::bytea[])::bytea[]) AND kind = 'mk'`
  },
})

/** An address, and the organization in which it is looked up; undefined means all. */
interface EmailIdentity {
  readonly email: string
  readonly organizationId: string | undefined
}

/** A member found by address. */
export type MemberOfEmail = TokenMember & { readonly isActive: boolean }

const memberOfEmailColumns = { ...memberColumns, isActive: 'bool' } as const

// Each person's oldest active membership with the address, ordered by the ordinal, because an import sets the time of
// creation. Two persons are enough to know that there are several.
const membersOfEmail = (email: Parameter, isOfOrganization: OfOrganization) => Prisma.sql`
SELECT DISTINCT ON (m.user_id) ${memberRow(isOfOrganization)}, m.deactivated_at IS NULL AS "isActive"
  FROM memberships m
  JOIN users u ON u.id = m.user_id
 WHERE ${isOfOrganization('m')} AND u.email_key = lower(${email}::text COLLATE "C")
 ORDER BY m.user_id, m.deactivated_at IS NOT NULL, m.ordinal
 LIMIT 2`

const selectMemberOfEmail = createStatement<EmailIdentity & { organizationId: string }, MemberOfEmail>({
  name: 'select_member_of_email',
  columns: memberOfEmailColumns,
  text: ({ email }) => membersOfEmail(email, ofOrganization),
})

const ofMember: OfOrganization = (alias) => Prisma.sql`${Prisma.raw(alias)}.organization_id = m.organization_id`

const selectPersonsOfEmail = createStatement<Pick<EmailIdentity, 'email'>, MemberOfEmail>({
  name: 'select_persons_of_email',
  columns: memberOfEmailColumns,
  text: ({ email }) => membersOfEmail(email, ofMember),
})

/** The statements of this file. */
export const tokenHolderStatements = [
  selectKey,
  selectMember,
  selectOrganizations,
  selectMemberOfEmail,
  selectPersonsOfEmail,
]

/** Finds the holders of tokens of an organization, each with the hash of its token. */
export type FindHolders<Row> = (tables: Tables, tokens: OrganizationTokens) => Promise<Row[]>

/** The live keys for which tokens were issued. */
export const selectKeysOfTokens: FindHolders<TokenKey & FoundToken> = (tables, tokens) => tables.run(selectKey, tokens)

/** The members who hold the tokens, except deactivated ones. */
export const selectMembersOfTokens: FindHolders<TokenMember & FoundToken> = (tables, tokens) =>
  tables.run(selectMember, tokens)

/** The organizations of tokens, whoever holds them, each with the hash. Searches all organizations. */
export function selectOrganizationsOfTokens(
  tables: Tables,
  tokenHashes: readonly Uint8Array[],
): Promise<OrganizationOfToken[]> {
  return tables.run(selectOrganizations, { tokenHashes })
}

/**
 * The member with the address in the organization; in all organizations, the oldest active membership of each person
 * who has it, or one that is not active, and of two persons at most.
 */
export function selectMembersOfEmail(
  tables: Tables,
  { email, organizationId }: EmailIdentity,
): Promise<MemberOfEmail[]> {
  return organizationId === undefined
    ? tables.run(selectPersonsOfEmail, { email })
    : tables.run(selectMemberOfEmail, { email, organizationId })
}
