import { WorkflowRunStatus } from '../../gen/prisma/enums.js'
import {
  enumText,
  type JsonMember,
  objectText,
  optionalMember,
  plainText,
  stringListText,
  stringText,
} from './json-text.js'
import { timestampColumn } from './timestamp-column.js'

/** The text of a date as the API prints it. */
function dateText(column: string): string {
  const part = (name: string) => `extract(${name} FROM ${column})::int`
  return objectText([
    ['year', part('year')],
    ['month', part('month')],
    ['day', part('day')],
  ])
}

const runStatuses = Object.keys(WorkflowRunStatus).map((name) => `WORKFLOW_RUN_STATUS_${name}`)

/** A stored document of the form of `LatestWorkflowCall`; a status that this build does not know is the zero value. */
function workflowCallText(document: string): string {
  const text = (key: string) => `coalesce(${document}->>'${key}', '')`
  const flag = (key: string): JsonMember => [key, `coalesce(${document}->>'${key}', 'false')`]
  return objectText([
    ['id', stringText(text('id'))],
    ['workflowId', stringText(text('workflowId'))],
    ['workflowName', stringText(text('workflowName'))],
    ['runId', stringText(text('runId'))],
    ['runStatus', enumText(`${document}->>'runStatus'`, runStatuses, 'WORKFLOW_RUN_STATUS_UNSPECIFIED')],
    ['createdAt', stringText(text('createdAt'))],
    optionalMember(
      'statusUpdatedAt',
      `${document}->>'statusUpdatedAt'`,
      `${stringText(`${document}->>'statusUpdatedAt'`)}`,
    ),
    flag('formConfirmationRequired'),
    flag('formConfirmationResponse'),
  ])
}

const taskText = objectText([
  ['id', plainText('t.id')],
  ['parentTaskId', plainText(`coalesce(t.parent_task_id::text, '')`)],
  ['name', stringText('t.name')],
  ['description', stringText('t.description')],
  ['assignedToUserId', stringText('t.assigned_to_user_id')],
  ['status', plainText(`'JOURNEY_TASK_STATUS_' || t.status`)],
  ['dependsOnIds', stringListText('t.depends_on_ids')],
  optionalMember('dueDate', 't.due_date', dateText('t.due_date')),
  ['isOverdue', `(t.due_date IS NOT NULL AND t.due_date < $5::date AND t.status NOT IN ('DONE', 'CANCELED'))`],
  ['isStatusCheck', 't.is_status_check'],
  ['pollingIntervalMs', 't.polling_interval_ms'],
  optionalMember('latestWorkflowCall', 't.latest_workflow_call', workflowCallText('t.latest_workflow_call')),
])

const checkText = objectText([
  ['id', plainText('c.id')],
  ['taskId', stringText('c.task_id')],
  ['subtaskId', stringText('c.subtask_id')],
  ['workflowId', stringText('c.workflow_id')],
  ['workflowName', stringText('c.workflow_name')],
  ['workflowCallId', stringText('c.workflow_call_id')],
  ['runId', stringText('c.run_id')],
  ['type', plainText(`'JOURNEY_HEALTH_CHECK_TYPE_' || c.type`)],
  ['status', plainText(`'JOURNEY_HEALTH_CHECK_STATUS_' || c.status`)],
  optionalMember('dueDate', 'c.due_date', dateText('c.due_date')),
])

/** The two lists that make up most of a journey: their JSON, and the statuses from which values are computed. */
const lists = `
  CROSS JOIN LATERAL (
    SELECT coalesce(string_agg(${taskText}, ',' ORDER BY t.position, t.id), '') AS json,
           coalesce(string_agg(t.status::text, ',' ORDER BY t.position, t.id), '') AS statuses
      FROM journey_tasks t WHERE t.journey_id = j.id
  ) tasks
  CROSS JOIN LATERAL (
    SELECT coalesce(string_agg(${checkText}, ',' ORDER BY c.position, c.id), '') AS json,
           coalesce(string_agg(c.status::text, ','), '') AS statuses
      FROM journey_health_checks c WHERE c.journey_id = j.id
  ) checks`

const workflowFailures = `
SELECT coalesce(json_agg(json_build_object(
         'workflowCallId', f.workflow_call_id, 'runId', f.run_id, 'workflowId', f.workflow_id,
         'workflowName', f.workflow_name, 'taskId', f.task_id, 'subtaskId', f.subtask_id,
         'runStatus', f.run_status, 'validationErrors', f.validation_errors,
         'statusCheckResult', f.status_check_result, 'runResult', f.run_result,
         'runCompletedAt', ${timestampColumn('f.run_completed_at')}
       ) ORDER BY f.position), '[]')
  FROM journey_workflow_failures f WHERE f.journey_id = j.id`

const customFields = `
SELECT coalesce(json_agg(json_build_object(
         'fieldId', v.field_id, 'fieldKey', v.field_key, 'fieldName', v.field_name, 'dataType', v.data_type,
         'value', v.value
       ) ORDER BY v.position, v.field_id), '[]')
  FROM journey_custom_fields v WHERE v.journey_id = j.id`

/**
 * A journey with all its parts in one statement, so that they are of one moment. Parameters: the id, the organization,
 * the teams that the caller sees or null for all, the id of the user who calls or null, the date of today.
 */
export const selectJourney = `
SELECT j.id, j.team_id AS "teamId", j.friendly_identifier AS "friendlyIdentifier", j.name, j.description,
       ${timestampColumn('j.created_at')} AS "createdAt", ${timestampColumn('j.archived_at')} AS "archivedAt",
       coalesce(j.requester_user_id, '') AS "requesterUserId",
       coalesce(j.requester_manager_user_id, '') AS "requesterManagerUserId", j.due_date::text AS "dueDate", j.metadata,
       CASE WHEN j.created_by_workflow_id IS NOT NULL
            THEN json_build_object('id', j.created_by_workflow_id, 'name', j.created_by_workflow_name)
       END AS "createdByWorkflow",
       tasks.json AS "tasksJson", tasks.statuses AS "taskStatuses",
       checks.json AS "healthChecksJson", checks.statuses AS "healthCheckStatuses", (${workflowFailures}) AS "workflowFailures",
       (${customFields}) AS "customFields"
  FROM journeys j${lists}
 WHERE j.id = $1 AND j.organization_id = $2
   AND ($3::text[] IS NULL OR j.team_id = ANY ($3) OR j.requester_user_id = $4 OR j.requester_manager_user_id = $4)`
