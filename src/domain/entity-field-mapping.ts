import { entityFieldMappingStore, readMappingsOfConfig, readMappingsOfType } from '../store/entity-field-mapping.js'
import { type CallContext, listOfOwner, visibilityOf } from './caller/caller.js'
import { standardResource } from './standard-resource.js'

/** Rules that fill fields of entities; `listEntityFieldMappings` lists them. */
export const entityFieldMappings = standardResource(entityFieldMappingStore, { name: 'field mapping' })

/**
 * The JSON of the field mappings of an entity type, highest priority first, then by id; only those of one config's
 * source if the request names it. Throws `RESOURCE_NOT_FOUND` for the type, and `PERMISSION_MISSING` without
 * `entities:read` in its team.
 */
export async function listEntityFieldMappings(
  { reads, caller }: CallContext,
  { entityTypeId, ingestionConfigId }: Readonly<Record<'entityTypeId' | 'ingestionConfigId', string>>,
): Promise<string> {
  const type = { ownerId: entityTypeId, ...visibilityOf(caller) }
  const list = await (ingestionConfigId === ''
    ? readMappingsOfType(reads, type)
    : readMappingsOfConfig(reads, { ingestionConfigId, ...type }))
  return listOfOwner(list, caller, ['entity type', entityTypeId], 'entities:read')
}
