import type { Sql } from '../db/sql.js'
import { constraintReason } from './constraint-reason.js'
import type { Member } from './member.js'
import { findPhoneHolders } from './membership.js'

/** Hashes of numbers are folded to this many locks per organization, so that a large call cannot fill the lock table. */
const LOCKS_PER_ORGANIZATION = 256

/**
 * Lets no other transaction give these numbers to members of the organization until this one ends. The constraint is
 * judged at the end of a statement, where two writers of one number wait for each other in a circle; claimed here, the
 * second waits for the first and then sees its row. To be taken after the members are locked.
 */
export async function lockPhoneNumbers(sql: Sql, organizationId: string, phones: readonly string[]): Promise<void> {
  if (phones.length === 0) return
  await sql.query(
    `SELECT pg_advisory_xact_lock(hashtextextended('phone/' || $1 || '/' || bucket, 0))
       FROM (SELECT DISTINCT abs(hashtext(phone) % $3) AS bucket FROM unnest($2::text[]) AS phone ORDER BY 1) buckets`,
    [organizationId, phones, LOCKS_PER_ORGANIZATION],
    'lock_phone_numbers',
  )
}

/** Claims the member's number where it is another than `before`. Throws `PHONE_TAKEN` where another member has it. */
export async function claimPhoneNumber(
  sql: Sql,
  organizationId: string,
  member: Pick<Member, 'userId' | 'profile'>,
  before: string,
): Promise<void> {
  const phone = member.profile.PRIMARY_PHONE.value
  if (phone === '' || phone === before) return
  await lockPhoneNumbers(sql, organizationId, [phone])
  const holder = (await findPhoneHolders(sql, organizationId, [phone])).get(phone)
  if (holder !== undefined && holder !== member.userId) throw constraintReason('memberships_primary_phone_unique')
}
