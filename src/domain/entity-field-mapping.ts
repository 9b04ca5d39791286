import { entityFieldMappingStore } from '../store/entity-field-mapping.js'
import type { CallContext } from './caller/caller.js'
import { listOfOwner } from './standard-methods.js'
import { standardResource } from './standard-resource.js'

/** Rules that fill fields of entities; `listEntityFieldMappings` lists them. */
export const entityFieldMappings = standardResource(entityFieldMappingStore, { name: 'field mapping' })

/**
 * The JSON of the field mappings of an entity type, highest priority first, then by id; only those of one config's
 * source if the request names it. Throws as `listOfOwner` does.
 */
export function listEntityFieldMappings(
  context: CallContext,
  { entityTypeId, ingestionConfigId }: Readonly<Record<'entityTypeId' | 'ingestionConfigId', string>>,
): Promise<string> {
  return listOfOwner(context, entityFieldMappings, entityTypeId, { ingestionConfigId })
}
