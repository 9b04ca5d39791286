import type {
  DataType,
  JourneyHealthCheckStatus,
  JourneyTaskStatus,
  WorkflowRunStatus,
} from '../../gen/prisma/enums.js'
import type { Sql } from '../db/sql.js'
import { invalidField, notFound } from '../errors.js'
import { type Caller, requirePermissionIn, visibleTeamIds } from './caller.js'
import { selectJourney } from './journey-statement.js'

/**
 * A journey with all that belongs to it (spec, Journey). Dates are `2026-01-31`. Tasks and health checks, of which there
 * are many, are the API's JSON of their messages, separated by commas, beside the statuses that values are computed from.
 */
export interface Journey {
  readonly id: string
  readonly teamId: string
  readonly friendlyIdentifier: string
  readonly name: string
  readonly description: string
  readonly createdAt: string
  readonly archivedAt: string | null
  readonly requesterUserId: string
  readonly requesterManagerUserId: string
  readonly dueDate: string | null
  readonly metadata: JourneyMetadata | null
  readonly createdByWorkflow: { readonly id: string; readonly name: string } | null
  readonly tasksJson: string
  readonly taskStatuses: readonly JourneyTaskStatus[]
  readonly healthChecksJson: string
  readonly healthCheckStatuses: readonly JourneyHealthCheckStatus[]
  readonly workflowFailures: readonly WorkflowFailure[]
  readonly customFields: readonly CustomField[]
}

/** What a journey shows to its requester: the API's own JSON. */
export interface JourneyMetadata {
  readonly onboarding?: {
    readonly startDate?: { readonly year: number; readonly month: number; readonly day: number }
    readonly welcomeMessage: string
  }
  readonly welcomeTitle: string
  readonly welcomeBody: string
}

/** The last run of a task's workflow: the API's own JSON; `runStatus` is the whole name of the enum's value. */
export interface LatestWorkflowCall {
  readonly id: string
  readonly workflowId: string
  readonly workflowName: string
  readonly runId: string
  readonly runStatus: string
  readonly createdAt: string
  readonly statusUpdatedAt?: string
  readonly formConfirmationRequired: boolean
  readonly formConfirmationResponse: boolean
}

/** A workflow run that failed; its documents are the API's own JSON. */
export interface WorkflowFailure {
  readonly workflowCallId: string
  readonly runId: string
  readonly workflowId: string
  readonly workflowName: string
  readonly taskId: string
  readonly subtaskId: string
  readonly runStatus: WorkflowRunStatus
  readonly validationErrors: {
    readonly displayMessage: string
    readonly fieldErrors: Record<string, string>
    readonly translations: Record<string, string>
  } | null
  readonly statusCheckResult: {
    readonly isComplete: boolean
    readonly message: string
    readonly messageTranslations: Record<string, string>
  } | null
  readonly runResult: string
  readonly runCompletedAt: string | null
}

/** The value of one custom field; `null` where none is set. */
export interface CustomField {
  readonly fieldId: string
  readonly fieldKey: string
  readonly fieldName: string
  readonly dataType: DataType
  readonly value: JsonValue
}

/** What JSON can hold. */
export type JsonValue = null | boolean | number | string | JsonValue[] | { [name: string]: JsonValue }

/** The row of a journey, with statuses separated by commas. */
interface JourneyRow extends Omit<Journey, 'taskStatuses' | 'healthCheckStatuses'> {
  readonly taskStatuses: string
  readonly healthCheckStatuses: string
}

const uuidFormat = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/**
 * A journey as it stood at one moment (spec, endpoint 6), with tasks overdue by the date `today` (UTC, `2026-01-31`).
 * Callers with `tickets:read` in its team see it, and so do its requester and the requester's manager (decisions, section
 * 3). Throws `FIELD_INVALID` for an id that is no UUID, `RESOURCE_NOT_FOUND`, and `PERMISSION_MISSING` where the caller
 * sees the team and nothing more.
 */
export async function getJourney(sql: Sql, caller: Caller, id: string, today: string): Promise<Journey> {
  if (!uuidFormat.test(id)) throw invalidField('id', 'must be a UUID')
  const userId = caller.kind === 'user' ? caller.id : null
  const [row] = await sql.query<JourneyRow>(
    selectJourney,
    [id, caller.organizationId, visibleTeamIds(caller), userId, today],
    'select_journey',
  )
  if (row === undefined) throw notFound('journey', id)
  const isRelated = userId !== null && (row.requesterUserId === userId || row.requesterManagerUserId === userId)
  if (!isRelated) requirePermissionIn(caller, row.teamId, 'tickets:read')
  return {
    ...row,
    taskStatuses: split(row.taskStatuses) as JourneyTaskStatus[],
    healthCheckStatuses: split(row.healthCheckStatuses) as JourneyHealthCheckStatus[],
  }
}

function split(statuses: string): string[] {
  return statuses === '' ? [] : statuses.split(',')
}
