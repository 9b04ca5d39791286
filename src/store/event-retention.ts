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

/** The second position alone tells in most sweeps that nothing is to be deleted. */
const deleteFromFeed = createStatement<OldEvents, { readonly deleted: number }>({
  name: 'delete_old_events',
  columns: { deleted: 'int4' },
  text: ({ by, rows }) => Prisma.sql`
WITH looked_at AS MATERIALIZED (
  SELECT f.position, f.event_id
    FROM event_feed f
   WHERE ${ofOrganization('f')}
   ORDER BY f.position
   LIMIT CASE WHEN EXISTS (
           SELECT FROM (SELECT s.event_id FROM event_feed s WHERE ${ofOrganization('s')} ORDER BY s.position OFFSET 1 LIMIT 1) n
             JOIN audit_events e ON ${ofOrganization('e')} AND e.id = n.event_id
            WHERE e.occurred_at > ${by})
         THEN 0 ELSE ${rows} + 1 END
), kept AS (
  SELECT coalesce(min(l.position) FILTER (WHERE l.occurred_at > ${by}) - 1, max(l.position)) AS position
    FROM (SELECT position,
                 (SELECT e.occurred_at FROM audit_events e WHERE ${ofOrganization('e')} AND e.id = event_id) AS occurred_at
            FROM looked_at) l
), deleted AS (
  DELETE FROM event_feed f
   WHERE ${ofOrganization('f')} AND f.position < (SELECT position FROM kept)
  RETURNING f.position
)
SELECT count(*)::int AS deleted FROM deleted`,
})

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
export const eventRetentionStatements = [deleteFromFeed, deleteFromLog]

/**
 * Deletes the old events at the beginning of a feed, except the last of them: whoever has read that one has missed
 * nothing. Returns how many were deleted.
 */
export async function deleteOldEvents(tables: Tables, old: OldEvents): Promise<number> {
  return (await tables.run(deleteFromFeed, old))[0]?.deleted ?? 0
}

/** Deletes the old events of an audit log that are not in the feed, nor on their way there. Returns how many. */
export async function deleteOldAuditEvents(tables: Tables, old: OldEvents): Promise<number> {
  return (await tables.run(deleteFromLog, old))[0]?.deleted ?? 0
}
