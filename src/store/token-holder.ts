import { Prisma } from '../../gen/prisma/client.js'
import type { TeamUserRole } from '../../gen/prisma/enums.js'
import type { ApiKeyModel, MembershipModel, UserTokenModel } from '../../gen/prisma/models.js'
import type { PreparedQueryable } from '../db/queryable.js'
import { createPreparedStatement, type Parameter, type Places, type PreparedStatement } from '../db/statement.js'
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

/** The organization of a token, by its hash. */
type OrganizationOfToken = Pick<UserTokenModel, 'tokenHash' | 'organizationId'>

/** Tokens of one organization. */
export interface OrganizationTokens {
  readonly organizationId: string
  readonly tokenHashes: readonly Uint8Array[]
}

/** Tokens of several organizations: that of each hash stands in its place. */
interface TokensOfSeveral {
  readonly organizationIds: readonly string[]
  readonly tokenHashes: readonly Uint8Array[]
}

type OfOrganization = (alias: string) => Prisma.Sql

/**
 * The rows of each of the tokens asked for. Planning takes several times as long as looking up, so the plan has to be one
 * that PostgreSQL keeps: how many tokens there are is hidden from the planner by the inner `SELECT`, else a plan for the
 * list at hand always seems cheaper than the kept one; and `OFFSET 0` has each looked up by itself, never all rows read to
 * be joined.
 */
function ofEachToken(asked: Prisma.Sql, rows: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`
SELECT found.* FROM ${asked} CROSS JOIN LATERAL (${rows} AND token.token_hash = asked.token_hash OFFSET 0) AS found`
}

const ofOne = (tokenHashes: Parameter) => Prisma.sql`unnest((SELECT ${tokenHashes}::bytea[])) AS asked (token_hash)`

const ofSeveral = ({ organizationIds, tokenHashes }: Places<TokensOfSeveral>) => Prisma.sql`
unnest((SELECT ${organizationIds}::text[]), (SELECT ${tokenHashes}::bytea[])) AS asked (organization_id, token_hash)`

const ofAsked: OfOrganization = (alias) => Prisma.sql`${Prisma.raw(alias)}.organization_id = asked.organization_id`

const foundColumns = { tokenHash: 'bytea', isExpired: 'bool' } as const
const found = Prisma.sql`token.token_hash AS "tokenHash", token.expires_at <= now() AS "isExpired"`

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

// A management key has no tokens; it gets none here either, however one came to exist.
const keyOfToken = (isOfOrganization: OfOrganization) => Prisma.sql`
SELECT ${found}, k.id, k.organization_id AS "organizationId",
       k.team_id AS "teamId", k.kind, k.name, k.permissions, ${useIsDue} AS "useIsDue"
  FROM api_key_sessions token
  JOIN api_keys k ON ${isOfOrganization('k')} AND k.id = token.api_key_id
 WHERE ${isOfOrganization('token')} AND k.revoked_at IS NULL AND k.kind <> 'mk'`

const selectKey = createPreparedStatement<OrganizationTokens, TokenKey & FoundToken>({
  name: 'select_key_of_token',
  reason: 'set',
  columns: keyColumns,
  text: ({ tokenHashes }) => ofEachToken(ofOne(tokenHashes), keyOfToken(ofOrganization)),
})

const selectKeysOfSeveral = createPreparedStatement<TokensOfSeveral, TokenKey & FoundToken>({
  name: 'select_keys_of_several',
  reason: 'set',
  columns: keyColumns,
  text: (tokens) => ofEachToken(ofSeveral(tokens), keyOfToken(ofAsked)),
})

const memberColumns = {
  userId: 'text',
  organizationId: 'text',
  role: 'enum user_role',
  name: 'text',
  teamRoles: 'json',
} as const

/** A member; `isOfOrganization` holds a table to the organization, by the name that the statement gives it. */
const memberRow = (isOfOrganization: OfOrganization) => Prisma.sql`
       m.user_id AS "userId", m.organization_id AS "organizationId", m.role,
       coalesce(nullif(btrim(m.first_name || ' ' || m.last_name), ''), u.email) AS name,
       (SELECT coalesce(json_object_agg(t.team_id, t.role), '{}')
          FROM team_members t
         WHERE ${isOfOrganization('t')} AND t.user_id = m.user_id) AS "teamRoles"`

const memberOfToken = (isOfOrganization: OfOrganization) => Prisma.sql`
SELECT ${found}, ${memberRow(isOfOrganization)}
  FROM user_tokens token
  JOIN memberships m ON ${isOfOrganization('m')} AND m.user_id = token.user_id
  JOIN users u ON u.id = m.user_id
 WHERE ${isOfOrganization('token')} AND m.deactivated_at IS NULL`

