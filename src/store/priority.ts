import { Prisma } from '../../gen/prisma/client.js'
import type { PriorityModel } from '../../gen/prisma/models.js'
import { schema } from '../../gen/prisma/schema.js'
import { PrioritySchema } from '../../gen/svc/v2/priority_pb.js'
import { createStatement } from '../db/statement.js'
import type { Tables } from '../db/tables.js'
import { type AuditedCall, auditInsert } from './audit-event.js'
import { type PrintedRow, rowText } from './resource/print.js'
import { declareResource } from './resource/resource.js'
import { inTeams, type Scope } from './scope.js'
import { createListedStore } from './standard-methods.js'

/** Priorities of tickets. */
export const priorityResource = declareResource(PrioritySchema, schema.Priority, 'p')

/** A priority to be stored. */
export type NewPriority = Omit<PriorityModel, 'id' | 'organizationId' | 'ordinal'>

/** New values of a priority, if it is in the scope; absent values stay unchanged. */
export interface PriorityChange extends Scope, AuditedCall {
  readonly id: string
  readonly name?: string | undefined
  readonly description?: string | undefined
  readonly isAiSelectable?: boolean | undefined
  readonly auditEventId: string
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

/** The standard methods; updates have a statement of their own. */
export const priorityStore = createListedStore(priorityResource, ['teamId'], {
  create: ({ models }, key, values: NewPriority) =>
    models.priority.create({ data: { ...key, ...values }, select: { id: true } }),
  delete: ({ models }, key) => models.priority.delete({ where: { organizationId_id: key }, select: { id: true } }),
})

/** The statements of this file. */
export const priorityStatements = [update, ...priorityStore.statements]

/** Changes a priority together with its audit event, and returns its JSON; nothing if it is not in the scope. */
export async function updatePriority(tables: Tables, change: PriorityChange): Promise<string | undefined> {
  const [updated] = await tables.run(update, change)
  return updated?.json
}
