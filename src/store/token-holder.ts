import { Prisma } from '../../gen/prisma/client.js'
import type { ApiKeyModel, MembershipModel, TeamMemberModel, UserTokenModel } from '../../gen/prisma/models.js'
import { schema } from '../../gen/prisma/schema.js'
import type { Parameter } from '../db/statement.js'
import { createQuery, type Tables } from '../db/tables.js'
import { propertiesIn } from './resource/resource.js'
import { unendedAt } from './team-member.js'
import { ofOrganization } from './visibility.js'

interface FoundToken {
  readonly tokenHash: UserTokenModel['tokenHash']
  readonly isExpired: boolean
  /** When the token expires, or the key for which it was issued, if that is before. */
  readonly expiresAt: Date
}

/** The key for which a token was issued. */
export type TokenKey = Pick<ApiKeyModel, (typeof shownOfKey)[number]> &
  FoundToken & { readonly keyExpiresAt: Date | null }

/** A role in a team. In rows of a statement, its end is RFC 3339. */
export type AssignedRole = Pick<TeamMemberModel, 'teamId' | 'role'> & { readonly expiresAt: Date | string | null }

/** A member with the roles in the teams of the organization that have not ended. */
export type TokenMember = Pick<FoundToken, 'expiresAt'> &
  Pick<MembershipModel, 'userId' | 'organizationId' | 'role'> & {
    readonly name: string
    readonly teamRoles: readonly AssignedRole[]
  }

export interface OrganizationTokens {
  readonly organizationId: string
  readonly tokenHashes: readonly UserTokenModel['tokenHash'][]
}

/** Finds the holders of tokens of an organization, each with the hash of its token. */
export type FindHolders<Row> = (tables: Tables, tokens: OrganizationTokens) => Promise<Row[]>

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

const foundColumns = { tokenHash: 'bytea', isExpired: 'bool', expiresAt: 'timestamptz' } as const
const found = (expiresAt: Prisma.Sql) =>
  Prisma.sql`token.token_hash AS "tokenHash", ${expiresAt} <= now() AS "isExpired", ${expiresAt} AS "expiresAt"`

const shownOfKey = ['id', 'organizationId', 'teamId', 'kind', 'name', 'permissions', 'lastUsedAt'] as const
const ofKey = propertiesIn(schema.ApiKey, shownOfKey, 'k')

// A management key has no tokens; it gets none here either, even if one came to exist.
const keyOfToken = Prisma.sql`
SELECT ${found(Prisma.sql`least(token.expires_at, k.expires_at)`)}, ${ofKey.sql}, k.expires_at AS "keyExpiresAt"
  FROM api_key_sessions token
  JOIN api_keys k ON ${ofOrganization('k')} AND k.id = token.api_key_id
 WHERE ${ofOrganization('token')} AND k.revoked_at IS NULL AND k.kind <> 'mk'`

export const selectKeysOfTokens = createQuery<OrganizationTokens, TokenKey>({
  name: 'select_key_of_token',
  columns: { ...foundColumns, ...ofKey.types, keyExpiresAt: 'timestamptz' },
  text: ({ tokenHashes }) => ofEachToken(tokenHashes, keyOfToken),
})

const ofMember = propertiesIn(schema.Membership, ['userId', 'organizationId', 'role'], 'm')

const memberOfToken = Prisma.sql`
SELECT ${found(Prisma.sql`token.expires_at`)}, ${ofMember.sql},
       coalesce(nullif(btrim(m.first_name || ' ' || m.last_name), ''), m.email) AS name,
       (SELECT coalesce(json_agg(json_build_object('teamId', t.team_id, 'role', t.role, 'expiresAt', t.expires_at)), '[]')
          FROM team_members t
         WHERE ${ofOrganization('t')} AND t.user_id = m.user_id
           AND (t.expires_at IS NULL OR t.expires_at > now())) AS "teamRoles"
  FROM user_tokens token
  JOIN memberships m ON ${ofOrganization('m')} AND m.user_id = token.user_id
 WHERE ${ofOrganization('token')} AND m.deactivated_at IS NULL`

export const selectMembersOfTokens = createQuery<OrganizationTokens, TokenMember & FoundToken>({
  name: 'select_member_of_token',
  columns: { ...foundColumns, ...ofMember.types, name: 'text', teamRoles: 'json' },
  text: ({ tokenHashes }) => ofEachToken(tokenHashes, memberOfToken),
})

/**
 * The management keys with the given secrets, which are their tokens, of an organization or of all. Includes expired
 * keys, but not revoked ones.
 */
export async function findManagementKeys(
  { models }: Tables,
  { tokenHashes, ...ofOrganization }: Partial<OrganizationTokens> & Pick<OrganizationTokens, 'tokenHashes'>,
) {
  const keys = await models.apiKey.findMany({
    where: { ...ofOrganization, secretHash: { in: [...tokenHashes] }, kind: 'mk', revokedAt: null },
    select: { id: true, organizationId: true, name: true, lastUsedAt: true, expiresAt: true, secretHash: true },
  })
  return keys.map(({ secretHash, ...key }) => ({ ...key, tokenHash: secretHash }))
}

/** The members with an address in an organization, or in all of them. */
export async function findMembersOfEmail(
  { models }: Tables,
  { now, ...where }: { readonly emailKey: string; readonly organizationId?: string; readonly now: Date },
) {
  const members = await models.membership.findMany({
    where,
    select: {
      userId: true,
      organizationId: true,
      role: true,
      firstName: true,
      lastName: true,
      deactivatedAt: true,
      sessionsEndedAt: true,
      email: true,
      teamRoles: { where: unendedAt(now), select: { teamId: true, role: true, expiresAt: true } },
    },
  })
  return members.map(({ firstName, lastName, deactivatedAt, email, ...member }) => ({
    ...member,
    name: `${firstName} ${lastName}`.trim() || email,
    isActive: deactivatedAt === null,
  }))
}
