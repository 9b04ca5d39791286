import type { Sql } from '../db/sql.js'
import { emailKeyOf } from './email-address.js'
import type { Runtime } from './runtime.js'

/** First half of the key of the advisory locks on email addresses; the second half is a hash. */
const EMAIL_LOCK = 0x656d6c
/** Hashes are folded to this many locks, so that a large call cannot fill the server's lock table. */
const EMAIL_LOCKS = 256

/**
 * Lets no other transaction of any organization give these addresses to persons until this one ends: an address is
 * unique in an organization only, so no constraint keeps one person from being made twice. Locks are taken in one order
 * everywhere, so that writers do not wait in a circle: source, managers, addresses, members, phone numbers.
 */
export async function lockEmailAddresses(sql: Sql, emailKeys: readonly string[]): Promise<void> {
  await sql.query(
    `SELECT pg_advisory_xact_lock($1, bucket)
       FROM (SELECT DISTINCT abs(hashtext(key) % $3) AS bucket FROM unnest($2::text[]) AS key ORDER BY 1) buckets`,
    [EMAIL_LOCK, emailKeys, EMAIL_LOCKS],
    'lock_email_addresses',
  )
}

/**
 * The ids of the persons with these addresses, by the key of the address: those whom some organization knows, and new
 * ones for the others. The addresses are locked and none of them is a member's of the organization at hand.
 */
export async function findOrCreatePersons(
  sql: Sql,
  emails: readonly string[],
  runtime: Runtime,
): Promise<Map<string, string>> {
  if (emails.length === 0) return new Map()
  const addresses = new Map(emails.map((email) => [emailKeyOf(email), email]))
  const known = await sql.query<{ id: string; email_key: string }>(
    // Held, so that none of them changes the address before the membership refers to it.
    `SELECT id, email_key FROM users WHERE email_key = ANY ($1) ORDER BY id FOR KEY SHARE`,
    [[...addresses.keys()]],
    'find_persons',
  )
  const ids = new Map<string, string>()
  // Where import has made several persons with one address, the first is taken.
  for (const { id, email_key } of known) if (!ids.has(email_key)) ids.set(email_key, id)
  const unknown = [...addresses].filter(([key]) => !ids.has(key))
  for (const [key] of unknown) ids.set(key, runtime.newId())
  if (unknown.length > 0) {
    await sql.execute(
      `INSERT INTO users (id, email, email_key) SELECT * FROM unnest($1::text[], $2::text[], $3::text[])`,
      [unknown.map(([key]) => ids.get(key)), unknown.map(([, email]) => email), unknown.map(([key]) => key)],
      'insert_persons',
    )
  }
  return ids
}

/**
 * Holds a person against memberships that other organizations are adding, and tells whether it has several already:
 * whoever adds one holds the person.
 */
export async function lockPerson(sql: Sql, userId: string): Promise<{ readonly isShared: boolean }> {
  await sql.query('SELECT FROM users WHERE id = $1 FOR UPDATE', [userId], 'lock_person')
  // After the wait: the memberships as they are now.
  const memberships = await sql.query(
    'SELECT FROM memberships WHERE user_id = $1 LIMIT 2',
    [userId],
    'first_memberships_of_person',
  )
  return { isShared: memberships.length > 1 }
}

/** Gives a person another email address, in every membership. The address is locked. */
export async function writeEmailAddress(sql: Sql, userId: string, email: string): Promise<void> {
  await sql.execute(
    'UPDATE users SET email = $2, email_key = $3 WHERE id = $1',
    [userId, email, emailKeyOf(email)],
    'write_email_address',
  )
}
