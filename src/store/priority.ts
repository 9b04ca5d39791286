import { Prisma } from '../../gen/prisma/client.js'
import { schema } from '../../gen/prisma/schema.js'
import { PrioritySchema } from '../../gen/svc/v2/priority_pb.js'
import { createStatement } from '../db/statement.js'
import type { Tables } from '../db/tables.js'
import { type AuditedCall, auditInsert } from './audit-event.js'
import { type PrintedRow, rowText } from './resource/print.js'
import { declareResource } from './resource/resource.js'
import { inTeams, type Scope } from './scope.js'

/** Priorities of tickets. */
export const priorityResource = declareResource(PrioritySchema, schema.Priority, 'p')

/** New values of a priority, if it is in the scope; absent values stay unchanged. */
export interface PriorityChange extends Scope, AuditedCall {
  readonly id: string
  readonly name?: string | undefined
  readonly description?: string | undefined
  readonly isAiSelectable?: boolean | undefined
  readonly auditEventId: string
}

/** The team of a priority, and its JSON. */
export interface LockedPriority extends PrintedRow {
  readonly teamId: string
}

const update = createStatement<PriorityChange, PrintedRow>({
  name: 'update_priority',
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
  ${auditInsert(Prisma.sql`updated`, { action: 'priority.update', targetType: 'priority' }, change)}
)
SELECT ${rowText(priorityResource)} AS json FROM updated p`,
})

const lock = createStatement<Scope & { readonly id: string }, LockedPriority>({
  name: 'lock_priority',
  columns: { teamId: 'text', json: 'text' },
  text: ({ id, organizationId, teamIds }) => Prisma.sql`
SELECT p.team_id AS "teamId", ${rowText(priorityResource)} AS json
  FROM priorities p
 WHERE p.id = ${id} AND p.organization_id = ${organizationId} AND ${inTeams(Prisma.sql`p.team_id`, teamIds)}
   FOR NO KEY UPDATE`,
})

/** The statements of this file. */
export const priorityStatements = [update, lock]

/** Changes a priority together with its audit event, and returns its JSON; nothing if it is not in the scope. */
export async function updatePriority(tables: Tables, change: PriorityChange): Promise<string | undefined> {
  const [updated] = await tables.run(update, change)
  return updated?.json
}

/** Locks a priority until the end of the transaction, if it is in the scope. */
export async function lockPriority(
  tables: Tables,
  id: string,
  { organizationId, teamIds }: Scope,
): Promise<LockedPriority | undefined> {
  const [found] = await tables.run(lock, { id, organizationId, teamIds })
  return found
}
