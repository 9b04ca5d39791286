import type { Tables } from '../../db/tables.js'

/** How many people a directory supplies. */
export interface DirectoryTotals {
  /** Whom it writes and has not deleted. */
  readonly supplied: number
  /** Those of them who are not deactivated. */
  readonly active: number
  /** Whom it has deleted. */
  readonly deleted: number
}

/** Counts the members whom a directory supplies, reading all members of the organization. */
export async function countSuppliedMembers(tables: Tables, organizationId: string): Promise<DirectoryTotals> {
  const supplied = { organizationId, directoryManaged: true, directoryDeletedAt: null }
  return {
    supplied: await tables.models.membership.count({ where: supplied }),
    active: await tables.models.membership.count({ where: { ...supplied, deactivatedAt: null } }),
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
