import { Prisma } from '../../../gen/prisma/client.js'
import { timestampText } from '../timestamp-text.js'
import { eachRecord } from './each-record.js'
import { dateJson } from './json.js'

/** The tasks of staged journeys, to be joined to them. */
export const journeyTasks = eachRecord('tasks', 'task', {
  ...{ id: 'uuid', parent_task_id: 'uuid', name: 'text', description: 'text', assigned_to_user_id: 'text' },
  ...{ status: 'journey_task_status', depends_on_ids: 'uuid[]', due_date: 'date', is_status_check: 'boolean' },
  ...{ polling_interval_ms: 'integer', latest_workflow_call: 'jsonb' },
})

const healthChecks = eachRecord('health_checks', 'c', {
  ...{ id: 'text', task_id: 'text', subtask_id: 'text', workflow_id: 'text', workflow_name: 'text' },
  ...{ workflow_call_id: 'text', run_id: 'text', type: 'journey_health_check_type' },
  ...{ status: 'journey_health_check_status', due_date: 'date' },
})

const workflowFailures = eachRecord('workflow_failures', 'f', {
  ...{ workflow_call_id: 'text', run_id: 'text', workflow_id: 'text', workflow_name: 'text', task_id: 'text' },
  ...{ subtask_id: 'text', run_status: 'workflow_run_status', validation_errors: 'jsonb' },
  ...{ status_check_result: 'jsonb', run_result: 'text', run_completed_at: 'timestamptz' },
})

const customFields = eachRecord('custom_fields', 'v', {
  ...{ field_id: 'text', field_key: 'text', field_name: 'text', data_type: 'data_type', value: 'jsonb' },
})

/** Writes the parts of staged journeys anew. */
export const journeyChildren: readonly Prisma.Sql[] = [
  Prisma.sql`DELETE FROM journey_tasks x USING staged_journey s WHERE x.journey_id = s.id`,
  Prisma.sql`
INSERT INTO journey_tasks (journey_id, id, position, parent_task_id, name, description, assigned_to_user_id, status,
  depends_on_ids, due_date, is_status_check, polling_interval_ms, latest_workflow_call)
SELECT s.id, task.id, task.place - 1, task.parent_task_id, task.name, task.description,
  coalesce(task.assigned_to_user_id, ''), task.status, task.depends_on_ids, task.due_date, task.is_status_check,
  task.polling_interval_ms, task.latest_workflow_call
FROM staged_journey s ${journeyTasks}`,
  Prisma.sql`DELETE FROM journey_health_checks x USING staged_journey s WHERE x.journey_id = s.id`,
  Prisma.sql`
INSERT INTO journey_health_checks (journey_id, id, position, task_id, subtask_id, workflow_id, workflow_name,
  workflow_call_id, run_id, type, status, due_date)
SELECT s.id, c.id, c.place - 1, c.task_id, c.subtask_id, c.workflow_id, c.workflow_name, c.workflow_call_id,
  c.run_id, c.type, c.status, c.due_date
FROM staged_journey s ${healthChecks}`,
  Prisma.sql`DELETE FROM journey_workflow_failures x USING staged_journey s WHERE x.journey_id = s.id`,
  Prisma.sql`
INSERT INTO journey_workflow_failures (journey_id, position, workflow_call_id, run_id, workflow_id, workflow_name,
  task_id, subtask_id, run_status, validation_errors, status_check_result, run_result, run_completed_at)
SELECT s.id, f.place - 1, f.workflow_call_id, f.run_id, f.workflow_id, f.workflow_name, f.task_id, f.subtask_id,
  f.run_status, f.validation_errors, f.status_check_result, f.run_result, f.run_completed_at
FROM staged_journey s ${workflowFailures}`,
  Prisma.sql`DELETE FROM journey_custom_fields x USING staged_journey s WHERE x.journey_id = s.id`,
  Prisma.sql`
INSERT INTO journey_custom_fields (journey_id, field_id, position, field_key, field_name, data_type, value)
SELECT s.id, v.field_id, v.place - 1, v.field_key, v.field_name, v.data_type, v.value
FROM staged_journey s ${customFields}`,
]

/** Gives every journey as a record, without what is computed. */
export const journeySelect = Prisma.sql`
SELECT json_build_object('id', j.id, 'teamId', j.team_id, 'friendlyIdentifier', j.friendly_identifier, 'name', j.name,
  'description', j.description, 'createdAt', ${timestampText(Prisma.sql`j.created_at`)},
  'archivedAt', ${timestampText(Prisma.sql`j.archived_at`)}, 'requesterUserId', coalesce(j.requester_user_id, ''),
  'requesterManagerUserId', coalesce(j.requester_manager_user_id, ''), 'dueDate', ${dateJson(Prisma.sql`j.due_date`)},
  'metadata', j.metadata,
  'createdByWorkflow', CASE WHEN j.created_by_workflow_id IS NOT NULL
    THEN json_build_object('id', j.created_by_workflow_id, 'name', j.created_by_workflow_name) END,
  'tasks', (
    SELECT coalesce(json_agg(json_build_object('id', t.id, 'parentTaskId', coalesce(t.parent_task_id::text, ''),
      'name', t.name, 'description', t.description, 'assignedToUserId', t.assigned_to_user_id,
      'status', 'JOURNEY_TASK_STATUS_' || t.status, 'dependsOnIds', t.depends_on_ids,
      'dueDate', ${dateJson(Prisma.sql`t.due_date`)}, 'isStatusCheck', t.is_status_check,
      'pollingIntervalMs', t.polling_interval_ms, 'latestWorkflowCall', t.latest_workflow_call) ORDER BY t.position), '[]')
    FROM journey_tasks t WHERE t.journey_id = j.id),
  'healthChecks', (
    SELECT coalesce(json_agg(json_build_object('id', c.id, 'taskId', c.task_id, 'subtaskId', c.subtask_id,
      'workflowId', c.workflow_id, 'workflowName', c.workflow_name, 'workflowCallId', c.workflow_call_id,
      'runId', c.run_id, 'type', 'JOURNEY_HEALTH_CHECK_TYPE_' || c.type,
      'status', 'JOURNEY_HEALTH_CHECK_STATUS_' || c.status, 'dueDate', ${dateJson(Prisma.sql`c.due_date`)})
      ORDER BY c.position), '[]')
    FROM journey_health_checks c WHERE c.journey_id = j.id),
  'workflowFailures', (
    SELECT coalesce(json_agg(json_build_object('workflowCallId', f.workflow_call_id, 'runId', f.run_id,
      'workflowId', f.workflow_id, 'workflowName', f.workflow_name, 'taskId', f.task_id, 'subtaskId', f.subtask_id,
      'runStatus', 'WORKFLOW_RUN_STATUS_' || f.run_status, 'validationErrors', f.validation_errors,
      'statusCheckResult', f.status_check_result, 'runResult', f.run_result,
      'runCompletedAt', ${timestampText(Prisma.sql`f.run_completed_at`)}) ORDER BY f.position), '[]')
    FROM journey_workflow_failures f WHERE f.journey_id = j.id),
  'customFields', (
    SELECT coalesce(json_agg(json_build_object('fieldId', v.field_id, 'fieldKey', v.field_key,
      'fieldName', v.field_name, 'dataType', 'DATA_TYPE_' || v.data_type, 'value', v.value) ORDER BY v.position), '[]')
    FROM journey_custom_fields v WHERE v.journey_id = j.id)) AS record
FROM journeys j ORDER BY j.ordinal`
