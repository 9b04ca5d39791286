import { entityTypeStore } from '../store/entity-type.js'

/** The types of the entities that teams ingest. */
export const entityTypes = {
  name: 'entity type',
  auditedAs: 'entity_type',
  read: 'entities:read',
  write: 'entities:write',
  store: entityTypeStore,
} as const
