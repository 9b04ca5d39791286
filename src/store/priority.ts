import { Prisma } from '../../gen/prisma/client.js'
import { schema } from '../../gen/prisma/schema.js'
import { PrioritySchema } from '../../gen/svc/v2/priority_pb.js'
import type { PreparedQueryable } from '../db/queryable.js'
import { createPreparedStatement } from '../db/statement.js'
import { type AuditedCall, auditInsert } from './audit-event.js'
import { type PrintedRow, rowText } from './resource/print.js'
import { declareResource } from './resource/resource.js'
import { inTeams, type Scope } from './scope.js'

/** Priorities of tickets. */
export const priorityResource = declareResource(PrioritySchema, schema.Priority, 'p')

/** New values of a priority, where it is in the scope; what is absent stays as it is. */
export interface PriorityChange extends Scope, AuditedCall {
  readonly id: string
  readonly name: string | undefined
  readonly description: string | undefined
  readonly isAiSelectable: boolean | undefined
  readonly auditEventId: string
}

const update = createPreparedStatement<PriorityChange, PrintedRow>({
  name: 'update_priority',
  reason: 'write with audit event',
  columns: { json: 'text' },
  text: (change) => Prisma.sql`
WITH updated AS (
  UPDATE priorities
     SET name = coalesce(${change.name}, name),
         description = coalesce(${change.description}, description),
         is_ai_selectable = coalesce(${change.isAiSelectable}, is_ai_selectable)
   WHERE id = ${change.id} AND organization_id = ${change.organizationId}
     AND ${inTeams(Prisma.sql`team_id`, change.teamIds)}
  RETURNING *, ${change.auditEventId}::uuid AS audit_event_id
), audited AS (
  ${auditInsert(
    Prisma.sql`updated`,
    { action: Prisma.sql`'priority.update'`, targetType: Prisma.sql`'priority'` },
    change,
  )}
)
SELECT ${rowText(priorityResource)} AS json FROM updated p`,
})

const lockTeam = createPreparedStatement<Scope & { readonly id: string }, { readonly teamId: string }>({
  name: 'lock_team_of_priority',
  reason: 'lock',
  columns: { teamId: 'text' },
  text: ({ id, organizationId, teamIds }) => Prisma.sql`
SELECT team_id AS "teamId" FROM priorities
 WHERE id = ${id} AND organization_id = ${organizationId} AND ${inTeams(Prisma.sql`team_id`, teamIds)}
   FOR KEY SHARE`,
})

/** The statements of this file. */
export const priorityStatements = [update, lockTeam]

/** Changes a priority together with its audit event, and answers its JSON; nothing where it is not in the scope. */
export async function updatePriority(tables: PreparedQueryable, change: PriorityChange): Promise<string | undefined> {
  const [updated] = await tables.run(update, change)
  return updated?.json
}

/** The team of a priority, where it is in the scope; in a transaction it stays until its end. */
export async function lockTeamOfPriority(
  tables: PreparedQueryable,
  id: string,
  scope: Scope,
): Promise<string | undefined> {
  const [found] = await tables.run(lockTeam, { id, organizationId: scope.organizationId, teamIds: scope.teamIds })
  return found?.teamId
}
