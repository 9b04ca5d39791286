import { nameLimits } from '../text-field.js'
import { idOf, textOf } from './field-values.js'
import { lockStatement, organizationCheck, sameColumns, upsertStatement } from './statements.js'
import type { TransferResource } from './transfer-resource.js'

/** A line of the kind `team`. */
export interface TeamRecord {
  readonly id: string
  readonly organizationId: string
  readonly name: string
}

const place = { table: 'teams', staged: 'staged_team', key: { id: 's.id' } }

/** Teams in files. */
export const teamTransfer: TransferResource<TeamRecord> = {
  staged: place.staged,
  rowOf: (record) => ({
    key: idOf('id', record.id),
    values: {
      id: record.id,
      owner_id: idOf('organizationId', record.organizationId),
      name: textOf('name', record.name, nameLimits),
    },
  }),
  columns: { id: 'text', owner_id: 'text', name: 'text' },
  owner: {
    table: 'organizations',
    column: 'owner_id',
    field: 'organizationId',
    gives: { organization_id: 'owner.id' },
  },
  checks: [organizationCheck(place.table, place.staged)],
  lock: lockStatement(place),
  upsert: upsertStatement({ ...place, values: sameColumns('organization_id', 'name') }),
  children: [],
  finalChecks: [],
  select: `
SELECT json_build_object('id', t.id, 'organizationId', t.organization_id, 'name', t.name) AS record
FROM teams t ORDER BY t.ordinal`,
}
