import { nameLimits, type TextLimits } from '../../domain/value/text-field.js'
import { timestampOf } from '../../domain/value/timestamp.js'
import { idOf, textOf } from '../field-values.js'
import type { StagedRow } from '../staged-row.js'

/** A line of the kind `entityFieldMapping`. */
export interface EntityFieldMappingRecord {
  readonly id: string
  readonly ingestionConfigId: string
  readonly internalFieldId: string
  readonly externalFieldPath: string
  readonly priority: number
  readonly createdAt: string
  readonly updatedAt: string
  readonly entityTypeId: string
}

const pathLimits: TextLimits = { max: 2048 }

/** The record as a row to be staged. Throws a ServiceError that names the field at fault. */
export function entityFieldMappingRow(record: EntityFieldMappingRecord): StagedRow {
  return {
    key: idOf('id', record.id),
    values: {
      id: record.id,
      entityTypeId: idOf('entityTypeId', record.entityTypeId),
      ingestionConfigId: idOf('ingestionConfigId', record.ingestionConfigId),
      internalFieldId: textOf('internalFieldId', record.internalFieldId, nameLimits),
      externalFieldPath: textOf('externalFieldPath', record.externalFieldPath, pathLimits),
      priority: record.priority,
      createdAt: timestampOf('createdAt', record.createdAt),
      updatedAt: timestampOf('updatedAt', record.updatedAt),
    },
  }
}
