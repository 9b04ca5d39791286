import { Prisma } from '../../gen/prisma/client.js'
import type { MembershipModel, PersonModel } from '../../gen/prisma/models.js'
import { createStatement } from '../db/statement.js'
import type { Tables } from '../db/tables.js'

/** A person, independent of organizations. */
export type PersonRow = Readonly<PersonModel>

interface NewPersons {
  readonly ids: readonly string[]
  readonly emails: readonly string[]
  readonly emailKeys: readonly string[]
}

const insert = createStatement<NewPersons, Record<never, never>>({
  name: 'insert_persons',
  columns: {},
  text: ({ ids, emails, emailKeys }) => Prisma.sql`
INSERT INTO users (id, email, email_key)
SELECT * FROM unnest(${ids}::text[], ${emails}::text[], ${emailKeys}::text[])`,
})

interface PersonId {
  readonly id: string
}

/** Of all organizations. */
const firstMemberships = createStatement<PersonId, { readonly organizationId: string }>({
  name: 'first_memberships_of_person',
  columns: { organizationId: 'text' },
  text: ({ id }) =>
    Prisma.sql`SELECT organization_id AS "organizationId" FROM memberships WHERE user_id = ${id} LIMIT 2`,
})

const findKeys = createStatement<
  { readonly organizationId: string; readonly userIds: readonly string[] },
  Pick<MembershipModel, 'emailKey'>
>({
  name: 'find_email_keys',
  columns: { emailKey: 'text' },
  text: ({ organizationId, userIds }) => Prisma.sql`
SELECT email_key AS "emailKey" FROM memberships WHERE organization_id = ${organizationId} AND user_id = ANY (${userIds})`,
})

const updateEmail = createStatement<PersonRow, Record<never, never>>({
  name: 'update_email_of_person',
  columns: {},
  text: ({ id, email, emailKey }) => Prisma.sql`
UPDATE users SET email = ${email}, email_key = ${emailKey} WHERE id = ${id}`,
})

/** The statements of this file. */
export const personStatements = [insert, firstMemberships, findKeys, updateEmail]

/** Adds persons. */
export async function insertPersons(transaction: Tables, persons: readonly PersonRow[]): Promise<void> {
  if (persons.length === 0) return
  await transaction.run(insert, {
    ids: persons.map(({ id }) => id),
    emails: persons.map(({ email }) => email),
    emailKeys: persons.map(({ emailKey }) => emailKey),
  })
}

/** Whether a person belongs to more than one organization. */
export async function isInSeveralOrganizations(transaction: Tables, id: string): Promise<boolean> {
  return (await transaction.run(firstMemberships, { id })).length > 1
}

/** The keys of the addresses that members of the organization currently have. */
export async function findEmailKeys(
  tables: Tables,
  organizationId: string,
  userIds: readonly string[],
): Promise<string[]> {
  if (userIds.length === 0) return []
  return (await tables.run(findKeys, { organizationId, userIds })).map(({ emailKey }) => emailKey)
}

/** Gives a person another address in every membership. The caller has locked both addresses. */
export async function updateEmailOfPerson(transaction: Tables, person: PersonRow): Promise<void> {
  await transaction.run(updateEmail, person)
}
