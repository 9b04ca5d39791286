import { Prisma } from '../../gen/prisma/client.js'
import { createStatement } from '../db/statement.js'
import type { Tables } from '../db/tables.js'
import { ofOrganization } from './scope.js'

/** Which events of an organization are too old: those of a time or before it, at most so many. */
export interface OldEvents {
  readonly organizationId: string
  readonly by: Date
  readonly rows: number
}

const deleteFromLog = createStatement<OldEvents, { readonly deleted: number }>({
  name: 'delete_old_audit_events',
  columns: { deleted: 'int4' },
  text: ({ by, rows }) => Prisma.sql`
WITH old AS MATERIALIZED (
  SELECT e.id
    FROM audit_events e
   WHERE ${ofOrganization('e')} AND e.occurred_at <= ${by}
     AND e.id NOT IN (SELECT unnest(o.event_ids) FROM event_outbox o WHERE ${ofOrganization('o')})
     AND NOT EXISTS (SELECT FROM event_feed f WHERE ${ofOrganization('f')} AND f.event_id = e.id)
   ORDER BY e.occurred_at, e.id
   LIMIT ${rows}
), deleted AS (
  DELETE FROM audit_events e
   WHERE ${ofOrganization('e')} AND e.id = ANY (ARRAY(SELECT id FROM old))
  RETURNING e.id
)
SELECT count(*)::int AS deleted FROM deleted`,
})

/** The statements of this file. */
export const eventRetentionStatements = [deleteFromLog]

/**
 * Deletes the old events at the beginning of a feed, except the last of them: whoever has read that one has missed
 * nothing. Returns how many were deleted.
 */
export async function deleteOldEvents(tables: Tables, { rows, ...old }: OldEvents): Promise<number> {
  // The first two alone tell in most sweeps that nothing is to be deleted.
  if ((await lastOldPosition(tables, old, 2)) === undefined) return 0
  const position = await lastOldPosition(tables, old, rows + 1)
  if (position === undefined) return 0
  const where = { organizationId: old.organizationId, position: { lt: position } }
  return (await tables.models.eventFeed.deleteMany({ where })).count
}

/** The last of the old events at the beginning of a feed, among so many; undefined if nothing old is before it. */
async function lastOldPosition(
  { models }: Tables,
  { organizationId, by }: Omit<OldEvents, 'rows'>,
  take: number,
): Promise<bigint | undefined> {
  const select = { position: true, eventId: true }
  const first = await models.eventFeed.findMany({
    where: { organizationId },
    orderBy: { position: 'asc' },
    take,
    select,
  })
  const where = { organizationId, id: { in: first.map(({ eventId }) => eventId) } }
  const events = await models.auditEvent.findMany({ where, select: { id: true, occurredAt: true } })
  const young = new Set(events.filter(({ occurredAt }) => occurredAt > by).map(({ id }) => id))
  const end = first.findIndex(({ eventId }) => young.has(eventId))
  const old = end < 0 ? first : first.slice(0, end)
  return old.length < 2 ? undefined : old.at(-1)?.position
}

/** Deletes the old events of an audit log that are not in the feed, nor on their way there. Returns how many. */
export async function deleteOldAuditEvents(tables: Tables, old: OldEvents): Promise<number> {
  return (await tables.run(deleteFromLog, old))[0]?.deleted ?? 0
}
