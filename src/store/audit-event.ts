import { Prisma } from '../../gen/prisma/client.js'
import type { AuditEventModel } from '../../gen/prisma/models.js'
import { FieldChangeSchema } from '../../gen/svc/v2/audit_log_pb.js'
import { createStatement, type Places } from '../db/statement.js'
import type { Tables } from '../db/tables.js'
import type { AuditAction } from './audit-action.js'
import { enumPrefix } from './resource/text.js'

/** What an event records about the call that did it. */
export type AuditedCall = Pick<AuditEventModel, 'actorKind' | 'actorId' | 'actorName' | 'requestId'>

/** A governed field of a write, by the names of the API without their prefixes. */
export type NewFieldChange = Readonly<Record<'field' | 'outcome' | 'oldOwner' | 'newOwner', string>>

/** An event to be stored. */
export type NewAuditEvent = Omit<AuditEventModel, 'occurredAt' | 'action' | 'changes' | 'changedFields'> & {
  readonly action: AuditAction
  readonly changes: readonly NewFieldChange[]
  readonly changedFields: readonly string[]
}

/** What the events of a change record for each row. */
export interface AuditedChange {
  readonly action: AuditAction
  /** Such as `priority`. */
  readonly targetType: string
}

/**
 * The part of a statement that records one event for each row of `rows`, a table expression with the columns
 * `audit_event_id`, `organization_id`, `id` and `team_id`: the change and its events then take one round trip.
 */
export function auditInsert(rows: Prisma.Sql, change: AuditedChange, call: Places<AuditedCall>): Prisma.Sql {
  return Prisma.sql`
INSERT INTO audit_events (id, organization_id, actor_kind, actor_id, actor_name, action, target_type, target_id, team_id,
                          request_id)
SELECT audit_event_id, organization_id, ${call.actorKind}::actor_kind, ${call.actorId}, ${call.actorName},
       ${literal(change.action)}, ${literal(change.targetType)}, id, team_id, ${call.requestId}
  FROM ${rows}`
}

/** A text of the code as a literal. */
function literal(text: string): Prisma.Sql {
  return Prisma.raw(`'${text}'`)
}

const insertEvents = createStatement<{ readonly events: string }, Record<never, never>>({
  name: 'insert_audit_events',
  columns: {},
  text: ({ events }) => Prisma.sql`
INSERT INTO audit_events (id, organization_id, actor_kind, actor_id, actor_name, action, target_type, target_id,
                          team_id, request_id, changes, changed_fields)
SELECT * FROM json_to_recordset(${events})
    AS e (id uuid, "organizationId" text, "actorKind" actor_kind, "actorId" text, "actorName" text, action text,
          "targetType" text, "targetId" text, "teamId" text, "requestId" text, changes jsonb,
          "changedFields" text[])`,
})

/** The statements of this file. */
export const auditEventStatements = [insertEvents]

/** Writes the events in the order given. The statement is sent even for none. */
export async function insertAuditEvents({ run }: Tables, events: readonly NewAuditEvent[]): Promise<void> {
  const rows = events.map((event) => ({ ...event, changes: event.changes.map(changeDocument) }))
  await run(insertEvents, { events: JSON.stringify(rows) })
}

const { field, outcome, oldOwner, newOwner } = FieldChangeSchema.field
const prefixes = {
  field: enumPrefix(field),
  outcome: enumPrefix(outcome),
  oldOwner: enumPrefix(oldOwner),
  newOwner: enumPrefix(newOwner),
}

/** A change as it is stored: the JSON of the API. */
function changeDocument(change: NewFieldChange): NewFieldChange {
  return {
    field: prefixes.field + change.field,
    outcome: prefixes.outcome + change.outcome,
    oldOwner: prefixes.oldOwner + change.oldOwner,
    newOwner: prefixes.newOwner + change.newOwner,
  }
}
