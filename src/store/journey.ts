import { Prisma } from '../../gen/prisma/client.js'
import type { DataType, WorkflowRunStatus } from '../../gen/prisma/enums.js'
import type { PreparedQueryable } from '../db/queryable.js'
import { createPreparedStatement, type Parameter } from '../db/statement.js'
import {
  type JsonMember,
  knownText,
  objectText,
  optionalMember,
  plainText,
  stringListText,
  stringText,
} from './json-text.js'
import { inTeams, type Scope } from './scope.js'
import { timestampText } from './timestamp-text.js'

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

/** A journey with its parts, as one statement reads them: statuses are separated by commas. */
export interface JourneyRow {
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
  readonly taskStatuses: string
  readonly healthChecksJson: string
  readonly healthCheckStatuses: string
  readonly workflowFailures: readonly WorkflowFailure[]
  readonly customFields: readonly CustomField[]
}

/** Which journey is read, for whom, and when. */
export interface JourneySelection extends Scope {
  readonly id: string
  /** The user who calls; `null` where none does. */
  readonly userId: string | null
  /** The date of today, such as `2026-01-31`. */
  readonly today: string
  /** The whole names of the statuses of runs; others are printed as the unspecified one. */
  readonly runStatuses: readonly string[]
}

/** The text of a date as the API prints it. */
function dateText(column: Prisma.Sql): Prisma.Sql {
  const part = (name: string) => Prisma.sql`extract(${Prisma.raw(name)} FROM ${column})::int`
  return objectText([
    ['year', part('year')],
    ['month', part('month')],
    ['day', part('day')],
  ])
}

/** A stored document of the form of `LatestWorkflowCall`; a status that this build does not know is the zero value. */
function workflowCallText(document: Prisma.Sql, runStatuses: Parameter): Prisma.Sql {
  const member = (key: string) => Prisma.sql`${document}->>'${Prisma.raw(key)}'`
  const text = (key: string) => Prisma.sql`coalesce(${member(key)}, '')`
  const flag = (key: string): JsonMember => [key, Prisma.sql`coalesce(${member(key)}, 'false')`]
  return objectText([
    ['id', stringText(text('id'))],
    ['workflowId', stringText(text('workflowId'))],
    ['workflowName', stringText(text('workflowName'))],
    ['runId', stringText(text('runId'))],
    ['runStatus', knownText(member('runStatus'), runStatuses, 'WORKFLOW_RUN_STATUS_UNSPECIFIED')],
    ['createdAt', stringText(text('createdAt'))],
    optionalMember('statusUpdatedAt', member('statusUpdatedAt'), stringText(member('statusUpdatedAt'))),
    flag('formConfirmationRequired'),
    flag('formConfirmationResponse'),
  ])
}

const taskText = (today: Parameter, runStatuses: Parameter) =>
  objectText([
    ['id', plainText(Prisma.sql`t.id`)],
    ['parentTaskId', plainText(Prisma.sql`coalesce(t.parent_task_id::text, '')`)],
    ['name', stringText(Prisma.sql`t.name`)],
    ['description', stringText(Prisma.sql`t.description`)],
    ['assignedToUserId', stringText(Prisma.sql`t.assigned_to_user_id`)],
    ['status', plainText(Prisma.sql`'JOURNEY_TASK_STATUS_' || t.status`)],
    ['dependsOnIds', stringListText(Prisma.sql`t.depends_on_ids`)],
    optionalMember('dueDate', Prisma.sql`t.due_date`, dateText(Prisma.sql`t.due_date`)),
    [
      'isOverdue',
      Prisma.sql`(t.due_date IS NOT NULL AND t.due_date < ${today}::date AND t.status NOT IN ('DONE', 'CANCELED'))`,
    ],
    ['isStatusCheck', Prisma.sql`t.is_status_check`],
    ['pollingIntervalMs', Prisma.sql`t.polling_interval_ms`],
    optionalMember(
      'latestWorkflowCall',
      Prisma.sql`t.latest_workflow_call`,
      workflowCallText(Prisma.sql`t.latest_workflow_call`, runStatuses),
    ),
  ])

const checkText = objectText([
  ['id', plainText(Prisma.sql`c.id`)],
  ['taskId', stringText(Prisma.sql`c.task_id`)],
  ['subtaskId', stringText(Prisma.sql`c.subtask_id`)],
  ['workflowId', stringText(Prisma.sql`c.workflow_id`)],
  ['workflowName', stringText(Prisma.sql`c.workflow_name`)],
  ['workflowCallId', stringText(Prisma.sql`c.workflow_call_id`)],
  ['runId', stringText(Prisma.sql`c.run_id`)],
  ['type', plainText(Prisma.sql`'JOURNEY_HEALTH_CHECK_TYPE_' || c.type`)],
  ['status', plainText(Prisma.sql`'JOURNEY_HEALTH_CHECK_STATUS_' || c.status`)],
  optionalMember('dueDate', Prisma.sql`c.due_date`, dateText(Prisma.sql`c.due_date`)),
])

