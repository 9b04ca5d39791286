import { nameLimits } from '../../domain/value/text-field.js'
import { idOf, requireDistinct, textOf } from '../field-values.js'
import type { StagedRow } from '../staged-row.js'

/** A line of the kind `group`. */
export interface GroupRecord {
  readonly id: string
  readonly organizationId: string
  readonly name: string
  readonly userIds: readonly string[]
}

/** The record as a row to be staged. Throws a ServiceError that names the field at fault. */
export function groupRow(record: GroupRecord): StagedRow {
  for (const [index, userId] of record.userIds.entries()) idOf(`userIds[${index}]`, userId)
  requireDistinct(record.userIds, (index) => `userIds[${index}]`)
  return {
    key: idOf('id', record.id),
    values: {
      id: record.id,
      ownerId: idOf('organizationId', record.organizationId),
      name: textOf('name', record.name, nameLimits),
      userIds: record.userIds,
    },
  }
}
