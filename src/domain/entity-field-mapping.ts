import type { PreparedQueryable } from '../db/queryable.js'
import { notFound } from '../errors.js'
import { listMappingsOfConfig, listMappingsOfType } from '../store/entity-field-mapping.js'
import { type Caller, requirePermissionIn, visibleScope } from './caller/caller.js'

/** What to list; empty strings mean absent. */
export interface EntityFieldMappingListRequest {
  readonly entityTypeId: string
  readonly ingestionConfigId: string
}

/**
 * The JSON of the field mappings of an entity type, highest priority first, then by id; only those of one config's
 * source if the request names it. Throws `RESOURCE_NOT_FOUND` for the type, and `PERMISSION_MISSING` without
 * `entities:read` in its team.
 */
export async function listEntityFieldMappings(
  tables: PreparedQueryable,
  caller: Caller,
  { entityTypeId, ingestionConfigId }: EntityFieldMappingListRequest,
): Promise<string> {
  const type = { entityTypeId, ...visibleScope(caller) }
  const list = await (ingestionConfigId === ''
    ? listMappingsOfType(tables, type)
    : listMappingsOfConfig(tables, { ingestionConfigId, ...type }))
  if (list === undefined) throw notFound('entity type', entityTypeId)
  requirePermissionIn(caller, list.teamId, 'entities:read')
  return list.json
}
