import { Prisma } from '../../gen/prisma/client.js'
import type { PersonModel } from '../../gen/prisma/models.js'
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

const updateEmail = createStatement<PersonRow, Record<never, never>>({
  name: 'update_email_of_person',
  columns: {},
  text: ({ id, email, emailKey }) => Prisma.sql`
UPDATE users SET email = ${email}, email_key = ${emailKey} WHERE id = ${id}`,
})

/** The statements of this file. */
export const personStatements = [insert, firstMemberships, updateEmail]

/** Adds persons. */
export async function insertPersons(transaction: Tables, persons: readonly PersonRow[]): Promise<void> {
  await transaction.run(insert, {
    ids: persons.map(({ id }) => id),
    emails: persons.map(({ email }) => email),
    emailKeys: persons.map(({ emailKey }) => emailKey),
  })
}

/** How many memberships a person has: 0, 1, or 2 for several. */
export async function countMemberships(transaction: Tables, id: string): Promise<number> {
  return (await transaction.run(firstMemberships, { id })).length
}

/** Gives a person another address in every membership. The caller has locked both addresses. */
export async function updateEmailOfPerson(transaction: Tables, person: PersonRow): Promise<void> {
  await transaction.run(updateEmail, person)
}
