import { descriptionLimits, nameLimits, optionalNameLimits } from '../../domain/value/text-field.js'
import { idOf, scopedIdOf, textOf, textsOf } from '../field-values.js'
import type { ImportScope } from '../import-scope.js'
import type { StagedRow } from '../staged-row.js'
import { newScopedId } from './scoped-id.js'

/** A line of the kind `appResource`. */
export interface AppResourceRecord {
  readonly id: string
  readonly appInstanceId: string
  readonly resourceType: string
  readonly name: string
  readonly description: string
  readonly externalId: string
  readonly tagIds: readonly string[]
  readonly scopedId: string
}

/** The record as a row to be staged. Throws a ServiceError that names the field at fault. */
export function appResourceRow(record: AppResourceRecord, { runtime }: ImportScope): StagedRow {
  return {
    key: idOf('id', record.id),
    values: {
      id: record.id,
      appInstanceId: idOf('appInstanceId', record.appInstanceId),
      resourceType: textOf('resourceType', record.resourceType, nameLimits),
      name: textOf('name', record.name, nameLimits),
      description: textOf('description', record.description, descriptionLimits),
      externalId: textOf('externalId', record.externalId, optionalNameLimits) || null,
      tagIds: textsOf('tagIds', record.tagIds, nameLimits),
      scopedId: scopedIdOf('scopedId', record.scopedId),
      newScopedId: record.scopedId === '' ? newScopedId('ares', runtime) : null,
    },
  }
}
