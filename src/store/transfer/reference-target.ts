/** What records refer to, in words, and the column that holds its id. */
export const referenceTargets = {
  teams: { noun: 'team', id: 'id' },
  groups: { noun: 'group', id: 'id' },
  memberships: { noun: 'user', id: 'user_id' },
  access_policies: { noun: 'access policy', id: 'id' },
  app_instances: { noun: 'app instance', id: 'id' },
  entity_types: { noun: 'entity type', id: 'id' },
  entity_ingestion_configs: { noun: 'ingestion config', id: 'id' },
}

/** A table that records refer to. */
export type ReferenceTarget = keyof typeof referenceTargets

export function isReferenceTarget(table: string | undefined): table is ReferenceTarget {
  return table !== undefined && Object.hasOwn(referenceTargets, table)
}
