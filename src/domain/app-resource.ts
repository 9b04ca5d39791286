import type { Database } from '../db/database.js'
import { type AppResourceUpdate, checkAppResourceUpdates } from './app-resource-batch.js'
import { lockAppResources } from './app-resource-lock.js'
import { auditInsert, auditParameters, type WriteContext } from './audit-statement.js'
import type { Caller } from './caller.js'

/** Something inside an app that access can be given to (spec, AppResource). `externalId` is empty where unset. */
export interface AppResource {
  readonly id: string
  readonly appInstanceId: string
  readonly resourceType: string
  readonly name: string
  readonly description: string
  readonly externalId: string
  readonly tagIds: string[]
  readonly scopedId: string
}

/** Unique constraints are judged at its end, so that entries may swap their values. */
const updateStatement = `
WITH updated AS (
  UPDATE app_resources r
     SET resource_type = coalesce(u.resource_type, r.resource_type),
         name = coalesce(u.name, r.name),
         description = coalesce(u.description, r.description),
         external_id = CASE WHEN u.external_id IS NULL THEN r.external_id ELSE nullif(u.external_id, '') END,
         scoped_id = coalesce(u.scoped_id, r.scoped_id)
    FROM unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::uuid[])
      AS u (id, resource_type, name, description, external_id, scoped_id, audit_event_id)
   WHERE r.organization_id = $1 AND r.id = u.id
  RETURNING r.*, u.audit_event_id
), audited AS (
  ${auditInsert('updated', { action: 'app_resource.update', targetType: 'app_resource' }, 9)}
)
SELECT id, app_instance_id AS "appInstanceId", resource_type AS "resourceType", name, description,
       coalesce(external_id, '') AS "externalId", coalesce(tag_ids, '{}') AS "tagIds", scoped_id AS "scopedId"
  FROM updated`

/**
 * Changes all of the resources or none, and answers them in the order of the updates (spec, endpoint 3; decisions,
 * section 6). Throws what `checkAppResourceUpdates` and `lockAppResources` throw; a value that another resource has
 * violates a unique constraint.
 */
export async function batchUpdateAppResources(
  database: Database,
  caller: Caller,
  updates: readonly AppResourceUpdate[],
  { runtime, requestId, signal }: WriteContext,
): Promise<AppResource[]> {
  checkAppResourceUpdates(updates)
  const column = (name: keyof AppResourceUpdate) => updates.map((update) => update[name] ?? null)
  const updated = await database.transaction(async (sql) => {
    await lockAppResources(sql, caller, updates)
    return sql.query<AppResource>(
      updateStatement,
      [
        ...[caller.organizationId, column('id'), column('resourceType'), column('name'), column('description')],
        ...[column('externalId'), column('scopedId'), updates.map(() => runtime.newId())],
        ...auditParameters(caller, requestId),
      ],
      'update_app_resources',
    )
  }, signal && { signal })
  const byId = new Map(updated.map((resource) => [resource.id, resource]))
  return updates.flatMap(({ id }) => byId.get(id) ?? [])
}
