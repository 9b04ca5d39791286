import { Prisma } from '../../gen/prisma/client.js'
import { schema } from '../../gen/prisma/schema.js'
import { ActorSchema, AuditEventSchema, FieldChangeSchema } from '../../gen/svc/v2/audit_log_pb.js'
import { createStatement } from '../db/statement.js'
import type { Tables } from '../db/tables.js'
import type { AuditAction } from './audit-action.js'
import { rowText } from './resource/print.js'
import { declareResource } from './resource/resource.js'
import { itemsText, listText, nameText, timestampText } from './resource/text.js'
import { inTeams, type Scope } from './scope.js'

/** Which events to list; an empty text means no filter. */
export interface AuditEventSelection extends Scope {
  readonly targetId: string
  readonly action: AuditAction | ''
  readonly actorId: string
  readonly requestId: string
  /** Inclusive. */
  readonly since: string
  /** Exclusive. */
  readonly until: string
  /** Time and id of the event before the page. */
  readonly afterTime: string
  readonly afterId: string
  readonly pageSize: number
}

/** A page: the JSON of its items with commas between them, and time and id of the last event if it is full. */
export interface AuditEventPageRow {
  readonly items: string
  readonly lastPosition: string | null
  readonly hasMore: boolean
}

/** A stored change; a name that this build does not know becomes the unspecified value. */
const changeResource = declareResource(
  FieldChangeSchema,
  schema.AuditEvent,
  'c',
  Object.fromEntries(
    FieldChangeSchema.fields.flatMap(({ localName, jsonName, enum: names }) =>
      names === undefined
        ? []
        : [[localName, { kind: 'computed', sql: nameText(names, Prisma.raw(`c.change->>'${jsonName}'`)) }]],
    ),
  ),
)

const changesText = listText(rowText(changeResource), Prisma.sql`c.place`)

const eventResource = declareResource(AuditEventSchema, schema.AuditEvent, 'e', {
  actor: {
    kind: 'columns',
    resource: declareResource(ActorSchema, schema.AuditEvent, 'e', {
      kind: 'actor_kind',
      id: 'actor_id',
      name: 'actor_name',
    }),
  },
  changes: {
    kind: 'elsewhere',
    sql: Prisma.sql`
CASE WHEN e.changes = '[]' THEN '[]'
     ELSE (SELECT ${changesText} FROM jsonb_array_elements(e.changes) WITH ORDINALITY c (change, place)) END`,
  },
})

/**
 * Reads one event more than the page. Each column that can be filtered has an index that ends in the order of the list;
 * which of them is used depends on the filters.
 */
const list = createStatement<AuditEventSelection, AuditEventPageRow>({
  name: 'list_audit_events',
  columns: { items: 'text', lastPosition: 'text', hasMore: 'bool' },
  planned: 'anew',
  text: (where) => Prisma.sql`
SELECT ${itemsText(Prisma.sql`e.text`, Prisma.sql`e.place`, Prisma.sql`e.place <= ${where.pageSize}`)} AS items,
       max(e.position) FILTER (WHERE e.place = ${where.pageSize}) AS "lastPosition",
       count(*) > ${where.pageSize} AS "hasMore"
  FROM (
    SELECT ${rowText(eventResource)} AS text,
           ${timestampText(Prisma.sql`e.occurred_at`)} || '/' || e.id AS position,
           row_number() OVER (ORDER BY e.occurred_at DESC, e.id DESC) AS place
      FROM (
        SELECT *
          FROM audit_events
         WHERE organization_id = ${where.organizationId}
           AND ${inTeams(Prisma.sql`team_id`, where.teamIds)}
           AND (${where.targetId} = '' OR target_id = ${where.targetId})
           AND (${where.action} = '' OR action = ${where.action})
           AND (${where.actorId} = '' OR actor_id = ${where.actorId})
           AND (${where.requestId} = '' OR request_id = ${where.requestId})
           AND occurred_at >= coalesce(nullif(${where.since}, '')::timestamptz, '-infinity')
           AND occurred_at < coalesce(nullif(${where.until}, '')::timestamptz, 'infinity')
           AND (${where.afterTime} = '' OR (occurred_at, id) < (nullif(${where.afterTime}, '')::timestamptz, nullif(${where.afterId}, '')::uuid))
         ORDER BY occurred_at DESC, id DESC
         LIMIT ${where.pageSize} + 1
      ) e
  ) e`,
})

/** The statements of this file. */
export const auditLogStatements = [list]

/** A page of events, the newest first. */
export async function readAuditEvents(
  tables: Tables,
  selection: AuditEventSelection,
): Promise<AuditEventPageRow | undefined> {
  const [page] = await tables.run(list, selection)
  return page
}
