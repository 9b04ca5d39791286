import { Prisma } from '../../gen/prisma/client.js'
import type { MembershipModel } from '../../gen/prisma/models.js'
import type { AnyTransaction, PreparedQueryable, Queryable } from '../db/queryable.js'
import { createPreparedStatement } from '../db/statement.js'
import {
  changingFields,
  listOf,
  type MemberRow,
  type MembershipRow,
  membershipColumns,
  membershipFields,
} from './member-row.js'

interface Members {
  readonly organizationId: string
  readonly userIds: readonly string[]
}

const memberColumns = Prisma.sql`${listOf(membershipFields, ({ name, column }) => `m.${column} AS "${name}"`)}, u.email`

const lock = createPreparedStatement<Members, MemberRow>({
  name: 'lock_members',
  reason: 'lock',
  columns: { ...membershipColumns, email: 'text' },
  text: ({ organizationId, userIds }) => Prisma.sql`
SELECT ${memberColumns}
  FROM memberships m
  JOIN users u ON u.id = m.user_id
 WHERE m.organization_id = ${organizationId} AND m.user_id = ANY (${userIds})
 ORDER BY m.user_id
   FOR NO KEY UPDATE OF m FOR KEY SHARE OF u`,
})

const find = createPreparedStatement<{ readonly organizationId: string; readonly userId: string }, MemberRow>({
  name: 'find_member',
  reason: 'keyset or recursion',
  columns: { ...membershipColumns, email: 'text' },
  text: ({ organizationId, userId }) => Prisma.sql`
SELECT ${memberColumns}
  FROM memberships m
  JOIN users u ON u.id = m.user_id
 WHERE m.organization_id = ${organizationId} AND m.user_id = ${userId}`,
})

/** A member who has an email address. */
export type EmailHolderRow = Pick<MembershipModel, 'emailKey' | 'userId'> & { readonly name: string }

const findEmails = createPreparedStatement<
  { readonly organizationId: string; readonly emailKeys: readonly string[] },
  EmailHolderRow
>({
  name: 'find_email_holders',
  reason: 'set',
  columns: { emailKey: 'text', userId: 'text', name: 'text' },
  text: ({ organizationId, emailKeys }) => Prisma.sql`
SELECT email_key AS "emailKey", user_id AS "userId", trim(first_name || ' ' || last_name) AS name
  FROM memberships WHERE organization_id = ${organizationId} AND email_key = ANY (${emailKeys})`,
})

/** A member who has a phone number. */
export interface PhoneHolderRow {
  readonly userId: string
  readonly primaryPhone: string
}

const findPhones = createPreparedStatement<
  { readonly organizationId: string; readonly phones: readonly string[] },
  PhoneHolderRow
>({
  name: 'find_phone_holders',
  reason: 'set',
  columns: { userId: 'text', primaryPhone: 'text' },
  text: ({ organizationId, phones }) => Prisma.sql`
SELECT user_id AS "userId", primary_phone AS "primaryPhone"
  FROM memberships WHERE organization_id = ${organizationId} AND primary_phone = ANY (${phones})`,
})

/** Memberships of one organization; `records` is their JSON. */
interface WrittenMembers {
  readonly organizationId: string
  readonly records: string
}

const recordType = listOf(membershipFields, ({ name, type }) => `"${name}" ${type}`)

const update = createPreparedStatement<WrittenMembers, Record<never, never>>({
  name: 'update_members',
  reason: 'set',
  columns: {},
  text: ({ organizationId, records }) => Prisma.sql`
UPDATE memberships m
   SET ${listOf(changingFields, ({ name, column }) => `${column} = r."${name}"`)}
  FROM json_to_recordset(${records}) AS r (${recordType})
 WHERE m.organization_id = ${organizationId} AND m.user_id = r."userId"`,
})

const insert = createPreparedStatement<WrittenMembers, Record<never, never>>({
  name: 'insert_members',
  reason: 'set',
  columns: {},
  text: ({ organizationId, records }) => Prisma.sql`
INSERT INTO memberships (organization_id, email_key, ${listOf(membershipFields, ({ column }) => column)})
SELECT ${organizationId}, u.email_key, ${listOf(membershipFields, ({ name }) => `r."${name}"`)}
  FROM ROWS FROM (json_to_recordset(${records}) AS (${recordType}))
       WITH ORDINALITY AS r (${listOf(membershipFields, ({ name }) => `"${name}"`)}, place)
  JOIN users u ON u.id = r."userId"
 ORDER BY r.place`,
})

/** The statements of this file. */
export const membershipStatements = [lock, find, findEmails, findPhones, update, insert]

/** Whether the person is a member of the organization who is not deactivated. */
export async function hasActiveMember(tables: Queryable, organizationId: string, userId: string): Promise<boolean> {
  const where = { organizationId_userId: { organizationId, userId }, deactivatedAt: null }
  return (await tables.models.membership.findUnique({ where, select: { userId: true } })) !== null
}

/** A member of the organization. */
export async function findMembership(
  tables: PreparedQueryable,
  organizationId: string,
  userId: string,
): Promise<MemberRow | undefined> {
  const [member] = await tables.run(find, { organizationId, userId })
  return member
}

/** Reads members in the order of their ids, and locks them and the keys of their persons until the transaction ends. */
export function lockMemberships(
  transaction: AnyTransaction,
  organizationId: string,
  userIds: readonly string[],
): Promise<MemberRow[]> {
  return transaction.run(lock, { organizationId, userIds })
}

/** The members of the organization with these addresses, by their keys. */
export function selectEmailHolders(
  tables: PreparedQueryable,
  organizationId: string,
  emailKeys: readonly string[],
): Promise<EmailHolderRow[]> {
  return tables.run(findEmails, { organizationId, emailKeys })
}

/** The members of the organization with these numbers. */
export function selectPhoneHolders(
  tables: PreparedQueryable,
  organizationId: string,
  phones: readonly string[],
): Promise<PhoneHolderRow[]> {
  return tables.run(findPhones, { organizationId, phones })
}

/** Writes members, in one statement; the times of their creation stay. */
export async function updateMemberships(
  transaction: AnyTransaction,
  organizationId: string,
  members: readonly MembershipRow[],
): Promise<void> {
  await transaction.run(update, { organizationId, records: JSON.stringify(members) })
}

/** Adds persons to the organization in the order given. */
export async function insertMemberships(
  transaction: AnyTransaction,
  organizationId: string,
  members: readonly MembershipRow[],
): Promise<void> {
  await transaction.run(insert, { organizationId, records: JSON.stringify(members) })
}
