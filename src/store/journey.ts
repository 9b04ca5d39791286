import { Prisma } from '../../gen/prisma/client.js'
import type { JourneyModel } from '../../gen/prisma/models.js'
import { schema } from '../../gen/prisma/schema.js'
import {
  CreatedByWorkflowSchema,
  CustomFieldSchema,
  HealthCheckCountsSchema,
  HealthCheckSchema,
  JourneySchema,
  JourneyTaskSchema,
  WorkflowFailureSchema,
} from '../../gen/svc/v2/journey_pb.js'
import type { Parameter, Places } from '../db/statement.js'
import { createLookUp } from '../db/tables.js'
import { type PrintedRow, rowText } from './resource/print.js'
import { type Declarations, declareResource, propertiesIn } from './resource/resource.js'
import { listText } from './resource/text.js'
import { inTeams, ofOrganization, type Visibility } from './visibility.js'

/** A journey as one statement prints it, and what decides who may read it. */
type JourneyRow = PrintedRow & Pick<JourneyModel, 'teamId' | 'requesterUserId' | 'requesterManagerUserId'>

/** For whom journeys are read, and when. */
export interface JourneyViewer extends Visibility {
  /** The calling user; `null` if the caller is not one. */
  readonly userId: string | null
  /** The date of today, such as `2026-01-31`. */
  readonly today: string
}

const today: Parameter = { parameter: 'today' }
const includesNext: Parameter = { parameter: 'includeNextTasks' }

export const isOpenTask = Prisma.sql`t.status NOT IN ('DONE', 'CANCELED')`

const taskResource = declareResource(JourneyTaskSchema, schema.JourneyTask, 't', {
  isOverdue: {
    kind: 'computed',
    sql: Prisma.sql`t.due_date IS NOT NULL AND t.due_date < ${today}::date AND ${isOpenTask}`,
  },
})

const checkResource = declareResource(HealthCheckSchema, schema.JourneyHealthCheck, 'c')

/** The tasks of a journey that could be done now, if those are asked for, as a list: to be joined to the journey. */
export const nextTasks = Prisma.sql`
 CROSS JOIN LATERAL (
   SELECT ${listText(rowText(taskResource), Prisma.sql`t.position, t.id`)} AS list
     FROM journey_tasks t
    WHERE ${ofOrganization('t')} AND t.journey_id = j.id AND ${includesNext}::bool AND ${isOpenTask}
      AND NOT EXISTS (
        SELECT FROM journey_tasks d
         WHERE ${ofOrganization('d')} AND d.journey_id = j.id AND d.id = ANY (t.depends_on_ids)
           AND d.status NOT IN ('DONE', 'CANCELED'))
 ) next`

/** The position of a journey's parts; the second column orders those with the same position. */
const inJourney = (...second: string[]) => ({ parent: 'journey_id', order: ['position', ...second] })

/** Values computed from tasks and checks come from a query that reads these. */
const declared = {
  progressPercent: { kind: 'computed', sql: Prisma.sql`tasks.progress` },
  currentTaskIndex: { kind: 'computed', sql: Prisma.sql`tasks.current` },
  createdByWorkflow: {
    kind: 'columns',
    resource: declareResource(CreatedByWorkflowSchema, schema.Journey, 'j', {
      id: 'created_by_workflow_id',
      name: 'created_by_workflow_name',
    }),
    presence: 'created_by_workflow_id',
  },
  tasks: { kind: 'parts', resource: taskResource, ...inJourney('id') },
  healthChecks: { kind: 'parts', resource: checkResource, ...inJourney('id') },
  healthCheckCounts: { kind: 'computed', sql: Prisma.sql`checks.counts` },
  workflowFailures: {
    kind: 'parts',
    resource: declareResource(WorkflowFailureSchema, schema.JourneyWorkflowFailure, 'f'),
    ...inJourney(),
  },
  customFields: {
    kind: 'parts',
    resource: declareResource(CustomFieldSchema, schema.JourneyCustomField, 'v'),
    ...inJourney('field_id'),
  },
} as const

export const journeyResource = declareResource(JourneySchema, schema.Journey, 'j', declared)

/** Prints a journey, whose lists of parts come from a query or are left out. */
export function journeyText(lists: Partial<Declarations<typeof JourneySchema, typeof schema.Journey>>): Prisma.Sql {
  return rowText(declareResource(JourneySchema, schema.Journey, 'j', { ...declared, ...lists }))
}

const countOf = (status: string) =>
  ({ kind: 'computed', sql: Prisma.raw(`count(*) FILTER (WHERE c.status = '${status}')`) }) as const

const countsResource = declareResource(HealthCheckCountsSchema, schema.JourneyHealthCheck, 'c', {
  totalCount: { kind: 'computed', sql: Prisma.raw('count(*)') },
  failingCount: countOf('FAILING'),
  warningCount: countOf('WARNING'),
  passingCount: countOf('PASSING'),
  runningCount: countOf('RUNNING'),
  noDataCount: countOf('NO_DATA'),
  canceledCount: countOf('CANCELED'),
})

const wholeText = journeyText({
  tasks: { kind: 'computed', sql: Prisma.sql`tasks.list` },
  healthChecks: { kind: 'computed', sql: Prisma.sql`checks.list` },
})

/** Joins the tasks and checks of a journey: the lists of both, and what is computed from them. */
export const journeyParts = Prisma.sql`
 CROSS JOIN LATERAL (
   SELECT ${listText(rowText(taskResource), Prisma.sql`t.position, t.id`)} AS list,
          coalesce(100 * count(*) FILTER (WHERE t.status = 'DONE')
                   / nullif(count(*) FILTER (WHERE t.status <> 'CANCELED'), 0), 0) AS progress,
          coalesce(array_position(array_agg(${isOpenTask} ORDER BY t.position, t.id), true) - 1, count(*)) AS current
     FROM journey_tasks t WHERE ${ofOrganization('t')} AND t.journey_id = j.id
 ) tasks
 CROSS JOIN LATERAL (
   SELECT ${listText(rowText(checkResource), Prisma.sql`c.position, c.id`)} AS list, ${rowText(countsResource)} AS counts
     FROM journey_health_checks c WHERE ${ofOrganization('c')} AND c.journey_id = j.id
 ) checks`

/** Who may see a journey: callers with access to its team, its requester, and the requester's manager. */
export function isVisible({ teamIds, userId }: Places<JourneyViewer>): Prisma.Sql {
  const ofTeams = inTeams(Prisma.sql`j.team_id`, teamIds)
  return Prisma.sql`(${ofTeams} OR j.requester_user_id = ${userId} OR j.requester_manager_user_id = ${userId})`
}

const deciding = propertiesIn(schema.Journey, ['teamId', 'requesterUserId', 'requesterManagerUserId'], 'j')

/** Prints a journey of a visible team or one that the user is related to, with all its parts, as of one moment. */
export const printJourney = createLookUp<JourneyViewer & { readonly id: string }, JourneyRow>({
  name: 'print_journey',
  columns: { ...deciding.types, json: 'text' },
  text: (places) => Prisma.sql`
SELECT ${deciding.sql}, ${wholeText} AS json
  FROM journeys j ${journeyParts}
 WHERE ${ofOrganization('j')} AND j.id = ${places.id}::uuid AND ${isVisible(places)}`,
})
