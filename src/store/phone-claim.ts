import { Prisma } from '../../gen/prisma/client.js'
import type { AnyTransaction } from '../db/queryable.js'
import { createPreparedStatement } from '../db/statement.js'

/** Hashes of numbers are folded to this many locks per organization, so that a large call cannot fill the lock table. */
const LOCKS_PER_ORGANIZATION = Prisma.raw(String(256))

interface Phones {
  readonly organizationId: string
  readonly phones: readonly string[]
}

const lock = createPreparedStatement<Phones, Record<never, never>>({
  name: 'lock_phone_numbers',
  reason: 'lock',
  columns: {},
  text: ({ organizationId, phones }) => Prisma.sql`
SELECT FROM (
    SELECT DISTINCT abs(hashtext(phone) % ${LOCKS_PER_ORGANIZATION}) AS bucket
      FROM unnest(${phones}::text[]) AS phone ORDER BY 1
  ) buckets
 WHERE pg_advisory_xact_lock(hashtextextended('phone/' || ${organizationId} || '/' || bucket, 0)) IS NOT NULL`,
})

/** The statements of this file. */
export const phoneClaimStatements = [lock]

/** Holds numbers of an organization until the transaction ends, in one order everywhere. */
export async function lockPhones(transaction: AnyTransaction, claim: Phones): Promise<void> {
  await transaction.run(lock, claim)
}
