import { timestampColumn } from './timestamp-column.js'

const tasks = `
SELECT coalesce(json_agg(json_build_object(
         'id', t.id, 'parentTaskId', coalesce(t.parent_task_id::text, ''), 'name', t.name,
         'description', t.description, 'assignedToUserId', t.assigned_to_user_id, 'status', t.status,
         'dependsOnIds', coalesce(t.depends_on_ids, '{}'), 'dueDate', t.due_date, 'isStatusCheck', t.is_status_check,
         'pollingIntervalMs', t.polling_interval_ms, 'latestWorkflowCall', t.latest_workflow_call
       ) ORDER BY t.position, t.id), '[]')
  FROM journey_tasks t WHERE t.journey_id = j.id`

const healthChecks = `
SELECT coalesce(json_agg(json_build_object(
         'id', c.id, 'taskId', c.task_id, 'subtaskId', c.subtask_id, 'workflowId', c.workflow_id,
         'workflowName', c.workflow_name, 'workflowCallId', c.workflow_call_id, 'runId', c.run_id,
         'type', c.type, 'status', c.status, 'dueDate', c.due_date
       ) ORDER BY c.position, c.id), '[]')
  FROM journey_health_checks c WHERE c.journey_id = j.id`

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
 * the teams that the caller sees or null for all, the id of the user who calls or null.
 */
export const selectJourney = `
SELECT j.id, j.team_id AS "teamId", j.friendly_identifier AS "friendlyIdentifier", j.name, j.description,
       ${timestampColumn('j.created_at')} AS "createdAt", ${timestampColumn('j.archived_at')} AS "archivedAt",
       coalesce(j.requester_user_id, '') AS "requesterUserId",
       coalesce(j.requester_manager_user_id, '') AS "requesterManagerUserId", j.due_date::text AS "dueDate", j.metadata,
       CASE WHEN j.created_by_workflow_id IS NOT NULL
            THEN json_build_object('id', j.created_by_workflow_id, 'name', j.created_by_workflow_name)
       END AS "createdByWorkflow",
       (${tasks}) AS tasks, (${healthChecks}) AS "healthChecks", (${workflowFailures}) AS "workflowFailures",
       (${customFields}) AS "customFields"
  FROM journeys j
 WHERE j.id = $1 AND j.organization_id = $2
   AND ($3::text[] IS NULL OR j.team_id = ANY ($3) OR j.requester_user_id = $4 OR j.requester_manager_user_id = $4)`
