import type { DirectoryRefusalModel } from '../../../gen/prisma/models.js'
import type { Tables } from '../../db/tables.js'

/** How many refusals of an organization are kept: the last ones. */
export const KEPT_REFUSALS = 100

/** A refusal of a request, or of a value in it, to keep; of now. */
export type NewRefusal = Omit<DirectoryRefusalModel, 'occurredAt' | 'status'> & { readonly status: number }

/** Keeps a refusal, and the last ones before it. */
export async function insertDirectoryRefusal({ models }: Tables, refusal: NewRefusal): Promise<void> {
  const { organizationId } = refusal
  await models.directoryRefusal.create({ data: refusal, select: { id: true } })
  const old = await models.directoryRefusal.findMany({
    where: { organizationId },
    orderBy: { id: 'desc' },
    skip: KEPT_REFUSALS,
    select: { id: true },
  })
  // One by one, in the same order everywhere: refusals at the same time delete the same ones.
  for (const { id } of old) await models.directoryRefusal.deleteMany({ where: { organizationId, id } })
}

export function selectDirectoryRefusals(tables: Tables, organizationId: string) {
  return tables.models.directoryRefusal.findMany({
    where: { organizationId },
    orderBy: { id: 'desc' },
    take: KEPT_REFUSALS,
    select: {
      id: true,
      occurredAt: true,
      apiKeyId: true,
      method: true,
      path: true,
      status: true,
      scimType: true,
      detail: true,
      requestId: true,
      userName: true,
      externalId: true,
      attribute: true,
    },
  })
}

/** Counts the members whom a directory supplies, reading all members of the organization. */
export async function countSuppliedMembers(tables: Tables, organizationId: string) {
  const supplied = { organizationId, directoryManaged: true, directoryDeletedAt: null }
  return {
    /** Members that the directory supplies. */
    supplied: await tables.models.membership.count({ where: supplied }),
    active: await tables.models.membership.count({ where: { ...supplied, deactivatedAt: null } }),
    /** Members that the directory has deleted. */
    deleted: await tables.models.membership.count({ where: { organizationId, directoryDeletedAt: { not: null } } }),
  }
}

/** When a directory last changed something; undefined if it never did. */
export async function lastDirectoryWrite(tables: Tables, organizationId: string): Promise<Date | undefined> {
  const event = await tables.models.auditEvent.findFirst({
    where: { organizationId, actorKind: 'DIRECTORY' },
    orderBy: { id: 'desc' },
    select: { occurredAt: true },
  })
  return event?.occurredAt
}
