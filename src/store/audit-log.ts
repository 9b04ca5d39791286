import { Prisma } from '../../gen/prisma/client.js'
import type { ActorKind } from '../../gen/prisma/enums.js'
import { schema } from '../../gen/prisma/schema.js'
import { ActorSchema, AuditEventSchema } from '../../gen/svc/v2/audit_log_pb.js'
import type { Tables } from '../db/tables.js'
import type { AuditAction } from './audit-action.js'
import { createPages, type PageRequest, type PageRow } from './pages.js'
import { rowText } from './resource/print.js'
import { declareResource } from './resource/resource.js'
import { inTeams, type Visibility } from './visibility.js'

/** Which events to list; an empty text means no filter. */
export interface AuditEventSelection extends Visibility, PageRequest {
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
    sql: Prisma.sql`CASE WHEN e.changes::text = '[]' OR e.target_type = 'group' THEN e.changed_fields ELSE '{}' END`,
  },
})

/**
 * How far the time of an event can be from the time of its id, which orders the log. The event has the time when its
 * transaction began, by the clock of the database.
 */
const APART_MILLIS = 86_400_000

/** An id before those of events since a time, or after those of events until then. */
export function idBeside(time: Date, side: 'before' | 'after'): string {
  const millis = time.getTime() + (side === 'before' ? -APART_MILLIS : APART_MILLIS)
  const digits = Math.min(Math.max(millis, 0), 2 ** 48 - 1).toString(16)
  return `${digits.padStart(12, '0').replace(/.{8}/, '$&-')}-0000-0000-000000000000`
}

/** An index leads to the events of a target; whatever else is asked for, the log is read until the page is full. */
const list = createPages<AuditEventSelection & Partial<Record<'fromId' | 'untilId', string>>>('list_audit_events', {
  table: schema.AuditEvent,
  alias: 'e',
  filters: ['target_id', 'target_type', 'actor_id', 'actor_kind', 'team_id', 'request_id'],
  condition: ({ teamIds, actions, since, until, fromId, untilId }) => {
    return Prisma.sql`${inTeams(Prisma.sql`e.team_id`, teamIds)}
           AND (cardinality(${actions}::text[]) = 0 OR e.action = ANY (${actions}))
           AND (${since} = '' OR e.occurred_at >= nullif(${since}, '')::timestamptz)
           AND (${until} = '' OR e.occurred_at < nullif(${until}, '')::timestamptz)
           AND (${fromId}::uuid IS NULL OR e.id >= ${fromId}::uuid)
           AND (${untilId}::uuid IS NULL OR e.id < ${untilId}::uuid)`
  },
  text: rowText(eventResource),
  order: ['id'],
  isDescending: true,
})

/** A page of events, the newest first. */
export function readAuditEvents(tables: Tables, selection: AuditEventSelection): Promise<PageRow | undefined> {
  const { since, until } = selection
  const from = since !== '' && { fromId: idBeside(new Date(since), 'before') }
  const to = until !== '' && { untilId: idBeside(new Date(until), 'after') }
  return list(tables, { ...selection, ...from, ...to })
}
