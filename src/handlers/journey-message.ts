import { create, fromJson } from '@bufbuild/protobuf'
import { ValueSchema } from '@bufbuild/protobuf/wkt'
import {
  CreatedByWorkflowSchema,
  CustomFieldSchema,
  DataType,
  HealthCheckCountsSchema,
  HealthCheckSchema,
  type Journey as JourneyMessage,
  JourneyMetadataSchema,
  JourneySchema,
  JourneyTaskSchema,
  WorkflowFailure_StatusCheckResultSchema,
  WorkflowFailure_ValidationErrorsSchema,
  WorkflowFailureSchema,
  WorkflowRunStatus,
} from '../../gen/svc/v2/journey_pb.js'
import type { Journey } from '../domain/journey/journey.js'
import { currentTaskIndex, healthCheckCounts, progressPercent } from '../domain/journey/journey-progress.js'
import type { CustomField, WorkflowFailure } from '../store/journey.js'
import { dateToMessage } from './date.js'
import { listOfPrinted, type PreprintList } from './preprint-list.js'

/** A journey as the API shows it, computed values included. */
export function journeyToMessage(journey: Journey, preprintList: PreprintList): JourneyMessage {
  const { archivedAt, dueDate, metadata, createdByWorkflow, taskStatuses, healthCheckStatuses, ...rest } = journey
  const { tasksJson, healthChecksJson, workflowFailures, customFields, ...fields } = rest
  const message = create(JourneySchema, {
    ...fields,
    ...(archivedAt !== null && { archivedAt }),
    ...withDueDate(dueDate),
    ...(metadata !== null && { metadata: create(JourneyMetadataSchema, metadata) }),
    ...(createdByWorkflow !== null && { createdByWorkflow: create(CreatedByWorkflowSchema, createdByWorkflow) }),
    progressPercent: progressPercent(taskStatuses),
    currentTaskIndex: currentTaskIndex(taskStatuses),
    healthCheckCounts: create(HealthCheckCountsSchema, healthCheckCounts(healthCheckStatuses)),
    workflowFailures: workflowFailures.map(workflowFailureToMessage),
    customFields: customFields.map(customFieldToMessage),
  })
  message.tasks = listOfPrinted(JourneyTaskSchema, tasksJson, preprintList)
  message.healthChecks = listOfPrinted(HealthCheckSchema, healthChecksJson, preprintList)
  return message
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
