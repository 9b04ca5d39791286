const text = (column: string) => `to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`

const date = (column: string) =>
  `CASE WHEN ${column} IS NOT NULL
                 THEN json_build_object('year', date_part('year', ${column}), 'month', date_part('month', ${column}),
                                        'day', date_part('day', ${column})) END`

const count = (status: string) => `count(*) FILTER (WHERE c.status = '${status}')`

/** The whole answer with the journey $1 of the organization $2, printed by PostgreSQL; $3 is the date of today. */
export const journeyStatement = `
SELECT json_build_object('data', json_strip_nulls(row_to_json(journey)))::text AS json
  FROM (
    SELECT j.id, j.team_id AS "teamId", j.friendly_identifier AS "friendlyIdentifier", j.name, j.description,
           ${text('j.created_at')} AS "createdAt",
           ${text('j.archived_at')} AS "archivedAt",
           coalesce(j.requester_user_id, '') AS "requesterUserId",
           coalesce(j.requester_manager_user_id, '') AS "requesterManagerUserId",
           coalesce(100 * t.done / nullif(t.counted, 0), 0) AS "progressPercent", coalesce(t.first_open - 1, t.total) AS "currentTaskIndex",
           ${date('j.due_date')} AS "dueDate", j.metadata,
           CASE WHEN j.created_by_workflow_id IS NOT NULL
                THEN json_build_object('id', j.created_by_workflow_id, 'name', j.created_by_workflow_name) END AS "createdByWorkflow",
           t.tasks, c.checks AS "healthChecks", c.counts AS "healthCheckCounts", 
           (SELECT coalesce(json_agg(json_build_object(
              'workflowCallId', f.workflow_call_id, 'runId', f.run_id, 'workflowId', f.workflow_id, 'workflowName', f.workflow_name,
              'taskId', f.task_id, 'subtaskId', f.subtask_id, 'runStatus', 'WORKFLOW_RUN_STATUS_' || f.run_status,
              'validationErrors', f.validation_errors, 'statusCheckResult', f.status_check_result, 'runResult', f.run_result,
              'runCompletedAt', ${text('f.run_completed_at')}) ORDER BY f.position), '[]')
              FROM journey_workflow_failures f WHERE f.organization_id = $2 AND f.journey_id = j.id) AS "workflowFailures",
           (SELECT coalesce(json_agg(json_build_object('fieldId', v.field_id, 'fieldKey', v.field_key, 'fieldName', v.field_name,
              'dataType', 'DATA_TYPE_' || v.data_type, 'value', v.value) ORDER BY v.position), '[]')
              FROM journey_custom_fields v WHERE v.organization_id = $2 AND v.journey_id = j.id) AS "customFields"
      FROM journeys j
     CROSS JOIN LATERAL (
       SELECT count(*) AS total, count(*) FILTER (WHERE t.status = 'DONE') AS done,
              count(*) FILTER (WHERE t.status <> 'CANCELED') AS counted,
              min(t.place) FILTER (WHERE t.status NOT IN ('DONE', 'CANCELED')) AS first_open,
              coalesce(json_agg(json_build_object(
                'id', t.id, 'parentTaskId', coalesce(t.parent_task_id::text, ''), 'name', t.name, 'description', t.description,
                'assignedToUserId', t.assigned_to_user_id, 'status', 'JOURNEY_TASK_STATUS_' || t.status,
                'dependsOnIds', coalesce(t.depends_on_ids, '{}'), 'dueDate', ${date('t.due_date')},
                'isOverdue', coalesce(t.due_date < $3::date AND t.status NOT IN ('DONE', 'CANCELED'), false),
                'isStatusCheck', t.is_status_check, 'pollingIntervalMs', t.polling_interval_ms,
                'latestWorkflowCall', t.latest_workflow_call) ORDER BY t.place), '[]') AS tasks
         FROM (SELECT *, row_number() OVER (ORDER BY position, id) AS place FROM journey_tasks
                WHERE organization_id = $2 AND journey_id = j.id) t
     ) t
     CROSS JOIN LATERAL (
       SELECT json_build_object('totalCount', count(*), 'failingCount', ${count('FAILING')},
                'warningCount', ${count('WARNING')}, 'passingCount', ${count('PASSING')}, 'runningCount', ${count('RUNNING')},
                'noDataCount', ${count('NO_DATA')}, 'canceledCount', ${count('CANCELED')}) AS counts,
              coalesce(json_agg(json_build_object(
                'id', c.id, 'taskId', c.task_id, 'subtaskId', c.subtask_id, 'workflowId', c.workflow_id, 'workflowName', c.workflow_name,
                'workflowCallId', c.workflow_call_id, 'runId', c.run_id, 'type', 'JOURNEY_HEALTH_CHECK_TYPE_' || c.type,
                'status', 'JOURNEY_HEALTH_CHECK_STATUS_' || c.status, 'dueDate', ${date('c.due_date')}) ORDER BY c.position, c.id), '[]') AS checks
         FROM journey_health_checks c WHERE c.organization_id = $2 AND c.journey_id = j.id
     ) c
     WHERE j.id = $1 AND j.organization_id = $2
  ) journey`
