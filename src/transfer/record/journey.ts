import { descriptionLimits, nameLimits, optionalNameLimits } from '../../domain/value/text-field.js'
import { type CalendarDate, timestampOf } from '../../domain/value/timestamp.js'
import type { JourneyMetadata } from '../../store/journey-document.js'
import { dateOf, idOf, optionalIdOf, textOf, uuidOf } from '../field-values.js'
import type { StagedRow } from '../staged-row.js'
import { type CustomFieldJson, customFieldRowsOf } from './custom-field.js'
import {
  type HealthCheckJson,
  healthCheckRowsOf,
  metadataOf,
  type WorkflowFailureJson,
  workflowFailureRowsOf,
} from './journey-part.js'
import { type JourneyTaskJson, taskRowsOf } from './journey-task.js'

/** A line of the kind `journey`, without what is computed. */
export interface JourneyRecord {
  readonly id: string
  readonly teamId: string
  readonly friendlyIdentifier: string
  readonly name: string
  readonly description: string
  readonly createdAt: string
  readonly archivedAt?: string
  readonly requesterUserId: string
  readonly requesterManagerUserId: string
  readonly dueDate?: CalendarDate
  readonly metadata?: JourneyMetadata
  readonly createdByWorkflow?: { readonly id: string; readonly name: string }
  readonly tasks: readonly JourneyTaskJson[]
  readonly healthChecks: readonly HealthCheckJson[]
  readonly workflowFailures: readonly WorkflowFailureJson[]
  readonly customFields: readonly CustomFieldJson[]
}

/** The record as a row to be staged. Throws a ServiceError that names the field at fault. */
export function journeyRow(record: JourneyRecord): StagedRow {
  const id = uuidOf('id', record.id)
  const workflow = record.createdByWorkflow
  return {
    key: id,
    values: {
      id,
      teamId: idOf('teamId', record.teamId),
      friendlyIdentifier: textOf('friendlyIdentifier', record.friendlyIdentifier, optionalNameLimits),
      name: textOf('name', record.name, nameLimits),
      description: textOf('description', record.description, descriptionLimits),
      createdAt: timestampOf('createdAt', record.createdAt),
      archivedAt: timestampOf('archivedAt', record.archivedAt),
      requesterUserId: optionalIdOf('requesterUserId', record.requesterUserId),
      requesterManagerUserId: optionalIdOf('requesterManagerUserId', record.requesterManagerUserId),
      dueDate: dateOf('dueDate', record.dueDate),
      metadata: record.metadata === undefined ? null : metadataOf('metadata', record.metadata),
      createdByWorkflowId: workflow && textOf('createdByWorkflow.id', workflow.id, optionalNameLimits),
      createdByWorkflowName: workflow && textOf('createdByWorkflow.name', workflow.name, optionalNameLimits),
      tasks: taskRowsOf(record.tasks),
      healthChecks: healthCheckRowsOf(record.healthChecks),
      workflowFailures: workflowFailureRowsOf(record.workflowFailures),
      customFields: customFieldRowsOf(record.customFields),
    },
  }
}
