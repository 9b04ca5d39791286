import { Prisma } from '../../gen/prisma/client.js'
import { createLookUp, type Tables } from '../db/tables.js'
import { idBeside } from './audit-log.js'
import { firstOfWrite } from './event.js'
import type { ExpiredOf } from './sweep.js'
import { ofOrganization } from './visibility.js'

const deleteFromLog = createLookUp<ExpiredOf & { readonly beforeId: string }, { readonly deleted: number }>({
  name: 'delete_old_audit_events',
  columns: { deleted: 'int4' },
  text: ({ by, beforeId, rows }) => Prisma.sql`
WITH old AS MATERIALIZED (
  SELECT e.id
    FROM audit_events e
   WHERE ${ofOrganization('e')} AND e.id < ${beforeId}::uuid AND e.occurred_at <= ${by}
     AND ${firstOfWrite(Prisma.sql`e.id`)} NOT IN (SELECT w.first_event_id FROM event_outbox w WHERE ${ofOrganization('w')})
     AND (SELECT f.position FROM event_feed f
           WHERE ${ofOrganization('f')} AND f.first_event_id = ${firstOfWrite(Prisma.sql`e.id`)}) IS NULL
   ORDER BY e.id
   LIMIT ${rows}
), deleted AS (
  DELETE FROM audit_events e
   WHERE ${ofOrganization('e')} AND e.id = ANY (ARRAY(SELECT id FROM old))
  RETURNING e.id
)
SELECT count(*)::int AS deleted FROM deleted`,
})

/**
 * Deletes the old events at the beginning of a feed, except those of the last old write, so that the cursor of a reader
 * who has read all of them stays valid. Returns how many were deleted.
 */
export async function deleteOldEvents({ models }: Tables, { organizationId, by, rows }: ExpiredOf): Promise<number> {
  const where = { organizationId }
  const orderBy = { position: 'asc' } as const
  const select = { position: true, sequencedAt: true }
  // The first two alone show in most sweeps that nothing is to be deleted.
  const [oldest, next] = await models.eventFeed.findMany({ where, orderBy, select, take: 2 })
  if (!oldest || !next || oldest.sequencedAt > by || next.sequencedAt > by) return 0
  const first = await models.eventFeed.findMany({ where, orderBy, select, take: rows + 1 })
  const end = first.findIndex(({ sequencedAt }) => sequencedAt > by)
  const last = first.at(end < 0 ? -1 : end - 1)?.position ?? oldest.position
  await models.eventFeed.deleteMany({ where: { ...where, position: { lt: last } } })
  return Number(last - oldest.position)
}

/** Deletes the old events of an audit log that are not in the feed, nor on their way there. Returns how many. */
export async function deleteOldAuditEvents(tables: Tables, old: ExpiredOf): Promise<number> {
  return (await deleteFromLog(tables, { ...old, beforeId: idBeside(old.by, 'after') }))?.deleted ?? 0
}
