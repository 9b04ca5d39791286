import { nameLimits } from '../../domain/value/text-field.js'
import { invalidField } from '../../errors.js'
import { idOf, textOf } from '../field-values.js'
import type { StagedRow } from '../staged-row.js'

/** A line of the kind `organization`. */
export interface OrganizationRecord {
  readonly id: string
  readonly name: string
  readonly region: string
}

/** The record as a row to be staged. Throws a ServiceError that names the field at fault. */
export function organizationRow(record: OrganizationRecord): StagedRow {
  const region = record.region === '' ? 'us' : record.region
  if (region !== 'us' && region !== 'eu') throw invalidField('region', 'must be us or eu')
  return {
    key: idOf('id', record.id),
    values: { id: record.id, name: textOf('name', record.name, nameLimits), region },
  }
}
