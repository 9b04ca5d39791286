import { Prisma } from '../../gen/prisma/client.js'
import type { PersonModel } from '../../gen/prisma/models.js'
import type { AnyTransaction } from '../db/queryable.js'
import { createPreparedStatement } from '../db/statement.js'

/** A person, whatever organizations the person is in. */
export type PersonRow = Readonly<PersonModel>

interface EmailKeys {
  readonly emailKeys: readonly string[]
}

const lockPersons = createPreparedStatement<EmailKeys, PersonModel>({
  name: 'lock_persons_by_email',
  reason: 'lock',
  columns: { id: 'text', email: 'text', emailKey: 'text' },
  text: ({ emailKeys }) => Prisma.sql`
SELECT id, email, email_key AS "emailKey" FROM users WHERE email_key = ANY (${emailKeys}) ORDER BY id FOR KEY SHARE`,
})

interface NewPersons extends EmailKeys {
  readonly ids: readonly string[]
  readonly emails: readonly string[]
}

const insert = createPreparedStatement<NewPersons, Record<never, never>>({
  name: 'insert_persons',
  reason: 'set',
  columns: {},
  text: ({ ids, emails, emailKeys }) => Prisma.sql`
INSERT INTO users (id, email, email_key)
SELECT * FROM unnest(${ids}::text[], ${emails}::text[], ${emailKeys}::text[])`,
})

interface PersonId {
  readonly id: string
}

const lock = createPreparedStatement<PersonId, Record<never, never>>({
  name: 'lock_person',
  reason: 'lock',
  columns: {},
  text: ({ id }) => Prisma.sql`SELECT FROM users WHERE id = ${id} FOR UPDATE`,
})

/** A statement of its own, so that it sees what was added while the lock was waited for. */
const firstMemberships = createPreparedStatement<PersonId, Record<never, never>>({
  name: 'first_memberships_of_person',
  reason: 'lock',
  columns: {},
  text: ({ id }) => Prisma.sql`SELECT FROM memberships WHERE user_id = ${id} LIMIT 2`,
})

const updateEmail = createPreparedStatement<PersonRow, Record<never, never>>({
  name: 'update_email_of_person',
  reason: 'lock',
  columns: {},
  text: ({ id, email, emailKey }) => Prisma.sql`
UPDATE users SET email = ${email}, email_key = ${emailKey} WHERE id = ${id}`,
})

/** The statements of this file. */
export const personStatements = [lockPersons, insert, lock, firstMemberships, updateEmail]

/** The persons with these addresses in the order of their ids; none of them changes the address until the transaction ends. */
export function lockPersonsByEmail(transaction: AnyTransaction, emailKeys: readonly string[]): Promise<PersonRow[]> {
  return transaction.run(lockPersons, { emailKeys })
}

/** Adds persons. */
export async function insertPersons(transaction: AnyTransaction, persons: readonly PersonRow[]): Promise<void> {
  await transaction.run(insert, {
    ids: persons.map(({ id }) => id),
    emails: persons.map(({ email }) => email),
    emailKeys: persons.map(({ emailKey }) => emailKey),
  })
}

/** Locks a person until the transaction ends, and tells how many memberships it has: none, one, or two for several. */
export async function countMembershipsOfLocked(transaction: AnyTransaction, id: string): Promise<number> {
  await transaction.run(lock, { id })
  return (await transaction.run(firstMemberships, { id })).length
}

/** Gives a locked person another address, in every membership. */
export async function updateEmailOfPerson(transaction: AnyTransaction, person: PersonRow): Promise<void> {
  await transaction.run(updateEmail, person)
}
