import { descriptionLimits, nameLimits } from '../../domain/value/text-field.js'
import { idOf, scopedIdOf, textOf } from '../field-values.js'
import type { ImportScope } from '../import-scope.js'
import type { StagedRow } from '../staged-row.js'
import { newScopedId } from './scoped-id.js'

/** A line of the kind `priority`. */
export interface PriorityRecord {
  readonly id: string
  readonly teamId: string
  readonly priority: string
  readonly description: string
  readonly scopedId: string
  readonly name: string
  readonly isAiSelectable: boolean
}

/** The record as a row to be staged. Throws a ServiceError that names the field at fault. */
export function priorityRow(record: PriorityRecord, { runtime }: ImportScope): StagedRow {
  return {
    key: idOf('id', record.id),
    values: {
      id: record.id,
      teamId: idOf('teamId', record.teamId),
      priority: textOf('priority', record.priority, nameLimits),
      description: textOf('description', record.description, descriptionLimits),
      scopedId: scopedIdOf('scopedId', record.scopedId),
      newScopedId: record.scopedId === '' ? newScopedId('pri', runtime) : null,
      name: textOf('name', record.name, nameLimits),
      isAiSelectable: record.isAiSelectable,
    },
  }
}
