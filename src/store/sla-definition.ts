import { Prisma } from '../../gen/prisma/client.js'
import type { SlaActionModel, SlaConditionModel, SlaDefinitionModel } from '../../gen/prisma/models.js'
import type { PreparedQueryable } from '../db/queryable.js'
import type { OptionalRow } from './optional-row.js'
import { inTeams, type Scope } from './scope.js'
import { timestampText, type WithPrintedTimes } from './timestamp-text.js'
import { createWholeList, readWholeList } from './whole-list.js'

/** A condition on a ticket, as it is stored: the API's own JSON. */
export interface Rule {
  readonly type: string
  readonly field: string
  readonly op: string
  readonly value: string
  readonly values: string[]
  readonly logicOp: string
}

/** A condition of an SLA, out of JSON. */
export type SlaConditionRow = Pick<SlaConditionModel, 'id' | 'conditionType' | 'resumePolicy' | 'priority'> & {
  readonly conditionRule: Rule | null
}

/** An action of an SLA, out of JSON. */
export type SlaActionRow = WithPrintedTimes<
  Omit<SlaActionModel, 'slaDefinitionId' | 'position'>,
  'createdAt' | 'updatedAt'
>

/** An SLA definition with its parts. */
export type SlaDefinitionRow = WithPrintedTimes<
  Omit<SlaDefinitionModel, 'organizationId' | 'ordinal' | 'attachmentCriteria'>,
  'createdAt' | 'updatedAt' | 'archivedAt'
> & {
  readonly attachmentCriteria: readonly Rule[]
  readonly conditions: readonly SlaConditionRow[]
  readonly actionDefinitions: readonly SlaActionRow[]
}

interface DefinitionsOfTeam extends Scope {
  readonly teamId: string
}

const list = createWholeList<DefinitionsOfTeam, OptionalRow<SlaDefinitionRow>>({
  name: 'list_sla_definitions',
  reason: 'printed JSON',
  columns: {
    id: 'text',
    teamId: 'text',
    name: 'text',
    description: 'text',
    scheduleId: 'text',
    policyGroup: 'text',
    targetDurationSeconds: 'int4',
    useCalendarTime: 'bool',
    useAssignedGroupSchedule: 'bool',
    conditions: 'json',
    attachmentCriteria: 'jsonb',
    actionDefinitions: 'json',
    startingPoint: 'enum sla_starting_point',
    metric: 'enum sla_metric',
    createdAt: 'text',
    updatedAt: 'text',
    archivedAt: 'text',
  },
  text: ({ organizationId, teamId, teamIds }, limit) => Prisma.sql`
SELECT d.id, d.team_id AS "teamId", d.name, d.description, d.schedule_id AS "scheduleId",
       d.policy_group AS "policyGroup", d.target_duration_seconds AS "targetDurationSeconds",
       d.use_calendar_time AS "useCalendarTime", d.use_assigned_group_schedule AS "useAssignedGroupSchedule",
       (SELECT coalesce(json_agg(json_build_object(
                 'id', c.id, 'conditionType', c.condition_type, 'conditionRule', c.condition_rule,
                 'resumePolicy', c.resume_policy, 'priority', c.priority
               ) ORDER BY c.position, c.id), '[]')
          FROM sla_conditions c WHERE c.sla_definition_id = d.id) AS conditions,
       d.attachment_criteria AS "attachmentCriteria",
       (SELECT coalesce(json_agg(json_build_object(
                 'id', a.id, 'workflowId', a.workflow_id, 'offsetSeconds', a.offset_seconds,
                 'createdAt', ${timestampText(Prisma.sql`a.created_at`)},
                 'updatedAt', ${timestampText(Prisma.sql`a.updated_at`)}
               ) ORDER BY a.position, a.id), '[]')
          FROM sla_actions a WHERE a.sla_definition_id = d.id) AS "actionDefinitions",
       d.starting_point AS "startingPoint", d.metric, ${timestampText(Prisma.sql`d.created_at`)} AS "createdAt",
       ${timestampText(Prisma.sql`d.updated_at`)} AS "updatedAt",
       ${timestampText(Prisma.sql`d.archived_at`)} AS "archivedAt"
  FROM teams t
  LEFT JOIN LATERAL (
    SELECT * FROM sla_definitions d
     WHERE d.organization_id = t.organization_id AND d.team_id = t.id
     ORDER BY d.ordinal ${limit}
  ) d ON true
 WHERE t.organization_id = ${organizationId} AND t.id = ${teamId} AND ${inTeams(Prisma.sql`t.id`, teamIds)}
 ORDER BY d.ordinal`,
})

/** The statements of this file. */
export const slaDefinitionStatements = [...Object.values(list)]

/** The definitions of a team in the order of their creation. No row where the team is not in the scope. */
export function listSlaDefinitionsOfTeam(
  tables: PreparedQueryable,
  team: DefinitionsOfTeam,
): Promise<OptionalRow<SlaDefinitionRow>[]> {
  return readWholeList(tables, list, team)
}
