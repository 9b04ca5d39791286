import type { Tables } from '../../db/tables.js'

/** Counts the members whom a directory supplies, reading all members of the organization. */
export async function countSuppliedMembers(tables: Tables, organizationId: string) {
  const supplied = { organizationId, directoryManaged: true, directoryDeletedAt: null }
  return {
    /** Whom it writes and has not deleted. */
    supplied: await tables.models.membership.count({ where: supplied }),
    /** Those of them who are not deactivated. */
    active: await tables.models.membership.count({ where: { ...supplied, deactivatedAt: null } }),
    /** Whom it has deleted. */
    deleted: await tables.models.membership.count({ where: { organizationId, directoryDeletedAt: { not: null } } }),
  }
}

/** When a directory last changed something; undefined if it never did. */
export async function lastDirectoryWrite(tables: Tables, organizationId: string): Promise<Date | undefined> {
  const event = await tables.models.auditEvent.findFirst({
    where: { organizationId, actorKind: 'DIRECTORY' },
    orderBy: { occurredAt: 'desc' },
    select: { occurredAt: true },
  })
  return event?.occurredAt
}
