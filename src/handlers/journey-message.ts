import { create, fromJson } from '@bufbuild/protobuf'
import { ValueSchema } from '@bufbuild/protobuf/wkt'
import {
  CreatedByWorkflowSchema,
  CustomFieldSchema,
  DataType,
  HealthCheckCountsSchema,
  HealthCheckSchema,
  JourneyHealthCheckStatus,
  JourneyHealthCheckType,
  type Journey as JourneyMessage,
  JourneyMetadataSchema,
  JourneySchema,
  JourneyTask_LatestWorkflowCallSchema,
  JourneyTaskSchema,
  JourneyTaskStatus,
  WorkflowFailure_StatusCheckResultSchema,
  WorkflowFailure_ValidationErrorsSchema,
  WorkflowFailureSchema,
  WorkflowRunStatus,
} from '../../gen/svc/v2/journey_pb.js'
import type {
  CustomField,
  HealthCheck,
  Journey,
  JourneyTask,
  LatestWorkflowCall,
  WorkflowFailure,
} from '../domain/journey.js'
import { currentTaskIndex, healthCheckCounts, isOverdue, progressPercent } from '../domain/journey-progress.js'
import { dateToMessage } from './date.js'
import { enumValueFrom } from './enum-name.js'

/** A journey as the API shows it on the day `today` (UTC, `2026-01-31`), computed values included. */
export function journeyToMessage(journey: Journey, today: string): JourneyMessage {
  const { archivedAt, dueDate, metadata, createdByWorkflow, tasks, healthChecks, ...rest } = journey
  const { workflowFailures, customFields, ...fields } = rest
  return create(JourneySchema, {
    ...fields,
    ...(archivedAt !== null && { archivedAt }),
    ...withDueDate(dueDate),
    ...(metadata !== null && { metadata: create(JourneyMetadataSchema, metadata) }),
    ...(createdByWorkflow !== null && { createdByWorkflow: create(CreatedByWorkflowSchema, createdByWorkflow) }),
    progressPercent: progressPercent(tasks),
    currentTaskIndex: currentTaskIndex(tasks),
    tasks: tasks.map((task) => taskToMessage(task, today)),
    healthChecks: healthChecks.map(healthCheckToMessage),
    healthCheckCounts: create(HealthCheckCountsSchema, healthCheckCounts(healthChecks)),
    workflowFailures: workflowFailures.map(workflowFailureToMessage),
    customFields: customFields.map(customFieldToMessage),
  })
}

function taskToMessage(task: JourneyTask, today: string) {
  const { status, dueDate, latestWorkflowCall, ...fields } = task
  return create(JourneyTaskSchema, {
    ...fields,
    status: JourneyTaskStatus[status],
    ...withDueDate(dueDate),
    isOverdue: isOverdue(task, today),
    ...(latestWorkflowCall !== null && { latestWorkflowCall: workflowCallToMessage(latestWorkflowCall) }),
  })
}

function workflowCallToMessage({ runStatus, ...fields }: LatestWorkflowCall) {
  return create(JourneyTask_LatestWorkflowCallSchema, {
    ...fields,
    runStatus: enumValueFrom(WorkflowRunStatus, 'WORKFLOW_RUN_STATUS_', runStatus),
  })
}

function healthCheckToMessage({ type, status, dueDate, ...fields }: HealthCheck) {
  return create(HealthCheckSchema, {
    ...fields,
    type: JourneyHealthCheckType[type],
    status: JourneyHealthCheckStatus[status],
    ...withDueDate(dueDate),
  })
}

function workflowFailureToMessage(failure: WorkflowFailure) {
  const { runStatus, validationErrors, statusCheckResult, runCompletedAt, ...fields } = failure
  return create(WorkflowFailureSchema, {
    ...fields,
    runStatus: WorkflowRunStatus[runStatus],
    ...(validationErrors !== null && {
      validationErrors: create(WorkflowFailure_ValidationErrorsSchema, validationErrors),
    }),
    ...(statusCheckResult !== null && {
      statusCheckResult: create(WorkflowFailure_StatusCheckResultSchema, statusCheckResult),
    }),
    ...(runCompletedAt !== null && { runCompletedAt }),
  })
}

function customFieldToMessage({ dataType, value, ...fields }: CustomField) {
  return create(CustomFieldSchema, {
    ...fields,
    dataType: DataType[dataType],
    ...(value !== null && { value: fromJson(ValueSchema, value) }),
  })
}

function withDueDate(date: string | null) {
  const dueDate = dateToMessage(date)
  return dueDate && { dueDate }
}
