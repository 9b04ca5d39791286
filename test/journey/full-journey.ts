import { fixture, insertRow } from '../support/fixture.js'
import type { TestService } from '../support/service.js'

/** The journey. */
export const id = '018f3b7a-0000-7000-8000-00000000000a'
export const taskId = (index: number) => `018f3b7a-0000-7000-8000-0000000001${String(index).padStart(2, '0')}`

/** The time for which the dates of the tasks are made. */
export const now = Date.parse('2026-06-15T12:00:00Z')

/** A date as many days from today in UTC, as text and as the API shows it. */
function dayFromToday(days: number) {
  const text = new Date(now + days * 86_400_000).toISOString().slice(0, 10)
  const [year, month, day] = text.split('-').map(Number)
  return { text, date: { year, month, day } }
}

const workflowCall = {
  id: 'call-1',
  workflowId: 'workflow-1',
  workflowName: 'Laptop',
  runId: 'run-1',
  runStatus: 'WORKFLOW_RUN_STATUS_RUNNING',
  createdAt: '2026-01-31T09:05:00.000Z',
  formConfirmationRequired: true,
  formConfirmationResponse: false,
}
export const metadata = {
  onboarding: { startDate: { year: 2026, month: 2, day: 1 }, welcomeMessage: 'Hello' },
  welcomeTitle: 'Welcome',
  welcomeBody: 'Good to have you',
}
const validationErrors = {
  displayMessage: 'Not valid',
  fieldErrors: { email: 'is missing' },
  translations: { de: 'Nicht gültig' },
}
const statusCheckResult = { isComplete: false, message: 'Waits', messageTranslations: { de: 'Wartet' } }

const unset = { description: '', assignedToUserId: '', dependsOnIds: [], isStatusCheck: false, pollingIntervalMs: 0 }
/** What the API answers for it. */
export const expectedTasks = [
  {
    id: taskId(1),
    parentTaskId: '',
    name: 'Done',
    ...unset,
    status: 'JOURNEY_TASK_STATUS_DONE',
    dueDate: dayFromToday(-3).date,
    isOverdue: false,
    latestWorkflowCall: { ...workflowCall, statusUpdatedAt: '2026-01-31T10:00:00.000Z' },
  },
  {
    id: taskId(2),
    parentTaskId: '',
    name: 'Late',
    description: 'Long ago',
    assignedToUserId: 'it-agent',
    status: 'JOURNEY_TASK_STATUS_IN_PROGRESS',
    dependsOnIds: [taskId(1)],
    dueDate: dayFromToday(-1).date,
    isOverdue: true,
    isStatusCheck: true,
    pollingIntervalMs: 60_000,
    latestWorkflowCall: workflowCall,
  },
  {
    id: taskId(3),
    parentTaskId: taskId(2),
    name: 'Today',
    ...unset,
    status: 'JOURNEY_TASK_STATUS_TODO',
    dueDate: dayFromToday(0).date,
    isOverdue: false,
  },
  {
    id: taskId(4),
    parentTaskId: '',
    name: 'Canceled',
    ...unset,
    status: 'JOURNEY_TASK_STATUS_CANCELED',
    dueDate: dayFromToday(-9).date,
    isOverdue: false,
  },
]

const checkStatuses = ['FAILING', 'FAILING', 'WARNING', 'PASSING', 'RUNNING', 'NO_DATA', 'CANCELED', 'UNSPECIFIED']
export const expectedHealthChecks = checkStatuses.map((status, index) => ({
  id: `check-${index}`,
  taskId: taskId(2),
  subtaskId: '',
  workflowId: 'workflow-1',
  workflowName: 'Laptop',
  workflowCallId: 'call-1',
  runId: 'run-1',
  type: 'JOURNEY_HEALTH_CHECK_TYPE_STATUS_CHECK',
  status: `JOURNEY_HEALTH_CHECK_STATUS_${status}`,
  ...(index === 0 && { dueDate: { year: 2026, month: 2, day: 3 } }),
}))

export const expectedFailures = [
  {
    workflowCallId: 'call-1',
    runId: 'run-1',
    workflowId: 'workflow-1',
    workflowName: 'Laptop',
    subtaskId: '',
    taskId: taskId(2),
    runStatus: 'WORKFLOW_RUN_STATUS_FAILED',
    validationErrors,
    statusCheckResult,
    runResult: 'no stock',
    runCompletedAt: '2026-02-03T04:05:06.789Z',
  },
  {
    workflowCallId: 'call-2',
    runId: '',
    workflowId: '',
    workflowName: '',
    taskId: '',
    subtaskId: '',
    runStatus: 'WORKFLOW_RUN_STATUS_DENIED',
    runResult: '',
  },
]