/** The two lists that make up most of a journey: their JSON, and the statuses from which values are computed. */
const lists = (tasks: Prisma.Sql) => Prisma.sql`
  CROSS JOIN LATERAL (
    SELECT coalesce(string_agg(${tasks}, ',' ORDER BY t.position, t.id), '') AS json,
           coalesce(string_agg(t.status::text, ',' ORDER BY t.position, t.id), '') AS statuses
      FROM journey_tasks t WHERE t.journey_id = j.id
  ) tasks
  CROSS JOIN LATERAL (
    SELECT coalesce(string_agg(${checkText}, ',' ORDER BY c.position, c.id), '') AS json,
           coalesce(string_agg(c.status::text, ','), '') AS statuses
      FROM journey_health_checks c WHERE c.journey_id = j.id
  ) checks`

const workflowFailures = Prisma.sql`
SELECT coalesce(json_agg(json_build_object(
         'workflowCallId', f.workflow_call_id, 'runId', f.run_id, 'workflowId', f.workflow_id,
         'workflowName', f.workflow_name, 'taskId', f.task_id, 'subtaskId', f.subtask_id,
         'runStatus', f.run_status, 'validationErrors', f.validation_errors,
         'statusCheckResult', f.status_check_result, 'runResult', f.run_result,
         'runCompletedAt', ${timestampText(Prisma.sql`f.run_completed_at`)}
       ) ORDER BY f.position), '[]')
  FROM journey_workflow_failures f WHERE f.journey_id = j.id`

const customFields = Prisma.sql`
SELECT coalesce(json_agg(json_build_object(
         'fieldId', v.field_id, 'fieldKey', v.field_key, 'fieldName', v.field_name, 'dataType', v.data_type,
         'value', v.value
       ) ORDER BY v.position, v.field_id), '[]')
  FROM journey_custom_fields v WHERE v.journey_id = j.id`

/** A journey with all its parts in one statement, so that they are of one moment. */
const select = createPreparedStatement<JourneySelection, JourneyRow>({
  name: 'select_journey',
  reason: 'printed JSON',
  columns: {
    ...{ id: 'uuid', teamId: 'text', friendlyIdentifier: 'text', name: 'text', description: 'text', createdAt: 'text' },
    ...{
      archivedAt: 'text',
      requesterUserId: 'text',
      requesterManagerUserId: 'text',
      dueDate: 'text',
      metadata: 'jsonb',
    },
    ...{ createdByWorkflow: 'json', tasksJson: 'text', taskStatuses: 'text', healthChecksJson: 'text' },
    ...{ healthCheckStatuses: 'text', workflowFailures: 'json', customFields: 'json' },
  },
  text: ({ id, organizationId, teamIds, userId, today, runStatuses }) => Prisma.sql`
SELECT j.id, j.team_id AS "teamId", j.friendly_identifier AS "friendlyIdentifier", j.name, j.description,
       ${timestampText(Prisma.sql`j.created_at`)} AS "createdAt", ${timestampText(Prisma.sql`j.archived_at`)} AS "archivedAt",
       coalesce(j.requester_user_id, '') AS "requesterUserId",
       coalesce(j.requester_manager_user_id, '') AS "requesterManagerUserId", j.due_date::text AS "dueDate", j.metadata,
       CASE WHEN j.created_by_workflow_id IS NOT NULL
            THEN json_build_object('id', j.created_by_workflow_id, 'name', j.created_by_workflow_name)
       END AS "createdByWorkflow",
       tasks.json AS "tasksJson", tasks.statuses AS "taskStatuses",
       checks.json AS "healthChecksJson", checks.statuses AS "healthCheckStatuses", (${workflowFailures}) AS "workflowFailures",
       (${customFields}) AS "customFields"
  FROM journeys j${lists(taskText(today, runStatuses))}
 WHERE j.id = ${id}::uuid AND j.organization_id = ${organizationId}
   AND (${inTeams(Prisma.sql`j.team_id`, teamIds)} OR j.requester_user_id = ${userId} OR j.requester_manager_user_id = ${userId})`,
})

/** The statements of this file. */
export const journeyStatements = [select]

/** A journey that is in the scope or that the user is related to, as it stands at one moment. */
export async function readJourney(
  tables: PreparedQueryable,
  selection: JourneySelection,
): Promise<JourneyRow | undefined> {
  const [row] = await tables.run(select, selection)
  return row
}
