import { Prisma } from '../../gen/prisma/client.js'
import type { MembershipModel } from '../../gen/prisma/models.js'
import type { Tables } from '../db/tables.js'
import type { MemberKey } from './member.js'
import { ofOrganization } from './visibility.js'

/** What lists of members show of a membership. */
export const namedMember = { firstName: true, lastName: true, email: true } as const

/** What a member is called; the name may be empty. */
export interface MemberName {
  readonly name: string
  readonly email: string
}

/** The name and the address in a list of members. */
export function nameOf({ firstName, lastName, email }: Pick<MembershipModel, keyof typeof namedMember>): MemberName {
  return { name: `${firstName} ${lastName}`.trim(), email }
}

/** The name of the membership with an alias. */
export function nameIn(alias: string): Prisma.Sql {
  return Prisma.raw(`btrim(${alias}.first_name || ' ' || ${alias}.last_name)`)
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
