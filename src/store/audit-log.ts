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
import { inTeams, ofOrganization, type Visibility } from './visibility.js'

/** Which events to list; an empty text means no filter. */
export interface AuditEventSelection extends Visibility {
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
  /** The id of the event before the page; undefined for the first one. */
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
    sql: Prisma.sql`CASE WHEN e.changes::text = '[]' OR e.target_type = 'group' THEN e.changed_fields ELSE '{}' END`,
  },
})

type Page = Omit<AuditEventSelection, 'after'> & {
  /** Ids between which the page is: not before the first, and before the second. */
  readonly fromId: string
  readonly beforeId: string
}

/**
 * How far the time of an event can be from that of its id, in whose order the log is: it is when the transaction began,
 * by the clock of the database.
 */
const APART_MILLIS = 86_400_000

/** An id before those of events since a time. */
function idBefore(time: Date): string {
  return leastId(time.getTime() - APART_MILLIS)
}

/** An id after those of events until a time. */
export function idAfter(time: Date): string {
  return leastId(time.getTime() + APART_MILLIS)
}

function leastId(millis: number): string {
  const time = Math.min(Math.max(millis, 0), 2 ** 48 - 1).toString(16)
  return `${time.padStart(12, '0').replace(/.{8}/, '$&-')}-0000-0000-000000000000`
}

const [FIRST_ID, LAST_ID] = ['00000000-0000-0000-0000-000000000000', 'ffffffff-ffff-ffff-ffff-ffffffffffff']

const isWanted = (where: Places<Page>) => Prisma.sql`${ofOrganization('e')}
           AND ${inTeams(Prisma.sql`e.team_id`, where.teamIds)}
           AND (${where.targetId} = '' OR e.target_id = ${where.targetId})
           AND (${where.targetType} = '' OR e.target_type = ${where.targetType})
           AND (${where.actorId} = '' OR e.actor_id = ${where.actorId})
           AND (${where.actorKind} = '' OR e.actor_kind = nullif(${where.actorKind}, '')::actor_kind)
           AND (${where.teamId} = '' OR e.team_id = ${where.teamId})
           AND (${where.requestId} = '' OR e.request_id = ${where.requestId})
           AND (cardinality(${where.actions}::text[]) = 0 OR e.action = ANY (${where.actions}))
           AND (${where.since} = '' OR e.occurred_at >= nullif(${where.since}, '')::timestamptz)
           AND (${where.until} = '' OR e.occurred_at < nullif(${where.until}, '')::timestamptz)`

/** An index leads to the events of a target; whatever else is asked for, the log is read until the page is full. */
const list = createPages<Page>('list_audit_events', {
  alias: 'e',
  from: Prisma.sql`audit_events e`,
  condition: isWanted,
  text: rowText(eventResource),
  order: Prisma.sql`e.id DESC`,
  position: Prisma.sql`e.id::text`,
  isLater: ({ fromId, beforeId }) => Prisma.sql`e.id >= ${fromId}::uuid AND e.id < ${beforeId}::uuid`,
})

/** A page of events, the newest first. */
export function readAuditEvents(
  tables: Tables,
  { after, ...selection }: AuditEventSelection,
): Promise<PageRow | undefined> {
  const { since, until } = selection
  const fromId = since === '' ? FIRST_ID : idBefore(new Date(since))
  const beforeId = after ?? (until === '' ? LAST_ID : idAfter(new Date(until)))
  return list(tables, { ...selection, fromId, beforeId })
}
