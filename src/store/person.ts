import { Prisma } from '../../gen/prisma/client.js'
import type { UserModel } from '../../gen/prisma/models.js'
import type { AnyTransaction } from '../db/queryable.js'
import { createPreparedStatement } from '../db/statement.js'

/** First half of the key of the advisory locks on email addresses; the second half is a hash. */
const EMAIL_LOCK = Prisma.raw(String(0x656d6c))
/** Hashes are folded to this many locks, so that a large call cannot fill the server's lock table. */
const EMAIL_LOCKS = Prisma.raw(String(256))

/** A person by the key of the address. */
export type PersonRow = Pick<UserModel, 'id' | 'emailKey'>

interface EmailKeys {
  readonly emailKeys: readonly string[]
}

const lockEmails = createPreparedStatement<EmailKeys, Record<never, never>>({
  name: 'lock_email_addresses',
  reason: 'lock',
  columns: {},
  text: ({ emailKeys }) => Prisma.sql`
SELECT FROM (
    SELECT DISTINCT abs(hashtext(key) % ${EMAIL_LOCKS}) AS bucket FROM unnest(${emailKeys}::text[]) AS key ORDER BY 1
  ) buckets
 WHERE pg_advisory_xact_lock(${EMAIL_LOCK}, bucket) IS NOT NULL`,
})

const lockPersons = createPreparedStatement<EmailKeys, PersonRow>({
  name: 'lock_persons_by_email',
  reason: 'lock',
  columns: { id: 'text', emailKey: 'text' },
  text: ({ emailKeys }) => Prisma.sql`
SELECT id, email_key AS "emailKey" FROM users WHERE email_key = ANY (${emailKeys}) ORDER BY id FOR KEY SHARE`,
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

const updateEmail = createPreparedStatement<UserModel, Record<never, never>>({
  name: 'update_email_of_person',
  reason: 'lock',
  columns: {},
  text: ({ id, email, emailKey }) => Prisma.sql`
UPDATE users SET email = ${email}, email_key = ${emailKey} WHERE id = ${id}`,
})

/** The statements of this file. */
export const personStatements = [lockEmails, lockPersons, insert, lock, firstMemberships, updateEmail]

/**
 * Lets no other transaction of any organization give these addresses to persons until this one ends: an address is
 * unique in an organization only, so no constraint keeps one person from being made twice. Locks are taken in one order
 * everywhere, so that writers do not wait in a circle: source, managers, addresses, members, phone numbers.
 */
export async function lockEmailAddresses(transaction: AnyTransaction, emailKeys: readonly string[]): Promise<void> {
  await transaction.run(lockEmails, { emailKeys })
}

/** The persons with these addresses in the order of their ids; none of them changes the address until the transaction ends. */
export function lockPersonsByEmail(transaction: AnyTransaction, emailKeys: readonly string[]): Promise<PersonRow[]> {
  return transaction.run(lockPersons, { emailKeys })
}

/** Adds persons. */
export async function insertPersons(transaction: AnyTransaction, persons: readonly UserModel[]): Promise<void> {
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
export async function updateEmailOfPerson(transaction: AnyTransaction, person: UserModel): Promise<void> {
  await transaction.run(updateEmail, person)
}
