import { Prisma } from '../../gen/prisma/client.js'

/** First half of the key of the advisory lock on an organization's managers; the second half is a hash of its id. */
const MANAGER_LOCK = Prisma.raw(String(0x6d6772))

/**
 * A condition that locks: once it is true, no other transaction can assign managers in the organization until the end.
 */
export function inLockOfManagers(organizationId: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`pg_advisory_xact_lock(${MANAGER_LOCK}, hashtext(${organizationId})) IS NOT NULL`
}
