/** A journey as the statement of the peer gives it. */
export interface JourneyRow {
  readonly id: string
  readonly team_id: string
  readonly friendly_identifier: string
  readonly name: string
  readonly description: string
  readonly created_at: string
  readonly archived_at: string | null
  readonly requester_user_id: string | null
  readonly requester_manager_user_id: string | null
  readonly due_date: string | null
  readonly metadata: Json | null
  readonly created_by_workflow_id: string | null
  readonly created_by_workflow_name: string | null
  readonly tasks: readonly TaskRow[]
  readonly checks: readonly Row[]
  readonly failures: readonly Row[]
  readonly fields: readonly Row[]
}

type Json = Readonly<Record<string, unknown>>
type Row = Readonly<Record<string, string | null>>

interface TaskRow {
  readonly id: string
  readonly parent_task_id: string | null
  readonly name: string
  readonly description: string
  readonly assigned_to_user_id: string
  readonly status: string
  readonly depends_on_ids: readonly string[] | null
  readonly due_date: string | null
  readonly is_status_check: boolean
  readonly polling_interval_ms: number
  readonly latest_workflow_call: Json | null
}

/** The journey as the API shows it. */
export function journeyFromRow(row: JourneyRow): Json {
  const { tasks, checks } = row
  const today = new Date().toISOString().slice(0, 10)
  const isOpen = ({ status }: TaskRow) => status !== 'DONE' && status !== 'CANCELED'
  const counted = tasks.filter(({ status }) => status !== 'CANCELED').length
  const done = tasks.filter(({ status }) => status === 'DONE').length
  const firstOpen = tasks.findIndex(isOpen)
  const count = (status: string) => checks.filter((check) => check['status'] === status).length
  return {
    ...{ id: row.id, teamId: row.team_id, friendlyIdentifier: row.friendly_identifier, name: row.name },
    ...{ description: row.description, createdAt: row.created_at },
    ...(row.archived_at !== null && { archivedAt: row.archived_at }),
    requesterUserId: row.requester_user_id ?? '',
    requesterManagerUserId: row.requester_manager_user_id ?? '',
    progressPercent: counted === 0 ? 0 : Math.floor((100 * done) / counted),
    currentTaskIndex: firstOpen < 0 ? tasks.length : firstOpen,
    ...(row.due_date !== null && { dueDate: dateFrom(row.due_date) }),
    ...(row.metadata !== null && { metadata: row.metadata }),
    ...(row.created_by_workflow_id !== null && {
      createdByWorkflow: { id: row.created_by_workflow_id, name: row.created_by_workflow_name },
    }),
    tasks: tasks.map((task) => ({
      ...{ id: task.id, parentTaskId: task.parent_task_id ?? '', name: task.name, description: task.description },
      ...{ assignedToUserId: task.assigned_to_user_id, status: `JOURNEY_TASK_STATUS_${task.status}` },
      dependsOnIds: task.depends_on_ids ?? [],
      ...(task.due_date !== null && { dueDate: dateFrom(task.due_date) }),
      isOverdue: task.due_date !== null && task.due_date < today && isOpen(task),
      ...{ isStatusCheck: task.is_status_check, pollingIntervalMs: task.polling_interval_ms },
      ...(task.latest_workflow_call !== null && { latestWorkflowCall: task.latest_workflow_call }),
    })),
    healthChecks: checks.map((check) => ({
      ...{ id: check['id'], taskId: check['task_id'], subtaskId: check['subtask_id'] },
      ...{ workflowId: check['workflow_id'], workflowName: check['workflow_name'] },
      ...{ workflowCallId: check['workflow_call_id'], runId: check['run_id'] },
      type: `JOURNEY_HEALTH_CHECK_TYPE_${check['type']}`,
      status: `JOURNEY_HEALTH_CHECK_STATUS_${check['status']}`,
      ...(typeof check['due_date'] === 'string' && { dueDate: dateFrom(check['due_date']) }),
    })),
    healthCheckCounts: {
      ...{ totalCount: checks.length, failingCount: count('FAILING'), warningCount: count('WARNING') },
      ...{ passingCount: count('PASSING'), runningCount: count('RUNNING'), noDataCount: count('NO_DATA') },
      canceledCount: count('CANCELED'),
    },
    workflowFailures: row.failures.map((failure) => ({
      ...{ workflowCallId: failure['workflow_call_id'], runId: failure['run_id'], workflowId: failure['workflow_id'] },
      ...{ workflowName: failure['workflow_name'], taskId: failure['task_id'], subtaskId: failure['subtask_id'] },
      runStatus: `WORKFLOW_RUN_STATUS_${failure['run_status']}`,
      ...(failure['validation_errors'] !== null && { validationErrors: failure['validation_errors'] }),
      ...(failure['status_check_result'] !== null && { statusCheckResult: failure['status_check_result'] }),
      runResult: failure['run_result'],
      ...(failure['completed_at'] !== null && { runCompletedAt: failure['completed_at'] }),
    })),
    customFields: row.fields.map((field) => ({
      ...{ fieldId: field['field_id'], fieldKey: field['field_key'], fieldName: field['field_name'] },
      dataType: `DATA_TYPE_${field['data_type']}`,
      ...(field['value'] !== null && { value: field['value'] }),
    })),
  }
}

function dateFrom(text: string) {
  const [year, month, day] = text.split('-').map(Number)
  return { year, month, day }
}
