import { descriptionLimits, optionalNameLimits, type TextLimits } from '../../domain/value/text-field.js'
import { type CalendarDate, timestampOf } from '../../domain/value/timestamp.js'
import type { JourneyMetadata, StatusCheckResult, ValidationErrors } from '../../store/journey-document.js'
import { dateOf, enumOf, idOf, requireDistinct, taskReferenceOf, textOf } from '../field-values.js'

/** A check of a task in the JSON of the API. */
export interface HealthCheckJson {
  readonly id: string
  readonly taskId: string
  readonly subtaskId: string
  readonly workflowId: string
  readonly workflowName: string
  readonly workflowCallId: string
  readonly runId: string
  readonly type: string
  readonly status: string
  readonly dueDate?: CalendarDate
}

/** A failed workflow run in the JSON of the API. */
export interface WorkflowFailureJson {
  readonly workflowCallId: string
  readonly runId: string
  readonly workflowId: string
  readonly workflowName: string
  readonly taskId: string
  readonly subtaskId: string
  readonly runStatus: string
  readonly validationErrors?: ValidationErrors
  readonly statusCheckResult?: StatusCheckResult
  readonly runResult: string
  readonly runCompletedAt?: string
}

const resultLimits: TextLimits = { max: 100_000, multiline: true }

/** The metadata, kept as given. Throws a ServiceError where a part is bad. */
export function metadataOf(field: string, metadata: JourneyMetadata): JourneyMetadata {
  textOf(`${field}.welcomeTitle`, metadata.welcomeTitle, optionalNameLimits)
  textOf(`${field}.welcomeBody`, metadata.welcomeBody, descriptionLimits)
  if (metadata.onboarding !== undefined) {
    textOf(`${field}.onboarding.welcomeMessage`, metadata.onboarding.welcomeMessage, descriptionLimits)
    dateOf(`${field}.onboarding.startDate`, metadata.onboarding.startDate)
  }
  return metadata
}

/** The checks as rows. Throws a ServiceError where one is bad. */
export function healthCheckRowsOf(checks: readonly HealthCheckJson[]) {
  requireDistinct(
    checks.map((check) => check.id),
    (index) => `healthChecks[${index}].id`,
  )
  return checks.map((check, index) => {
    const field = `healthChecks[${index}]`
    return {
      id: idOf(`${field}.id`, check.id),
      ...runRowOf(field, check),
      type: enumOf(check.type, 'JOURNEY_HEALTH_CHECK_TYPE_'),
      status: enumOf(check.status, 'JOURNEY_HEALTH_CHECK_STATUS_'),
      dueDate: dateOf(`${field}.dueDate`, check.dueDate),
    }
  })
}

/** The failures as rows. Throws a ServiceError where one is bad. */
export function workflowFailureRowsOf(failures: readonly WorkflowFailureJson[]) {
  return failures.map((failure, index) => {
    const field = `workflowFailures[${index}]`
    const { validationErrors: errors, statusCheckResult: result } = failure
    if (errors !== undefined) {
      textOf(`${field}.validationErrors.displayMessage`, errors.displayMessage, descriptionLimits)
      checkTexts(`${field}.validationErrors.fieldErrors`, errors.fieldErrors)
      checkTexts(`${field}.validationErrors.translations`, errors.translations)
    }
    if (result !== undefined) {
      textOf(`${field}.statusCheckResult.message`, result.message, descriptionLimits)
      checkTexts(`${field}.statusCheckResult.messageTranslations`, result.messageTranslations)
    }
    return {
      ...runRowOf(field, failure),
      runStatus: enumOf(failure.runStatus, 'WORKFLOW_RUN_STATUS_'),
      validationErrors: errors ?? null,
      statusCheckResult: result ?? null,
      runResult: textOf(`${field}.runResult`, failure.runResult, resultLimits),
      runCompletedAt: timestampOf(`${field}.runCompletedAt`, failure.runCompletedAt),
    }
  })
}

type RunJson = Pick<
  HealthCheckJson,
  'taskId' | 'subtaskId' | 'workflowId' | 'workflowName' | 'workflowCallId' | 'runId'
>

function runRowOf(field: string, run: RunJson) {
  return {
    taskId: taskReferenceOf(`${field}.taskId`, run.taskId),
    subtaskId: taskReferenceOf(`${field}.subtaskId`, run.subtaskId),
    workflowId: textOf(`${field}.workflowId`, run.workflowId, optionalNameLimits),
    workflowName: textOf(`${field}.workflowName`, run.workflowName, optionalNameLimits),
    workflowCallId: textOf(`${field}.workflowCallId`, run.workflowCallId, optionalNameLimits),
    runId: textOf(`${field}.runId`, run.runId, optionalNameLimits),
  }
}

function checkTexts(field: string, texts: Readonly<Record<string, string>>): void {
  for (const [key, text] of Object.entries(texts)) {
    textOf(field, key, optionalNameLimits)
    textOf(`${field}[${JSON.stringify(key)}]`, text, descriptionLimits)
  }
}
