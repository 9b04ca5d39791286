import type { Prisma } from '../../../gen/prisma/client.js'

const byPosition = [{ position: 'asc' }, { id: 'asc' }] as const

/** What is read with a journey. */
export const journeyParts = {
  tasks: { orderBy: [...byPosition] },
  healthChecks: { orderBy: [...byPosition] },
  workflowFailures: { orderBy: { position: 'asc' } },
  customFields: { orderBy: [{ position: 'asc' }, { fieldId: 'asc' }] },
} satisfies Prisma.JourneyInclude

type Journey = Prisma.JourneyGetPayload<{ include: typeof journeyParts }>
type Task = Journey['tasks'][number]
type Check = Journey['healthChecks'][number]

/** A journey as the API prints it, at a time that decides which tasks are overdue. */
export function journeyJson(journey: Journey, now: Date) {
  const { tasks, healthChecks } = journey
  const done = tasks.filter(({ status }) => status === 'DONE').length
  const counted = tasks.filter(({ status }) => status !== 'CANCELED').length
  const current = tasks.findIndex(isOpen)
  return {
    id: journey.id,
    teamId: journey.teamId,
    friendlyIdentifier: journey.friendlyIdentifier,
    name: journey.name,
    description: journey.description,
    createdAt: journey.createdAt,
    archivedAt: journey.archivedAt ?? undefined,
    requesterUserId: journey.requesterUserId ?? '',
    requesterManagerUserId: journey.requesterManagerUserId ?? '',
    progressPercent: counted === 0 ? 0 : Math.floor((100 * done) / counted),
    currentTaskIndex: current < 0 ? tasks.length : current,
    dueDate: dateJson(journey.dueDate),
    metadata: journey.metadata ?? undefined,
    createdByWorkflow:
      journey.createdByWorkflowId === null
        ? undefined
        : { id: journey.createdByWorkflowId, name: journey.createdByWorkflowName },
    tasks: tasks.map((task) => taskJson(task, now)),
    healthChecks: healthChecks.map(checkJson),
    healthCheckCounts: countsOf(healthChecks),
    workflowFailures: journey.workflowFailures.map((failure) => ({
      workflowCallId: failure.workflowCallId,
      runId: failure.runId,
      workflowId: failure.workflowId,
      workflowName: failure.workflowName,
      taskId: failure.taskId,
      subtaskId: failure.subtaskId,
      runStatus: `WORKFLOW_RUN_STATUS_${failure.runStatus}`,
      validationErrors: failure.validationErrors ?? undefined,
      statusCheckResult: failure.statusCheckResult ?? undefined,
      runResult: failure.runResult,
      runCompletedAt: failure.runCompletedAt ?? undefined,
    })),
    customFields: journey.customFields.map(({ fieldId, fieldKey, fieldName, dataType, value }) => ({
      fieldId,
      fieldKey,
      fieldName,
      dataType: `DATA_TYPE_${dataType}`,
      value: value ?? undefined,
    })),
  }
}

function isOpen({ status }: Task): boolean {
  return status !== 'DONE' && status !== 'CANCELED'
}

function taskJson(task: Task, now: Date) {
  const { dueDate } = task
  return {
    id: task.id,
    parentTaskId: task.parentTaskId ?? '',
    name: task.name,
    description: task.description,
    assignedToUserId: task.assignedToUserId,
    status: `JOURNEY_TASK_STATUS_${task.status}`,
    dependsOnIds: task.dependsOnIds,
    dueDate: dateJson(dueDate),
    isOverdue: isOpen(task) && dueDate !== null && dueDate.toISOString().slice(0, 10) < now.toISOString().slice(0, 10),
    isStatusCheck: task.isStatusCheck,
    pollingIntervalMs: task.pollingIntervalMs,
    latestWorkflowCall: task.latestWorkflowCall ?? undefined,
  }
}

function checkJson(check: Check) {
  return {
    id: check.id,
    taskId: check.taskId,
    subtaskId: check.subtaskId,
    workflowId: check.workflowId,
    workflowName: check.workflowName,
    workflowCallId: check.workflowCallId,
    runId: check.runId,
    type: `JOURNEY_HEALTH_CHECK_TYPE_${check.type}`,
    status: `JOURNEY_HEALTH_CHECK_STATUS_${check.status}`,
    dueDate: dateJson(check.dueDate),
  }
}

function countsOf(checks: readonly Check[]) {
  const count = (wanted: Check['status']) => checks.filter(({ status }) => status === wanted).length
  return {
    totalCount: checks.length,
    failingCount: count('FAILING'),
    warningCount: count('WARNING'),
    passingCount: count('PASSING'),
    runningCount: count('RUNNING'),
    noDataCount: count('NO_DATA'),
    canceledCount: count('CANCELED'),
  }
}

function dateJson(date: Date | null) {
  if (date === null) return undefined
  return { year: date.getUTCFullYear(), month: date.getUTCMonth() + 1, day: date.getUTCDate() }
}
