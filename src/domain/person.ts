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

/** A member who has an email address. */
export interface EmailHolder {
  readonly userId: string
  readonly name: string
}

/** The members of the organization with these addresses, deactivated ones included, by the key of the address. */
export async function findEmailHolders(
  sql: Sql,
  organizationId: string,
  emailKeys: readonly string[],
): Promise<Map<string, EmailHolder>> {
  const rows = await sql.query<{ email_key: string; user_id: string; name: string }>(
    `SELECT email_key, user_id, trim(first_name || ' ' || last_name) AS name
       FROM memberships WHERE organization_id = $1 AND email_key = ANY ($2)`,
    [organizationId, emailKeys],
    'find_email_holders',
  )
  return new Map(rows.map((row) => [row.email_key, { userId: row.user_id, name: row.name }]))
}
