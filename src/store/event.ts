import { Prisma } from '../../gen/prisma/client.js'
import { schema } from '../../gen/prisma/schema.js'
import { EventSchema, EventSubjectSchema } from '../../gen/svc/v2/event_pb.js'
import type { Models } from '../db/prisma.js'
import { createLookUp, createQuery, type Tables } from '../db/tables.js'
import type { AuditAction } from './audit-action.js'
import { actorResource } from './audit-log.js'
import { rowText } from './resource/print.js'
import { declareResource } from './resource/resource.js'
import { itemsText } from './resource/text.js'
import { inTeams, ofOrganization, type Visibility } from './visibility.js'

/** A place in the feed of an organization: after the event that has the position. Position 0 is before all. */
export interface FeedPlace {
  readonly position: string
  /** Empty at position 0. */
  readonly eventId: string
}

/** Which events to read; an empty text or list means no filter. */
export interface FeedSelection extends Visibility {
  /** The position after which to begin, and the event that is there; empty at position 0. */
  readonly after: string
  readonly afterEventId: string
  readonly types: readonly AuditAction[]
  readonly teamId: string
  readonly targetId: string
  readonly pageSize: number
  /** How many events are looked at, whether they are wanted or not. */
  readonly lookedAt: number
}

/** The JSON of events with commas between them, and where to continue. */
export interface FeedPageRow {
  /** Whether the feed has the event after which the page begins. */
  readonly isKept: boolean
  readonly items: string
  /** Null if there is no event after the place. */
  readonly position: string | null
  readonly eventId: string | null
  /** Whether there are events after these that were not looked at. */
  readonly hasMore: boolean
  readonly isBehind: boolean
}

const eventResource = declareResource(EventSchema, schema.AuditEvent, 'e', {
  position: { kind: 'computed', sql: Prisma.sql`e.position` },
  type: 'action',
  subject: {
    kind: 'columns',
    resource: declareResource(EventSubjectSchema, schema.AuditEvent, 'e', { type: 'target_type', id: 'target_id' }),
  },
  actor: { kind: 'columns', resource: actorResource },
})

/** The JSON of an event: the row `e` of the audit log, and its position. */
export const eventText = rowText(eventResource)

/** The id of the first event of the write of an event: the ids of a write count from 0 in their last two bytes. */
export const firstOfWrite = (eventId: Prisma.Sql) => Prisma.sql`(left(${eventId}::text, 32) || '0000')::uuid`

/** The events of a row `w` of the feed, each with its `position`. */
const placedEvents = Prisma.sql`(
   SELECT a.*, w.position - 1 + row_number() OVER (ORDER BY a.id) AS position
     FROM audit_events a
    WHERE ${ofOrganization('a')} AND a.id BETWEEN w.first_event_id AND w.last_event_id)`

/**
 * At most `limit` events after a position: rows of the audit log, each with its `position`. Positions have no gaps, so
 * only the writes in that range are read. The limit of writes, each of which has an event, makes the planner use the
 * key.
 */
export function eventsAfter(after: Prisma.Sql, limit: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`
  WITH part AS MATERIALIZED (
    SELECT f.position AS first, greatest(f.position - 1, ${after}) + ${limit} AS last
      FROM event_feed f
     WHERE ${ofOrganization('f')} AND f.position + f.event_count - 1 > ${after}
       AND f.position >= coalesce((SELECT max(b.position) FROM event_feed b
                                    WHERE ${ofOrganization('b')} AND b.position <= ${after}), 0)
     ORDER BY f.position
     LIMIT 1)
  SELECT e.*
    FROM (SELECT *
            FROM event_feed f
           WHERE ${ofOrganization('f')} AND f.position BETWEEN (SELECT first FROM part) AND (SELECT last FROM part)
           ORDER BY f.position
           LIMIT ${limit}) w
   CROSS JOIN LATERAL ${placedEvents} e
   WHERE e.position BETWEEN ${after} + 1 AND (SELECT last FROM part)`
}

/** Looks at so many events after a position, and prints the wanted ones, at most a page of them. */
export const readFeed = createLookUp<FeedSelection, FeedPageRow>({
  name: 'list_events',
  columns: { isKept: 'bool', items: 'text', position: 'text', eventId: 'text', hasMore: 'bool', isBehind: 'bool' },
  text: (where) => Prisma.sql`
WITH looked_at AS MATERIALIZED (${eventsAfter(Prisma.sql`${where.after}::bigint`, Prisma.sql`${where.lookedAt}`)}
), wanted AS MATERIALIZED (
  SELECT *
    FROM looked_at e
   WHERE ${inTeams(Prisma.sql`e.team_id`, where.teamIds)}
     AND (cardinality(${where.types}::text[]) = 0 OR e.action = ANY (${where.types}))
     AND (${where.teamId} = '' OR e.team_id = ${where.teamId})
     AND (${where.targetId} = '' OR e.target_id = ${where.targetId})
   ORDER BY e.position
   LIMIT ${where.pageSize}
), last AS MATERIALIZED (
  SELECT CASE WHEN (SELECT count(*) FROM wanted) = ${where.pageSize} THEN (SELECT max(position) FROM wanted)
              ELSE (SELECT max(position) FROM looked_at) END AS position
)
SELECT EXISTS (
         SELECT FROM (SELECT * FROM event_feed f
                       WHERE ${ofOrganization('f')} AND f.position <= ${where.after}::bigint
                       ORDER BY f.position DESC LIMIT 1) w
          CROSS JOIN LATERAL ${placedEvents} e
          WHERE e.position = ${where.after}::bigint AND e.id::text = ${where.afterEventId}
       ) AS "isKept",
       (SELECT ${itemsText(eventText, Prisma.sql`e.position`)} FROM wanted e) AS items,
       last.position::text AS position,
       (SELECT l.id::text FROM looked_at l WHERE l.position = last.position) AS "eventId",
       EXISTS (SELECT FROM event_heads h WHERE ${ofOrganization('h')} AND h.position > last.position) AS "hasMore",
       EXISTS (SELECT FROM event_outbox o WHERE ${ofOrganization('o')}) AS "isBehind"
  FROM last`,
})

