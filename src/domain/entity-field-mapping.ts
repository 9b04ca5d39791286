import type { PreparedQueryable } from '../db/queryable.js'
import { invalidField, notFound } from '../errors.js'
import { type ListedFieldMapping, listMappingsOfConfig, listMappingsOfType } from '../store/entity-field-mapping.js'
import { type Caller, requirePermissionIn, visibleScope } from './caller/caller.js'

/** One rule that fills a field of an entity from an outside field. */
export interface EntityFieldMapping {
  readonly id: string
  readonly ingestionConfigId: string
  readonly internalFieldId: string
  readonly externalFieldPath: string
  readonly priority: number
  readonly createdAt: string
  readonly updatedAt: string
}

/** What to list; empty texts are absent. */
export interface EntityFieldMappingListRequest {
  readonly entityTypeId: string
  readonly ingestionConfigId: string
}

/**
 * The field mappings of an entity type, the highest priority first, then by id, of one config's source where the
 * request names it. Throws `FIELD_REQUIRED` without a type, `RESOURCE_NOT_FOUND` for the type, and `PERMISSION_MISSING`
 * without `entities:read` in its team.
 */
export async function listEntityFieldMappings(
  tables: PreparedQueryable,
  caller: Caller,
  { entityTypeId, ingestionConfigId }: EntityFieldMappingListRequest,
): Promise<EntityFieldMapping[]> {
  if (entityTypeId === '') throw invalidField('entityTypeId', 'is required', 'FIELD_REQUIRED')
  const type = { ...visibleScope(caller), entityTypeId }
  const rows = await (ingestionConfigId === ''
    ? listMappingsOfType(tables, type)
    : listMappingsOfConfig(tables, { ...type, ingestionConfigId }))
  const [first] = rows
  if (first === undefined) throw notFound('entity type', entityTypeId)
  requirePermissionIn(caller, first.teamId, 'entities:read')
  return rows.filter((row): row is ListedFieldMapping & EntityFieldMapping => row.id !== null)
}
