import { Prisma } from '../../gen/prisma/client.js'
import type { MembershipModel } from '../../gen/prisma/models.js'
import type { Tables } from '../db/tables.js'
import type { MemberKey } from './member.js'
import { isFound, q } from './pages.js'
import { ofOrganization } from './visibility.js'

export const namedMember = { firstName: true, lastName: true, email: true } as const

/** The name of a member, which may be empty. */
export interface MemberName {
  readonly name: string
  readonly email: string
}

export function nameOf({ firstName, lastName, email }: Pick<MembershipModel, keyof typeof namedMember>): MemberName {
  return { name: `${firstName} ${lastName}`.trim(), email }
}

export function nameIn(alias: string): Prisma.Sql {
  return Prisma.raw(`btrim(${alias}.first_name || ' ' || ${alias}.last_name)`)
}

/** The text of the membership with an alias in which `q` searches, by an index. */
export function searchedText(alias: string): Prisma.Sql {
  return Prisma.raw(`${alias}.email || ' ' || ${alias}.first_name || ' ' || ${alias}.last_name`)
}

/**
 * True without a search, or if it finds the member of a row with an alias and a `user_id`. The array makes PostgreSQL
 * search first: the planner would rather walk the list and split text after text into words until the page is full.
 */
export function isMemberFound(alias: string): Prisma.Sql {
  return Prisma.sql`(${q}::text IS NULL OR ${Prisma.raw(alias)}.user_id = ANY (ARRAY(
             SELECT u.user_id FROM memberships u WHERE ${ofOrganization('u')} AND ${isFound('u', searchedText('u'))})))`
}

/** How rows with an alias and a `user_id` show the name and the address of the member. */
export function namesIn(alias: string) {
  const of = (value: Prisma.Sql) => Prisma.sql`(SELECT ${value} FROM memberships u
    WHERE ${ofOrganization('u')} AND u.user_id = ${Prisma.raw(alias)}.user_id)`
  return {
    name: { kind: 'computed', sql: of(nameIn('u')) },
    email: { kind: 'computed', sql: of(Prisma.sql`u.email`) },
  } as const
}

/** The name and the address of a member. Throws if the organization has no such member. */
export async function readMemberName({ models }: Tables, { organizationId, userId }: MemberKey) {
  const where = { organizationId_userId: { organizationId, userId } }
  return nameOf(await models.membership.findUniqueOrThrow({ where, select: namedMember }))
}
