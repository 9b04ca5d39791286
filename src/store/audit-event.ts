import { Prisma } from '../../gen/prisma/client.js'
import type { AuditEventModel } from '../../gen/prisma/models.js'
import { FieldChangeSchema } from '../../gen/svc/v2/audit_log_pb.js'
import { createStatement } from '../db/statement.js'
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

/** Tells the feed of the events in the rows of a common table expression, which returns `organization_id` and `id`. */
export function outboxText(audited: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`
INSERT INTO event_outbox (organization_id, event_ids)
SELECT organization_id, array_agg(id) FROM ${audited} GROUP BY organization_id`
}

const insertEvents = createStatement<{ readonly events: string }, Record<never, never>>({
  name: 'insert_audit_events',
  columns: {},
  text: ({ events }) => Prisma.sql`
WITH audited AS (
  INSERT INTO audit_events AS a (id, organization_id, actor_kind, actor_id, actor_name, action, target_type, target_id,
                            team_id, request_id, changes, changed_fields)
  SELECT * FROM json_to_recordset(${events})
      AS e (id uuid, "organizationId" text, "actorKind" actor_kind, "actorId" text, "actorName" text, action text,
            "targetType" text, "targetId" text, "teamId" text, "requestId" text, changes jsonb,
            "changedFields" text[])
  RETURNING a.organization_id, a.id
)${outboxText(Prisma.sql`audited`)}`,
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
