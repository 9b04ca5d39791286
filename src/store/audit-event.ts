import { Prisma } from '../../gen/prisma/client.js'
import type { AuditEventModel } from '../../gen/prisma/models.js'
import { FieldChangeSchema } from '../../gen/svc/v2/audit_log_pb.js'
import type { Places } from '../db/statement.js'
import { createQuery, type Tables } from '../db/tables.js'
import { jsonInSlices } from '../runtime/slices.js'
import type { AuditAction } from './audit-action.js'
import { enumPrefix } from './resource/text.js'

/** A governed field of a write, or a member of a group, by the names of the API without their prefixes. */
export type NewFieldChange =
  | Readonly<Record<'field' | 'outcome' | 'oldOwner' | 'newOwner', string>>
  | Readonly<Record<'userId' | 'outcome', string>>

/** The columns that events of one write share. */
export type AuditContext = Pick<AuditEventModel, 'organizationId' | 'actorKind' | 'actorId' | 'actorName' | 'requestId'>

export interface NewAuditEvent extends Pick<AuditEventModel, 'id' | 'targetType' | 'targetId' | 'teamId'> {
  readonly action: AuditAction
  readonly changes: readonly NewFieldChange[]
  readonly changedFields: readonly string[]
}

/** The events of one write, and their row of the outbox. */
interface RecordedEvents extends AuditContext {
  readonly events: string
  readonly firstEventId: string
  readonly lastEventId: string
  readonly eventCount: number
}

// Joined to the organization, so that a cluster inserts the rows on their own node: its coordinator would insert rows
// of values alone, and commit them in two phases.
const eventsText = (values: Places<RecordedEvents>) => Prisma.sql`
INSERT INTO audit_events (organization_id, actor_kind, actor_id, actor_name, request_id, id, action, target_type,
                          target_id, team_id, changes, changed_fields)
SELECT o.id, ${values.actorKind}::actor_kind, ${values.actorId}, ${values.actorName}, ${values.requestId}, e.id, e.action,
       e."targetType", e."targetId", e."teamId", e.changes, e."changedFields"
  FROM organizations o
 CROSS JOIN json_to_recordset(${values.events})
    AS e (id uuid, action text, "targetType" text, "targetId" text, "teamId" text, changes json, "changedFields" text[])
 WHERE o.id = ${values.organizationId}`

const outboxText = (values: Places<RecordedEvents>) => Prisma.sql`
INSERT INTO event_outbox (organization_id, first_event_id, last_event_id, event_count)
VALUES (${values.organizationId}, ${values.firstEventId}::uuid, ${values.lastEventId}::uuid, ${values.eventCount})`

const insert = createQuery<RecordedEvents>({ name: 'insert_audit_events', columns: {}, text: eventsText })

const insertOutboxRow = createQuery<RecordedEvents>({ name: 'insert_event_outbox', columns: {}, text: outboxText })

/** Events and outbox row in one message; a cluster would run each part through its coordinator. */
const insertWithOutboxRow = createQuery<RecordedEvents>({
  name: 'insert_events_and_outbox',
  columns: {},
  text: (values) => Prisma.sql`WITH inserted AS (${eventsText(values)})${outboxText(values)}`,
})

/**
 * Writes events of one organization in the order given, and puts them into the outbox of its feed. Their ids are
 * consecutive.
 */
export async function insertAuditEvents(
  tables: Tables,
  context: AuditContext,
  events: readonly NewAuditEvent[],
): Promise<void> {
  const rows = await jsonInSlices(events, (event) => ({ ...event, changes: event.changes.map(changeDocument) }))
  const [firstEventId, lastEventId] = [events[0]?.id ?? '', events.at(-1)?.id ?? '']
  const values = { ...context, events: rows, firstEventId, lastEventId, eventCount: events.length }
  for (const send of tables.isDistributed ? [insert, insertOutboxRow] : [insertWithOutboxRow])
    await send(tables, values)
}

/** Takes everything out of the outbox of an organization that is not there. */
export async function clearOutbox({ models }: Tables, organizationId: string): Promise<void> {
  await models.eventOutbox.deleteMany({ where: { organizationId } })
}

/** The members of the JSON of a change, and before what the API writes the names of enums. */
const changeMembers = FieldChangeSchema.fields.map((field) => {
  return { name: field.localName, key: field.jsonName, prefix: field.enum && enumPrefix(field) }
})

function changeDocument(change: NewFieldChange): Readonly<Record<string, string>> {
  const names: Readonly<Record<string, string>> = change
  const document: Record<string, string> = {}
  for (const { name, key, prefix } of changeMembers) {
    const text = names[name] ?? (prefix && 'UNSPECIFIED')
    if (text !== undefined) document[key] = `${prefix ?? ''}${text}`
  }
  return document
}
