import { Prisma } from '../../gen/prisma/client.js'
import type { AuditEventModel } from '../../gen/prisma/models.js'
import { schema } from '../../gen/prisma/schema.js'
import { PrioritySchema } from '../../gen/svc/v2/priority_pb.js'
import { createLookUp } from '../db/tables.js'
import { type PrintedObject, rowText, versionText } from './resource/print.js'
import { declareResource } from './resource/resource.js'
import { createStandardStore } from './standard-methods.js'
import { inTeams, type Visibility } from './visibility.js'

export const priorityResource = declareResource(PrioritySchema, schema.Priority, 'p')

/** New values of a visible priority; absent values stay unchanged. */
export interface PriorityChange
  extends Visibility,
    Pick<AuditEventModel, 'actorKind' | 'actorId' | 'actorName' | 'requestId'> {
  readonly id: string
  readonly name?: string | undefined
  readonly description?: string | undefined
  readonly isAiSelectable?: boolean | undefined
  readonly auditEventId: string
}

/**
 * Changes a priority together with its audit event, and returns it; nothing if it is not visible. One statement costs a
 * third of a transaction. Only for tables that are not distributed: a cluster would run it on all its nodes.
 */
export const updatePriorityAtOnce = createLookUp<PriorityChange, PrintedObject>({
  name: 'update_priority',
  columns: { json: 'text', version: 'text' },
  text: (change) => Prisma.sql`
WITH old AS (
  SELECT * FROM priorities
   WHERE id = ${change.id} AND organization_id = ${change.organizationId}
     AND ${inTeams(Prisma.sql`team_id`, change.teamIds)}
     FOR NO KEY UPDATE
), updated AS (
  UPDATE priorities p
     SET name = coalesce(${change.name}, p.name),
         description = coalesce(${change.description}, p.description),
         is_ai_selectable = coalesce(${change.isAiSelectable}, p.is_ai_selectable),
         version = p.version + coalesce(${change.name} <> p.name OR ${change.description} <> p.description
                                        OR ${change.isAiSelectable} <> p.is_ai_selectable, false)::int
    FROM old
   WHERE p.id = old.id AND p.organization_id = ${change.organizationId}
  RETURNING p.*
), audited AS (
  INSERT INTO audit_events (id, organization_id, actor_kind, actor_id, actor_name, action, target_type, target_id,
                            team_id, request_id, changed_fields)
  SELECT ${change.auditEventId}::uuid, p.organization_id, ${change.actorKind}::actor_kind, ${change.actorId},
         ${change.actorName}, 'priority.update', 'priority', p.id, p.team_id, ${change.requestId},
         CASE WHEN p.description <> old.description THEN ARRAY['description'] END
         || CASE WHEN p.name <> old.name THEN ARRAY['name'] END
         || CASE WHEN p.is_ai_selectable <> old.is_ai_selectable THEN ARRAY['isAiSelectable'] END
         || '{}'::text[]
    FROM updated p, old
), recorded AS (
  INSERT INTO event_outbox (organization_id, first_event_id, last_event_id, event_count)
  SELECT p.organization_id, ${change.auditEventId}::uuid, ${change.auditEventId}::uuid, 1 FROM updated p
)
SELECT ${rowText(priorityResource)} AS json, ${versionText(priorityResource)} AS version FROM updated p`,
})

/** The standard methods; updates have a statement of their own. */
export const priorityStore = createStandardStore(priorityResource, { searched: 'name' })
