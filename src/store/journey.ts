import { Prisma } from '../../gen/prisma/client.js'
import type { PreparedQueryable } from '../db/queryable.js'
import { createPreparedStatement, type Parameter } from '../db/statement.js'
import {
  dateText,
  flagText,
  listText,
  objectText,
  optionalMember,
  plainText,
  quotedTimestamp,
  stringListText,
  stringText,
} from './json-text.js'
import { inTeams, type Scope } from './scope.js'

/** A journey as one statement prints it, and what its readers are judged by. */
export interface JourneyRow {
  readonly teamId: string
  readonly requesterUserId: string | null
  readonly requesterManagerUserId: string | null
  /** The API's JSON of the journey with all its parts, computed values included. */
  readonly json: string
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

/** Statuses of tasks on which nobody works any more. */
const CLOSED = Prisma.raw(`('DONE', 'CANCELED')`)

const optionalDate = (column: Prisma.Sql) => optionalMember('dueDate', column, dateText(column))

const optionalDocument = (key: string, column: Prisma.Sql) => optionalMember(key, column, column)

/** A document of the form of `LatestWorkflowCall`; a status that this build does not know is the zero value. */
const workflowCall = (document: Prisma.Sql, runStatuses: Parameter) => Prisma.sql`
CASE WHEN ${document}->>'runStatus' = ANY (${runStatuses}::text[]) THEN ${document}
     ELSE ${document} || '{"runStatus": "WORKFLOW_RUN_STATUS_UNSPECIFIED"}' END`

const taskText = (today: Parameter, runStatuses: Parameter) =>
  objectText([
    ['id', plainText(Prisma.sql`t.id`)],
    ['parentTaskId', plainText(Prisma.sql`coalesce(t.parent_task_id::text, '')`)],
    ['name', stringText(Prisma.sql`t.name`)],
    ['description', stringText(Prisma.sql`t.description`)],
    ['assignedToUserId', stringText(Prisma.sql`t.assigned_to_user_id`)],
    ['status', plainText(Prisma.sql`'JOURNEY_TASK_STATUS_', t.status`)],
    ['dependsOnIds', stringListText(Prisma.sql`t.depends_on_ids`)],
    optionalDate(Prisma.sql`t.due_date`),
    [
      'isOverdue',
      flagText(Prisma.sql`t.due_date IS NOT NULL AND t.due_date < ${today}::date AND t.status NOT IN ${CLOSED}`),
    ],
    ['isStatusCheck', flagText(Prisma.sql`t.is_status_check`)],
    ['pollingIntervalMs', Prisma.sql`t.polling_interval_ms`],
    optionalMember(
      'latestWorkflowCall',
      Prisma.sql`t.latest_workflow_call`,
      workflowCall(Prisma.sql`t.latest_workflow_call`, runStatuses),
    ),
  ])

/** The tasks, and what is computed of them. */
const tasks = (today: Parameter, runStatuses: Parameter) => Prisma.sql`
SELECT ${listText(taskText(today, runStatuses), Prisma.sql`t.position, t.id`)} AS list,
       coalesce(100 * count(*) FILTER (WHERE t.status = 'DONE')
                / nullif(count(*) FILTER (WHERE t.status <> 'CANCELED'), 0), 0) AS progress,
       coalesce(array_position(array_agg(t.status NOT IN ${CLOSED} ORDER BY t.position, t.id), true) - 1, count(*)) AS current
  FROM journey_tasks t WHERE t.journey_id = j.id`

const checkText = objectText([
  ['id', plainText(Prisma.sql`c.id`)],
  ['taskId', stringText(Prisma.sql`c.task_id`)],
  ['subtaskId', stringText(Prisma.sql`c.subtask_id`)],
  ['workflowId', stringText(Prisma.sql`c.workflow_id`)],
  ['workflowName', stringText(Prisma.sql`c.workflow_name`)],
  ['workflowCallId', stringText(Prisma.sql`c.workflow_call_id`)],
  ['runId', stringText(Prisma.sql`c.run_id`)],
  ['type', plainText(Prisma.sql`'JOURNEY_HEALTH_CHECK_TYPE_', c.type`)],
  ['status', plainText(Prisma.sql`'JOURNEY_HEALTH_CHECK_STATUS_', c.status`)],
  optionalDate(Prisma.sql`c.due_date`),
])

const checksIn = (status: string) => Prisma.sql`count(*) FILTER (WHERE c.status = ${Prisma.raw(`'${status}'`)})`

/** The checks, and their counts. */
const checks = Prisma.sql`
SELECT ${listText(checkText, Prisma.sql`c.position, c.id`)} AS list,
       ${objectText([
         ['totalCount', Prisma.sql`count(*)`],
         ['failingCount', checksIn('FAILING')],
         ['warningCount', checksIn('WARNING')],
         ['passingCount', checksIn('PASSING')],
         ['runningCount', checksIn('RUNNING')],
         ['noDataCount', checksIn('NO_DATA')],
         ['canceledCount', checksIn('CANCELED')],
       ])} AS counts
  FROM journey_health_checks c WHERE c.journey_id = j.id`

const failureText = objectText([
  ['workflowCallId', stringText(Prisma.sql`f.workflow_call_id`)],
  ['runId', stringText(Prisma.sql`f.run_id`)],
  ['workflowId', stringText(Prisma.sql`f.workflow_id`)],
  ['workflowName', stringText(Prisma.sql`f.workflow_name`)],
  ['taskId', stringText(Prisma.sql`f.task_id`)],
  ['subtaskId', stringText(Prisma.sql`f.subtask_id`)],
  ['runStatus', plainText(Prisma.sql`'WORKFLOW_RUN_STATUS_', f.run_status`)],
  optionalDocument('validationErrors', Prisma.sql`f.validation_errors`),
  optionalDocument('statusCheckResult', Prisma.sql`f.status_check_result`),
  ['runResult', stringText(Prisma.sql`f.run_result`)],
  optionalMember('runCompletedAt', Prisma.sql`f.run_completed_at`, quotedTimestamp(Prisma.sql`f.run_completed_at`)),
])

const failures = Prisma.sql`
SELECT ${listText(failureText, Prisma.sql`f.position`)} FROM journey_workflow_failures f WHERE f.journey_id = j.id`

const fieldText = objectText([
  ['fieldId', stringText(Prisma.sql`v.field_id`)],
  ['fieldKey', stringText(Prisma.sql`v.field_key`)],
  ['fieldName', stringText(Prisma.sql`v.field_name`)],
  ['dataType', plainText(Prisma.sql`'DATA_TYPE_', v.data_type`)],
  optionalDocument('value', Prisma.sql`nullif(v.value, 'null')`),
])

const fields = Prisma.sql`
SELECT ${listText(fieldText, Prisma.sql`v.position, v.field_id`)} FROM journey_custom_fields v WHERE v.journey_id = j.id`

const journeyText = objectText([
  ['id', plainText(Prisma.sql`j.id`)],
  ['teamId', stringText(Prisma.sql`j.team_id`)],
  ['friendlyIdentifier', stringText(Prisma.sql`j.friendly_identifier`)],
  ['name', stringText(Prisma.sql`j.name`)],
  ['description', stringText(Prisma.sql`j.description`)],
  ['createdAt', quotedTimestamp(Prisma.sql`j.created_at`)],
  optionalMember('archivedAt', Prisma.sql`j.archived_at`, quotedTimestamp(Prisma.sql`j.archived_at`)),
  ['requesterUserId', stringText(Prisma.sql`coalesce(j.requester_user_id, '')`)],
  ['requesterManagerUserId', stringText(Prisma.sql`coalesce(j.requester_manager_user_id, '')`)],
  ['progressPercent', Prisma.sql`tasks.progress`],
  ['currentTaskIndex', Prisma.sql`tasks.current`],
  optionalDate(Prisma.sql`j.due_date`),
  optionalDocument('metadata', Prisma.sql`j.metadata`),
  optionalMember(
    'createdByWorkflow',
    Prisma.sql`j.created_by_workflow_id`,
    objectText([
      ['id', stringText(Prisma.sql`j.created_by_workflow_id`)],
      ['name', stringText(Prisma.sql`coalesce(j.created_by_workflow_name, '')`)],
    ]),
  ),
  ['tasks', Prisma.sql`tasks.list`],
  ['healthChecks', Prisma.sql`checks.list`],
  ['healthCheckCounts', Prisma.sql`checks.counts`],
  ['workflowFailures', Prisma.sql`(${failures})`],
  ['customFields', Prisma.sql`(${fields})`],
])

/** A journey with all its parts in one statement, so that they are of one moment. */
const print = createPreparedStatement<JourneySelection, JourneyRow>({
  name: 'print_journey',
  reason: 'printed JSON',
  columns: { teamId: 'text', requesterUserId: 'text', requesterManagerUserId: 'text', json: 'text' },
  text: ({ id, organizationId, teamIds, userId, today, runStatuses }) => Prisma.sql`
SELECT j.team_id AS "teamId", j.requester_user_id AS "requesterUserId",
       j.requester_manager_user_id AS "requesterManagerUserId", ${journeyText} AS json
  FROM journeys j
 CROSS JOIN LATERAL (${tasks(today, runStatuses)}) tasks
 CROSS JOIN LATERAL (${checks}) checks
 WHERE j.id = ${id}::uuid AND j.organization_id = ${organizationId}
   AND (${inTeams(Prisma.sql`j.team_id`, teamIds)} OR j.requester_user_id = ${userId} OR j.requester_manager_user_id = ${userId})`,
})

/** The statements of this file. */
export const journeyStatements = [print]

/** Prints a journey that is in the scope or that the user is related to, as it stands at one moment. */
export async function printJourney(
  tables: PreparedQueryable,
  selection: JourneySelection,
): Promise<JourneyRow | undefined> {
  const [row] = await tables.run(print, selection)
  return row
}
