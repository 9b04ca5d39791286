import { Prisma } from '../../gen/prisma/client.js'
import { createStatement } from '../db/statement.js'
import { firstRow, type Tables } from '../db/tables.js'
import { eventsAfter } from './event.js'
import { ofOrganization } from './scope.js'
import type { EndpointKey } from './webhook-endpoint.js'

/** How many events are looked at for an endpoint at a time, whether it wants them or not. */
const LOOKED_AT = 200

/** How an endpoint's cursor moved. */
export interface Taken {
  /** How many deliveries it made. */
  readonly taken: number
  /** Whether there may be more events. */
  readonly hasMore: boolean
}

interface TakeParameters extends EndpointKey {
  readonly room: number
}

/** The events that an endpoint wants of those that it has moved past. */
interface Passed extends Pick<Taken, 'hasMore'> {
  /** By the clock of the database. */
  readonly now: Date
  /** Null for none. */
  readonly wanted:
    | readonly { readonly id: string; readonly position: string; readonly type: string; readonly target: string }[]
    | null
}

/**
 * Looks for the next events that an endpoint wants, and moves its cursor past them, unless another process is about
 * to.
 */
const pass = createStatement<TakeParameters, Passed>({
  name: 'pass_webhook_events',
  columns: { now: 'timestamptz', wanted: 'json', hasMore: 'bool' },
  text: ({ id, room }) => Prisma.sql`
WITH endpoint AS MATERIALIZED (
  SELECT w.*
    FROM webhook_endpoints w
   WHERE ${ofOrganization('w')} AND w.id = ${id} AND w.status = 'ENABLED'
     FOR NO KEY UPDATE SKIP LOCKED
), looked_at AS MATERIALIZED (${eventsAfter(Prisma.sql`(SELECT position FROM endpoint)`, Prisma.raw(String(LOOKED_AT)))}
), wanted AS MATERIALIZED (
  SELECT e.position, e.id, e.target_type, e.target_id
    FROM looked_at e
   CROSS JOIN endpoint w
   WHERE (cardinality(w.types) = 0 OR e.action = ANY (w.types)) AND (w.team_id IS NULL OR e.team_id = w.team_id)
   ORDER BY e.position
   LIMIT ${room}
), last AS MATERIALIZED (
  SELECT CASE WHEN (SELECT count(*) FROM wanted) = ${room} THEN (SELECT max(position) FROM wanted)
              ELSE (SELECT max(position) FROM looked_at) END AS position
), moved AS (
  UPDATE webhook_endpoints w SET position = last.position
    FROM last
   WHERE ${ofOrganization('w')} AND w.id = ${id} AND last.position IS NOT NULL
)
SELECT now() AS now,
       (SELECT json_agg(json_build_object('id', w.id, 'position', w.position::text, 'type', w.target_type,
                                          'target', w.target_id)) FROM wanted w) AS wanted,
       EXISTS (SELECT FROM event_heads h WHERE ${ofOrganization('h')} AND h.position > last.position) AS "hasMore"
  FROM last`,
})

/**
 * Makes deliveries of the next events of an endpoint, unless another process does. What was delivered before and comes
 * again, after a replay, begins anew.
 */
export function takeEvents(tables: Tables, { room, ...key }: TakeParameters): Promise<Taken> {
  return tables.transaction(async (transaction) => {
    const passed = await firstRow(transaction, pass, { room, ...key })
    const { wanted, hasMore = false, now: dueAt = new Date() } = passed ?? {}
    if (wanted == null) return { taken: 0, hasMore }
    const { organizationId, id: endpointId } = key
    const { webhookDelivery } = transaction.models
    const { count } = await webhookDelivery.createMany({
      data: wanted.map(({ id, position, type: targetType, target: targetId }) => {
        return { organizationId, endpointId, eventId: id, position: BigInt(position), targetType, targetId, dueAt }
      }),
      skipDuplicates: true,
    })
    if (count < wanted.length) {
      const eventId = { in: wanted.map(({ id }) => id) }
      await webhookDelivery.updateMany({
        where: { organizationId, endpointId, eventId, status: { not: 'PENDING' } },
        data: { status: 'PENDING', attempts: 0, dueAt },
      })
    }
    return { taken: wanted.length, hasMore }
  })
}
