import { invalidField } from '../../errors.js'
import { nameLimits } from '../text-field.js'
import { idOf, textOf } from './field-values.js'
import { lockStatement, sameColumns, upsertStatement } from './statements.js'
import type { TransferResource } from './transfer-resource.js'

/** A line of the kind `organization`. */
export interface OrganizationRecord {
  readonly id: string
  readonly name: string
  readonly region: string
}

const place = { table: 'organizations', staged: 'staged_organization', key: { id: 's.id' } }

/** Organizations in files. */
export const organizationTransfer: TransferResource<OrganizationRecord> = {
  staged: place.staged,
  rowOf: (record) => {
    const region = record.region === '' ? 'us' : record.region
    if (region !== 'us' && region !== 'eu') throw invalidField('region', 'must be us or eu')
    return {
      key: idOf('id', record.id),
      values: { id: record.id, name: textOf('name', record.name, nameLimits), region },
    }
  },
  columns: { id: 'text', name: 'text', region: 'region' },
  checks: [],
  lock: lockStatement(place),
  upsert: upsertStatement({ ...place, values: sameColumns('name', 'region') }),
  children: [],
  finalChecks: [],
  select: `
SELECT json_build_object('id', o.id, 'name', o.name, 'region', o.region) AS record FROM organizations o ORDER BY o.ordinal`,
}
