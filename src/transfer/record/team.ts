import { nameLimits } from '../../domain/value/text-field.js'
import { idOf, textOf } from '../field-values.js'
import type { StagedRow } from '../staged-row.js'

/** A line of the kind `team`. */
export interface TeamRecord {
  readonly id: string
  readonly organizationId: string
  readonly name: string
}

/** The record as a row to be staged. Throws a ServiceError that names the field at fault. */
export function teamRow(record: TeamRecord): StagedRow {
  return {
    key: idOf('id', record.id),
    values: {
      id: record.id,
      ownerId: idOf('organizationId', record.organizationId),
      name: textOf('name', record.name, nameLimits),
    },
  }
}
