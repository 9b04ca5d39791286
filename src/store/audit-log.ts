import { Prisma } from '../../gen/prisma/client.js'
import type { ActorKind } from '../../gen/prisma/enums.js'
import { schema } from '../../gen/prisma/schema.js'
import { ActorSchema, AuditEventSchema } from '../../gen/svc/v2/audit_log_pb.js'
import type { Places } from '../db/statement.js'
import type { Tables } from '../db/tables.js'
import type { AuditAction } from './audit-action.js'
import { createPages, type PageRow } from './pages.js'
import { rowText } from './resource/print.js'
import { declareResource } from './resource/resource.js'
import { timestampText } from './resource/text.js'
import { inTeams, type Scope } from './scope.js'

/** Which events to list; an empty text means no filter. */
export interface AuditEventSelection extends Scope {
  readonly targetId: string
  /** None means all. */
  readonly actions: readonly AuditAction[]
  readonly actorId: string
  readonly actorKind: ActorKind | ''
  readonly requestId: string
  readonly targetType: string
  readonly teamId: string
  /** Inclusive. */
  readonly since: string
  /** Exclusive. */
  readonly until: string
  /** Time and id of the event before the page, with a slash between them; undefined for the first one. */
  readonly after: string | undefined
  readonly pageSize: number
}

/** Who did what an event `e` of the log records. */
export const actorResource = declareResource(ActorSchema, schema.AuditEvent, 'e', {
  kind: 'actor_kind',
  id: 'actor_id',
  name: 'actor_name',
})

const eventResource = declareResource(AuditEventSchema, schema.AuditEvent, 'e', {
  actor: { kind: 'columns', resource: actorResource },
  changedFields: {
    kind: 'computed',
    sql: Prisma.sql`CASE WHEN e.changes::text = '[]' THEN e.changed_fields ELSE '{}' END`,
  },
})

/**
 * The events of a page and one more, in order; with `action`, only those that have it. They are then a range of the
 * index that begins with it: an equality would let the planner, which does not know the action, read the events of all.
 */
function eventsText(where: Places<AuditEventSelection>, most: Prisma.Sql, action?: Prisma.Sql): Prisma.Sql {
  const [column, value, order] =
    action === undefined
      ? [Prisma.empty, Prisma.empty, Prisma.empty]
      : [Prisma.sql`action, `, Prisma.sql`${action}, `, Prisma.sql`action DESC, `]
  const since = Prisma.sql`coalesce(nullif(${where.since}, '')::timestamptz, '-infinity')`
  const after = (part: number) => Prisma.sql`nullif(split_part(${where.after}, '/', ${Prisma.raw(String(part))}), '')`
  const before = Prisma.sql`coalesce(${after(1)}, nullif(${where.until}, ''), 'infinity')::timestamptz`
  const beforeId = Prisma.sql`coalesce(${after(2)}, '00000000-0000-0000-0000-000000000000')::uuid`
  return Prisma.sql`
        SELECT *
          FROM audit_events
         WHERE organization_id = ${where.organizationId}
           AND ${inTeams(Prisma.sql`team_id`, where.teamIds)}
           AND (${where.targetId} = '' OR target_id = ${where.targetId})
           AND (${where.targetType} = '' OR target_type = ${where.targetType})
           AND (${where.actorId} = '' OR actor_id = ${where.actorId})
           AND (${where.actorKind} = '' OR actor_kind = nullif(${where.actorKind}, '')::actor_kind)
           AND (${where.teamId} = '' OR team_id = ${where.teamId})
           AND (${where.requestId} = '' OR request_id = ${where.requestId})
           AND (${column}occurred_at) >= (${value}${since})
           AND (${column}occurred_at, id) < (${value}${before}, ${beforeId})
         ORDER BY ${order}occurred_at DESC, id DESC
         LIMIT ${most}`
}

/**
 * Each column that can be filtered has an index that ends in the order of the list; which of them is used depends on the
 * filters.
 */
const createList = (name: string, events: typeof eventsText) =>
  createPages<AuditEventSelection>(name, {
    alias: 'e',
    text: rowText(eventResource),
    order: Prisma.sql`e.occurred_at DESC, e.id DESC`,
    position: Prisma.sql`${timestampText(Prisma.sql`e.occurred_at`)} || '/' || e.id`,
    rows: (where, most) => Prisma.sql`(${events(where, most)}
      ) e`,
  })

const list = createList('list_audit_events', eventsText)

/** A page of each action makes up a page of several: none of them is read further than that. */
const listOfActions = createList(
  'list_audit_events_of_actions',
  (where, most) => Prisma.sql`
        SELECT found.*
          FROM unnest(${where.actions}::text[]) AS asked (action)
         CROSS JOIN LATERAL (${eventsText(where, most, Prisma.sql`asked.action`)}) found
         ORDER BY found.occurred_at DESC, found.id DESC
         LIMIT ${most}`,
)

/** A page of events, the newest first. */
export function readAuditEvents(tables: Tables, selection: AuditEventSelection): Promise<PageRow | undefined> {
  return selection.actions.length === 0 ? list(tables, selection) : listOfActions(tables, selection)
}
