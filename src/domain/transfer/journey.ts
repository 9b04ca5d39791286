import type { JourneyMetadata } from '../journey.js'
import { descriptionLimits, nameLimits, optionalNameLimits } from '../text-field.js'
import { type CalendarDate, timestampOf } from '../timestamp.js'
import { type CustomFieldJson, customFieldRowsOf } from './custom-field.js'
import { dateOf, idOf, optionalIdOf, textOf, uuidOf } from './field-values.js'
import {
  type HealthCheckJson,
  healthCheckRowsOf,
  metadataOf,
  type WorkflowFailureJson,
  workflowFailureRowsOf,
} from './journey-part.js'
import { journeyChildren, journeySelect, journeyTasks } from './journey-statements.js'
import { type JourneyTaskJson, taskRowsOf } from './journey-task.js'
import { lockStatement, memberCheck, organizationCheck, sameColumns, upsertStatement } from './statements.js'
import type { StagedRow, TransferResource } from './transfer-resource.js'

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

const place = { table: 'journeys', staged: 'staged_journey', key: { id: 's.id' } }

function rowOf(record: JourneyRecord): StagedRow {
  const id = uuidOf('id', record.id)
  const workflow = record.createdByWorkflow
  return {
    key: id,
    values: {
      id,
      team_id: idOf('teamId', record.teamId),
      friendly_identifier: textOf('friendlyIdentifier', record.friendlyIdentifier, optionalNameLimits),
      name: textOf('name', record.name, nameLimits),
      description: textOf('description', record.description, descriptionLimits),
      created_at: timestampOf('createdAt', record.createdAt),
      archived_at: timestampOf('archivedAt', record.archivedAt),
      requester_user_id: optionalIdOf('requesterUserId', record.requesterUserId),
      requester_manager_user_id: optionalIdOf('requesterManagerUserId', record.requesterManagerUserId),
      due_date: dateOf('dueDate', record.dueDate),
      metadata: record.metadata === undefined ? null : metadataOf('metadata', record.metadata),
      created_by_workflow_id: workflow && textOf('createdByWorkflow.id', workflow.id, optionalNameLimits),
      created_by_workflow_name: workflow && textOf('createdByWorkflow.name', workflow.name, optionalNameLimits),
      tasks: taskRowsOf(record.tasks),
      health_checks: healthCheckRowsOf(record.healthChecks),
      workflow_failures: workflowFailureRowsOf(record.workflowFailures),
      custom_fields: customFieldRowsOf(record.customFields),
    },
  }
}

/** Journeys with all their parts in files. */
export const journeyTransfer: TransferResource<JourneyRecord> = {
  staged: place.staged,
  rowOf,
  columns: {
    id: 'uuid',
    team_id: 'text',
    friendly_identifier: 'text',
    name: 'text',
    description: 'text',
    created_at: 'timestamptz',
    archived_at: 'timestamptz',
    requester_user_id: 'text',
    requester_manager_user_id: 'text',
    due_date: 'date',
    metadata: 'jsonb',
    created_by_workflow_id: 'text',
    created_by_workflow_name: 'text',
    tasks: 'jsonb',
    health_checks: 'jsonb',
    workflow_failures: 'jsonb',
    custom_fields: 'jsonb',
  },
  owner: { table: 'teams', column: 'team_id', field: 'teamId', gives: { organization_id: 'owner.organization_id' } },
  checks: [
    organizationCheck(place.table, place.staged),
    memberCheck({ staged: place.staged, column: 's.requester_user_id', field: `'requesterUserId'` }),
    memberCheck({ staged: place.staged, column: 's.requester_manager_user_id', field: `'requesterManagerUserId'` }),
    memberCheck({
      staged: place.staged,
      column: 'task.assigned_to_user_id',
      field: `format('tasks[%s].assignedToUserId', task.place - 1)`,
      from: journeyTasks,
    }),
  ],
  lock: lockStatement(place),
  upsert: upsertStatement({
    ...place,
    values: {
      ...sameColumns('organization_id', 'team_id', 'friendly_identifier', 'name', 'description', 'archived_at'),
      ...sameColumns('requester_user_id', 'requester_manager_user_id', 'due_date', 'metadata'),
      ...sameColumns('created_by_workflow_id', 'created_by_workflow_name'),
      created_at: 'coalesce(s.created_at, t.created_at, now())',
    },
  }),
  children: journeyChildren,
  finalChecks: [],
  select: journeySelect,
}
