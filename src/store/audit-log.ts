import { Prisma } from '../../gen/prisma/client.js'
import type { PreparedQueryable } from '../db/queryable.js'
import { createPreparedStatement, type Parameter } from '../db/statement.js'
import { knownText, objectText, plainText, quotedTimestamp, stringText } from './json-text.js'
import { inTeams, type Scope } from './scope.js'
import { timestampText } from './timestamp-text.js'

/** The names that stored changes may hold, as the API writes them; others are printed as the unspecified ones. */
export interface KnownChangeNames {
  readonly fieldNames: readonly string[]
  readonly outcomeNames: readonly string[]
  readonly ownerNames: readonly string[]
}

/** Which events to list; what is null is not asked for. */
export interface AuditEventSelection extends Scope, KnownChangeNames {
  readonly targetId: string | null
  readonly action: string | null
  /** Inclusive. */
  readonly since: string | null
  /** Exclusive. */
  readonly until: string | null
  /** Time and id of the event before the page. */
  readonly afterTime: string | null
  readonly afterId: string | null
  readonly pageSize: number
}

/** A page: the JSON of its events with commas between them, and time and id of the last one where it is full. */
export interface AuditEventPageRow {
  readonly text: string
  readonly lastPosition: string | null
  readonly hasMore: boolean
}

const changeText = (fieldNames: Parameter, outcomeNames: Parameter, ownerNames: Parameter) =>
  objectText([
    ['field', knownText(Prisma.sql`c.change->>'field'`, fieldNames, 'USER_PROFILE_FIELD_UNSPECIFIED')],
    ['outcome', knownText(Prisma.sql`c.change->>'outcome'`, outcomeNames, 'FIELD_WRITE_OUTCOME_UNSPECIFIED')],
    ['oldOwner', knownText(Prisma.sql`c.change->>'oldOwner'`, ownerNames, 'FIELD_OWNER_UNSPECIFIED')],
    ['newOwner', knownText(Prisma.sql`c.change->>'newOwner'`, ownerNames, 'FIELD_OWNER_UNSPECIFIED')],
  ])

const actorText = objectText([
  ['kind', plainText(Prisma.sql`'ACTOR_KIND_' || e.actor_kind`)],
  ['id', stringText(Prisma.sql`e.actor_id`)],
  ['name', stringText(Prisma.sql`e.actor_name`)],
])

const eventText = (change: Prisma.Sql) =>
  objectText([
    ['id', plainText(Prisma.sql`e.id`)],
    ['occurredAt', quotedTimestamp(Prisma.sql`e.occurred_at`)],
    ['actor', actorText],
    ['action', stringText(Prisma.sql`e.action`)],
    ['targetType', stringText(Prisma.sql`e.target_type`)],
    ['targetId', stringText(Prisma.sql`e.target_id`)],
    ['teamId', stringText(Prisma.sql`e.team_id`)],
    ['requestId', stringText(Prisma.sql`e.request_id`)],
    [
      'changes',
      Prisma.sql`CASE WHEN e.changes = '[]' THEN '[]' ELSE '[' || (
         SELECT string_agg(${change}, ',' ORDER BY c.place)
           FROM jsonb_array_elements(e.changes) WITH ORDINALITY c (change, place)
       ) || ']' END`,
    ],
  ])

/**
 * Reads one event more than the page has. Each column that may be filtered has an index that ends in the order of the
 * list; which of them serves depends on the filters that are there.
 */
const list = createPreparedStatement<AuditEventSelection, AuditEventPageRow>({
  name: 'list_audit_events',
  reason: 'printed JSON',
  columns: { text: 'text', lastPosition: 'text', hasMore: 'bool' },
  planned: 'anew',
  text: (where) => Prisma.sql`
SELECT coalesce(string_agg(e.text, ',' ORDER BY e.place) FILTER (WHERE e.place <= ${where.pageSize}), '') AS text,
       max(e.position) FILTER (WHERE e.place = ${where.pageSize}) AS "lastPosition",
       count(*) > ${where.pageSize} AS "hasMore"
  FROM (
    SELECT ${eventText(changeText(where.fieldNames, where.outcomeNames, where.ownerNames))} AS text,
           ${timestampText(Prisma.sql`e.occurred_at`)} || '/' || e.id AS position,
           row_number() OVER (ORDER BY e.occurred_at DESC, e.id DESC) AS place
      FROM (
        SELECT *
          FROM audit_events
         WHERE organization_id = ${where.organizationId}
           AND ${inTeams(Prisma.sql`team_id`, where.teamIds)}
           AND (${where.targetId}::text IS NULL OR target_id = ${where.targetId})
           AND (${where.action}::text IS NULL OR action = ${where.action})
           AND occurred_at >= coalesce(${where.since}::timestamptz, '-infinity')
           AND occurred_at < coalesce(${where.until}::timestamptz, 'infinity')
           AND (${where.afterTime}::timestamptz IS NULL
                OR (occurred_at, id) < (${where.afterTime}::timestamptz, ${where.afterId}::uuid))
         ORDER BY occurred_at DESC, id DESC
         LIMIT ${where.pageSize} + 1
      ) e
  ) e`,
})

/** The statements of this file. */
export const auditLogStatements = [list]

/** A page of events, the newest first. */
export async function readAuditEvents(
  tables: PreparedQueryable,
  selection: AuditEventSelection,
): Promise<AuditEventPageRow | undefined> {
  const [page] = await tables.run(list, selection)
  return page
}
