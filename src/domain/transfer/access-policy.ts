import { nameLimits } from '../text-field.js'
import { idOf, textOf } from './field-values.js'
import { lockStatement, organizationCheck, sameColumns, upsertStatement } from './statements.js'
import type { TransferResource } from './transfer-resource.js'

/** A line of the kind `accessPolicy`. */
export interface AccessPolicyRecord {
  readonly id: string
  readonly teamId: string
  readonly name: string
}

const place = { table: 'access_policies', staged: 'staged_access_policy', key: { id: 's.id' } }

/** Access policies in files. */
export const accessPolicyTransfer: TransferResource<AccessPolicyRecord> = {
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
SELECT json_build_object('id', p.id, 'teamId', p.team_id, 'name', p.name) AS record
FROM access_policies p ORDER BY p.ordinal`,
}
