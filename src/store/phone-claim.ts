import { Prisma } from '../../gen/prisma/client.js'
import { createStatement } from '../db/statement.js'
import type { Tables } from '../db/tables.js'

/**
 * Hashes of numbers are folded to this many locks per organization, so that a large call cannot fill the lock table.
 */
const LOCKS_PER_ORGANIZATION = Prisma.raw(String(256))

interface Phones {
  readonly organizationId: string
  readonly phones: readonly string[]
}

const lock = createStatement<Phones, Record<never, never>>({
  name: 'lock_phone_numbers',
  columns: {},
  text: ({ organizationId, phones }) => Prisma.sql`
SELECT FROM (
    SELECT DISTINCT abs(hashtext(phone) % ${LOCKS_PER_ORGANIZATION}) AS bucket
      FROM unnest(${phones}::text[]) AS phone ORDER BY 1
  ) buckets
 WHERE pg_advisory_xact_lock(hashtextextended('phone/' || ${organizationId} || '/' || bucket, 0)) IS NOT NULL`,
})

/** A member who has a phone number. */
interface PhoneHolderRow {
  readonly userId: string
  readonly primaryPhone: string
}

const find = createStatement<Phones, PhoneHolderRow>({
  name: 'find_phone_holders',
  columns: { userId: 'text', primaryPhone: 'text' },
  text: ({ organizationId, phones }) => Prisma.sql`
SELECT user_id AS "userId", primary_phone AS "primaryPhone"
  FROM memberships WHERE organization_id = ${organizationId} AND primary_phone = ANY (${phones})`,
})

/** The statements of this file. */
export const phoneClaimStatements = [lock, find]

/**
 * Keeps other transactions from giving these numbers to members of the organization until this one ends, and returns
 * which members have them: ids by number. The constraint is checked at the end of a statement, where two writers of the
 * same number would deadlock; with this claim, the second waits for the first and then sees its row. To be taken after
 * the members are locked.
 */
export async function claimPhones(
  transaction: Tables,
  organizationId: string,
  phones: readonly string[],
): Promise<Map<string, string>> {
  if (phones.length === 0) return new Map()
  await transaction.run(lock, { organizationId, phones })
  const holders = await transaction.run(find, { organizationId, phones })
  return new Map(holders.map(({ primaryPhone, userId }) => [primaryPhone, userId]))
}