const customValues: readonly [dataType: string, value: unknown][] = [
  ['TEXT', 'text'],
  ['NUMBER', 12.5],
  ['BOOL', false],
  ['TIMESTAMP', '2026-01-31T09:05:00.000Z'],
  ['ENUM', 'red'],
  ['ENTITY_REF', 'entity-1'],
  ['USER_REF', 'it-agent'],
  ['UNIQUE', 'only-one'],
  ['MULTI_SELECT', ['a', 'b']],
  ['FILE', 'file-1'],
  ['TEXT', null],
]
export const expectedCustomFields = customValues.map(([dataType, value], index) => ({
  fieldId: `field-${index}`,
  fieldKey: `key-${index}`,
  fieldName: `Field ${index}`,
  dataType: `DATA_TYPE_${dataType}`,
  ...(value !== null && { value }),
}))

/** A journey that has something of everything; its rows are written out of order. */
export async function insertFullJourney({ database }: TestService): Promise<void> {
  const journey = { organization_id: fixture.acme, journey_id: id }
  await insertRow(database, 'journeys', {
    id,
    organization_id: fixture.acme,
    team_id: fixture.it,
    friendly_identifier: 'ONB-12',
    name: 'Onboarding',
    description: 'First weeks',
    created_at: '2026-01-31T10:05:00+01:00',
    archived_at: '2026-03-01T00:00:00.001Z',
    requester_user_id: fixture.users.viewer,
    due_date: '2026-02-28',
    metadata,
    created_by_workflow_id: 'workflow-0',
    created_by_workflow_name: 'Start',
  })
  const task = (index: number, row: Readonly<Record<string, unknown>>) =>
    insertRow(database, 'journey_tasks', { ...journey, id: taskId(index), position: index, ...row })
  await task(4, { name: 'Canceled', status: 'CANCELED', due_date: dayFromToday(-9).text, depends_on_ids: [] })
  await task(2, {
    name: 'Late',
    status: 'IN_PROGRESS',
    due_date: dayFromToday(-1).text,
    description: 'Long ago',
    assigned_to_user_id: 'it-agent',
    depends_on_ids: [taskId(1)],
    is_status_check: true,
    polling_interval_ms: 60_000,
    latest_workflow_call: workflowCall,
  })
  await task(3, { name: 'Today', status: 'TODO', due_date: dayFromToday(0).text, parent_task_id: taskId(2) })
  await task(1, {
    name: 'Done',
    status: 'DONE',
    due_date: dayFromToday(-3).text,
    latest_workflow_call: { ...workflowCall, statusUpdatedAt: '2026-01-31T10:00:00.000Z' },
  })
  for (const [index, status] of [...checkStatuses.entries()].reverse()) {
    await insertRow(database, 'journey_health_checks', {
      ...journey,
      id: `check-${index}`,
      position: index,
      task_id: taskId(2),
      workflow_id: 'workflow-1',
      workflow_name: 'Laptop',
      workflow_call_id: 'call-1',
      run_id: 'run-1',
      type: 'STATUS_CHECK',
      status,
      due_date: index === 0 ? '2026-02-03' : null,
    })
  }
  await insertRow(database, 'journey_workflow_failures', {
    ...journey,
    position: 1,
    workflow_call_id: 'call-2',
    run_status: 'DENIED',
  })
  await insertRow(database, 'journey_workflow_failures', {
    ...journey,
    position: 0,
    workflow_call_id: 'call-1',
    run_id: 'run-1',
    workflow_id: 'workflow-1',
    workflow_name: 'Laptop',
    task_id: taskId(2),
    run_status: 'FAILED',
    run_result: 'no stock',
    validation_errors: validationErrors,
    status_check_result: statusCheckResult,
    run_completed_at: '2026-02-03T04:05:06.789Z',
  })
  for (const [index, [dataType, value]] of [...customValues.entries()].reverse()) {
    await insertRow(database, 'journey_custom_fields', {
      ...journey,
      field_id: `field-${index}`,
      position: index,
      field_key: `key-${index}`,
      field_name: `Field ${index}`,
      data_type: dataType,
      value: value === null ? null : JSON.stringify(value),
    })
  }
}