const selectMember = createPreparedStatement<OrganizationTokens, TokenMember & FoundToken>({
  name: 'select_member_of_token',
  reason: 'set',
  columns: { ...foundColumns, ...memberColumns },
  text: ({ tokenHashes }) => ofEachToken(ofOne(tokenHashes), memberOfToken(ofOrganization)),
})

const selectMembersOfSeveral = createPreparedStatement<TokensOfSeveral, TokenMember & FoundToken>({
  name: 'select_members_of_several',
  reason: 'set',
  columns: { ...foundColumns, ...memberColumns },
  text: (tokens) => ofEachToken(ofSeveral(tokens), memberOfToken(ofAsked)),
})

/** Of all organizations, for tokens that do not name theirs: those from before tokens did, until they have expired. */
const selectOrganizations = createPreparedStatement<Pick<OrganizationTokens, 'tokenHashes'>, OrganizationOfToken>({
  name: 'organizations_of_tokens',
  reason: 'set',
  columns: { tokenHash: 'bytea', organizationId: 'text' },
  text: ({ tokenHashes }) => {
    const of = (table: string) => Prisma.sql`
SELECT token_hash AS "tokenHash", organization_id AS "organizationId"
  FROM ${Prisma.raw(table)} WHERE token_hash = ANY ((SELECT ${tokenHashes}::bytea[])::bytea[])`
    return Prisma.sql`${of('api_key_sessions')} UNION ALL ${of('user_tokens')}`
  },
})

/** Whether tables are distributed over the nodes of a cluster of Citus. */
const selectDistribution = createPreparedStatement<object, { readonly isDistributed: boolean }>({
  name: 'select_distribution',
  reason: 'set',
  columns: { isDistributed: 'bool' },
  text: () => Prisma.sql`SELECT to_regclass('pg_catalog.pg_dist_partition') IS NOT NULL AS "isDistributed"`,
})

interface EmailIdentity {
  readonly email: string
  readonly organizationId: string | null
}

const memberOfEmail = (email: Parameter, isOfOrganization: OfOrganization) => Prisma.sql`
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

const ofMember: OfOrganization = (alias) => Prisma.sql`${Prisma.raw(alias)}.organization_id = m.organization_id`

// Of any organization, the oldest membership: one that another organization makes later changes nothing. It goes by the
// ordinal, because an import sets the time of creation.
const selectOldestMemberByEmail = createPreparedStatement<Pick<EmailIdentity, 'email'>, TokenMember>({
  name: 'select_oldest_member_of_email',
  reason: 'keyset or recursion',
  columns: memberColumns,
  text: ({ email }) => memberOfEmail(email, ofMember),
})

/** The statements of this file. */
export const tokenHolderStatements = [
  ...[selectKey, selectKeysOfSeveral, selectMember, selectMembersOfSeveral],
  ...[selectOrganizations, selectDistribution, selectMemberByEmail, selectOldestMemberByEmail],
]

/** Finds the holders of tokens, each with the hash of its token. `isDistributed` is asked where that matters. */
export type FindHolders<Row> = (
  tables: PreparedQueryable,
  tokens: readonly OrganizationTokens[],
  isDistributed: () => Promise<boolean>,
) => Promise<Row[]>

/** The live keys that tokens were made of. */
export const selectKeysOfTokens = createFindHolders(selectKey, selectKeysOfSeveral)

/** The members, deactivated ones left out, whose tokens they are. */
export const selectMembersOfTokens = createFindHolders(selectMember, selectMembersOfSeveral)

function createFindHolders<Row>(
  ofOne: PreparedStatement<OrganizationTokens, Row>,
  ofSeveral: PreparedStatement<TokensOfSeveral, Row>,
): FindHolders<Row> {
  return async (tables, tokens, isDistributed) => {
    // One machine tells of several organizations at once; of several machines, each tells of its own alone.
    if (tokens.length < 2 || (await isDistributed())) {
      return (await Promise.all(tokens.map((some) => tables.run(ofOne, some)))).flat()
    }
    return tables.run(ofSeveral, {
      organizationIds: tokens.flatMap(({ organizationId, tokenHashes }) => tokenHashes.map(() => organizationId)),
      tokenHashes: tokens.flatMap(({ tokenHashes }) => tokenHashes),
    })
  }
}

/** The organizations of tokens, whoever holds them; each with the hash. Asks all of them. */
export function selectOrganizationsOfTokens(
  tables: PreparedQueryable,
  tokenHashes: readonly Uint8Array[],
): Promise<OrganizationOfToken[]> {
  return tables.run(selectOrganizations, { tokenHashes })
}

/** Whether tables are distributed over the nodes of a cluster. */
export async function isDistributed(tables: PreparedQueryable): Promise<boolean> {
  const [row] = await tables.run(selectDistribution, {})
  return row?.isDistributed === true
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
