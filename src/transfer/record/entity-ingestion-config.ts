import { optionalNameLimits } from '../../domain/value/text-field.js'
import { timestampOf } from '../../domain/value/timestamp.js'
import { idOf, integerOf, textOf } from '../field-values.js'
import type { StagedRow } from '../staged-row.js'

/** A line of the kind `entityIngestionConfig`. */
export interface EntityIngestionConfigRecord {
  readonly id: string
  readonly appInstanceId: string
  readonly workflowId: string
  readonly teamId: string
  readonly serviceName: string
  readonly workflowName: string
  readonly internalEntityTypeId: string
  readonly enabled: boolean
  readonly isWorkflowPublished: boolean
  readonly hasIngestionContext: boolean
  readonly syncDeletions: boolean
  readonly createdAt: string
  readonly updatedAt: string
  readonly syncIntervalSeconds: number
}

/** The record as a row to be staged. Throws a ServiceError that names the field at fault. */
export function entityIngestionConfigRow(record: EntityIngestionConfigRecord): StagedRow {
  return {
    key: idOf('id', record.id),
    values: {
      id: record.id,
      teamId: idOf('teamId', record.teamId),
      appInstanceId: idOf('appInstanceId', record.appInstanceId),
      internalEntityTypeId: idOf('internalEntityTypeId', record.internalEntityTypeId),
      workflowId: textOf('workflowId', record.workflowId, optionalNameLimits),
      serviceName: textOf('serviceName', record.serviceName, optionalNameLimits),
      workflowName: textOf('workflowName', record.workflowName, optionalNameLimits),
      enabled: record.enabled,
      isWorkflowPublished: record.isWorkflowPublished,
      hasIngestionContext: record.hasIngestionContext,
      syncDeletions: record.syncDeletions,
      syncIntervalSeconds: integerOf('syncIntervalSeconds', record.syncIntervalSeconds, 0),
      createdAt: timestampOf('createdAt', record.createdAt),
      updatedAt: timestampOf('updatedAt', record.updatedAt),
    },
  }
}