/** The events of so many writes get their positions at a time; the others wait for the next. */
export const MAX_SEQUENCED = 1_000

/** The last position that was given, and to how many events of how many writes. */
interface Sequenced {
  readonly position: string
  readonly writes: number
  readonly events: number
}

/**
 * Gives positions to the committed events of an organization; nulls if another process is doing so, or if the feed has
 * no head. A function, which a cluster runs in one message where the rows are; with a condition, its coordinator would
 * run it.
 */
export const sequenceEvents = createLookUp<
  { readonly organizationId: string },
  Sequenced | Readonly<Record<keyof Sequenced, null>>
>({
  name: 'sequence_events',
  columns: { position: 'text', writes: 'int4', events: 'int4' },
  text: ({ organizationId }) => Prisma.sql`
SELECT position::text, writes, events FROM sequence_events(${organizationId}, ${Prisma.raw(String(MAX_SEQUENCED))})`,
})

interface FeedState {
  readonly organizationId: string
  readonly position: string
  readonly isBehind: boolean
}

/**
 * The states of the existing feeds of some organizations. Each table has a condition of its own, so that a cluster asks
 * only the shards of these organizations.
 */
export const readFeedStates = createQuery<{ readonly organizationIds: readonly string[] }, FeedState>({
  name: 'read_feed_states',
  columns: { organizationId: 'text', position: 'text', isBehind: 'bool' },
  text: ({ organizationIds }) => {
    const isOfThem = (alias: string) =>
      Prisma.sql`${Prisma.raw(alias)}.organization_id = ANY (${organizationIds}::text[])`
    return Prisma.sql`
SELECT h.organization_id AS "organizationId", h.position::text AS position,
       EXISTS (SELECT FROM event_outbox o
                WHERE ${isOfThem('o')} AND o.organization_id = h.organization_id) AS "isBehind"
  FROM event_heads h
 WHERE ${isOfThem('h')}`
  },
})

/** Finds an event with its position; undefined if it is not in the feed. */
export async function findPlacedEvent({ models }: Tables, organizationId: string, eventId: string) {
  const event = await models.auditEvent.findUnique({
    where: { organizationId_id: { organizationId, id: eventId } },
    select: { action: true, occurredAt: true, targetType: true, targetId: true, teamId: true },
  })
  if (event === null) return undefined
  const firstEventId = `${eventId.slice(0, -4)}0000`
  const index = Number.parseInt(eventId.slice(-4), 16)
  const write = await models.eventFeed.findFirst({
    where: { firstEventId, organizationId },
    select: { position: true, eventCount: true },
  })
  return write === null || index >= write.eventCount
    ? undefined
    : { ...event, position: write.position + BigInt(index) }
}

/** The first or the last event that is kept; undefined if there is none. */
export async function findFeedEnd(
  { models }: Tables,
  organizationId: string,
  end: 'first' | 'last',
): Promise<FeedPlace | undefined> {
  const orderBy = { position: end === 'first' ? 'asc' : 'desc' } as const
  const select = { position: true, firstEventId: true, lastEventId: true, eventCount: true }
  const write = await models.eventFeed.findFirst({ where: { organizationId }, orderBy, select })
  if (write === null) return undefined
  const { position, firstEventId, lastEventId, eventCount } = write
  if (end === 'first') return { position: String(position), eventId: firstEventId }
  return { position: String(position + BigInt(eventCount) - 1n), eventId: lastEventId }
}

/**
 * Creates the head of an organization's feed unless it has one. Looks first, because an INSERT would wait for whoever
 * is writing to it.
 */
export async function createEventHead({ models }: Tables, organizationId: string): Promise<void> {
  if ((await models.eventHead.count({ where: { organizationId } })) > 0) return
  await models.eventHead.createMany({ data: [{ organizationId }], skipDuplicates: true })
}

/**
 * The organizations with writes in the outbox, the one that has waited longest first, how many writes there are, and
 * the time of the oldest event. One query, because a cluster sends it to each of its shards.
 */
export async function readBacklog({ models }: Tables) {
  const groups = await models.eventOutbox.groupBy({
    by: ['organizationId'],
    _count: true,
    _min: { ordinal: true },
    orderBy: { _min: { ordinal: 'asc' } },
  })
  return {
    organizationIds: groups.map(({ organizationId }) => organizationId),
    writes: groups.reduce((sum, { _count }) => sum + _count, 0),
    oldestAt: groups[0] && (await happenedAt(models, groups[0].organizationId, groups[0]._min.ordinal ?? 0n)),
  }
}

/** When the first event of a write happened; undefined if it has a position by now. */
async function happenedAt(models: Models, organizationId: string, ordinal: bigint): Promise<Date | undefined> {
  const write = { organizationId_ordinal: { organizationId, ordinal } }
  const recorded = await models.eventOutbox.findUnique({ where: write, select: { firstEventId: true } })
  if (recorded === null) return undefined
  const event = { organizationId_id: { organizationId, id: recorded.firstEventId } }
  return (await models.auditEvent.findUnique({ where: event, select: { occurredAt: true } }))?.occurredAt
}
