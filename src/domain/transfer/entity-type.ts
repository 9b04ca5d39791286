import { nameLimits } from '../text-field.js'
import { idOf, textOf } from './field-values.js'
import { lockStatement, organizationCheck, sameColumns, upsertStatement } from './statements.js'
import type { TransferResource } from './transfer-resource.js'

/** A line of the kind `entityType`. */
export interface EntityTypeRecord {
  readonly id: string
  readonly teamId: string
  readonly name: string
}

const place = { table: 'entity_types', staged: 'staged_entity_type', key: { id: 's.id' } }

/** Entity types in files. */
export const entityTypeTransfer: TransferResource<EntityTypeRecord> = {
  staged: place.staged,
  rowOf: (record) => ({
    key: idOf('id', record.id),
    values: {
      id: record.id,
      team_id: idOf('teamId', record.teamId),
      name: textOf('name', record.name, nameLimits),
    },
  }),
  columns: { id: 'text', team_id: 'text', name: 'text' },
  owner: { table: 'teams', column: 'team_id', field: 'teamId', gives: { organization_id: 'owner.organization_id' } },
  checks: [organizationCheck(place.table, place.staged)],
  lock: lockStatement(place),
  upsert: upsertStatement({ ...place, values: sameColumns('organization_id', 'team_id', 'name') }),
  children: [],
  finalChecks: [],
  select: `
SELECT json_build_object('id', e.id, 'teamId', e.team_id, 'name', e.name) AS record
FROM entity_types e ORDER BY e.ordinal`,
}
