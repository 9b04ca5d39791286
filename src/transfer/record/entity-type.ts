import { nameLimits } from '../../domain/value/text-field.js'
import { idOf, textOf } from '../field-values.js'
import type { StagedRow } from '../staged-row.js'

/** A line of the kind `entityType`. */
export interface EntityTypeRecord {
  readonly id: string
  readonly teamId: string
  readonly name: string
}

/** The record as a row to be staged. Throws a ServiceError that names the field at fault. */
export function entityTypeRow(record: EntityTypeRecord): StagedRow {
  return {
    key: idOf('id', record.id),
    values: {
      id: record.id,
      teamId: idOf('teamId', record.teamId),
      name: textOf('name', record.name, nameLimits),
    },
  }
}
