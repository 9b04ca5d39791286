import type { SlaConditionType, SlaMetric, SlaStartingPoint } from '../../gen/prisma/enums.js'
import type { Sql } from '../db/sql.js'
import { type Caller, visibleTeamIds } from './caller.js'
import { type OptionalRow, rowsOfTeam } from './team-scope.js'
import { timestampColumn } from './timestamp-column.js'
import { createWholeList } from './whole-list.js'

/** A promise about the time that a ticket takes (spec, SlaDefinition). */
export interface SlaDefinition {
  readonly id: string
  readonly teamId: string
  readonly name: string
  readonly description: string
  readonly scheduleId: string
  readonly policyGroup: string
  readonly targetDurationSeconds: number
  readonly useCalendarTime: boolean
  readonly useAssignedGroupSchedule: boolean
  readonly conditions: readonly SlaCondition[]
  readonly attachmentCriteria: readonly Rule[]
  readonly actionDefinitions: readonly SlaAction[]
  readonly startingPoint: SlaStartingPoint
  readonly metric: SlaMetric
  readonly createdAt: string
  readonly updatedAt: string
  readonly archivedAt: string | null
}

/** A condition that moves the clock of an SLA. */
export interface SlaCondition {
  readonly id: string
  readonly conditionType: SlaConditionType
  readonly conditionRule: Rule | null
  readonly resumePolicy: string
  readonly priority: number
}

/** A condition on a ticket, as it is stored: the API's own JSON. */
export interface Rule {
  readonly type: string
  readonly field: string
  readonly op: string
  readonly value: string
  readonly values: string[]
  readonly logicOp: string
}

/** A workflow that runs at an offset from the end of the promised time. */
export interface SlaAction {
  readonly id: string
  readonly workflowId: string
  readonly offsetSeconds: number
  readonly createdAt: string
  readonly updatedAt: string
}

const rowsOf = createWholeList<OptionalRow<SlaDefinition>>(
  'list_sla_definitions',
  (limit) => `
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
                 'createdAt', ${timestampColumn('a.created_at')}, 'updatedAt', ${timestampColumn('a.updated_at')}
               ) ORDER BY a.position, a.id), '[]')
          FROM sla_actions a WHERE a.sla_definition_id = d.id) AS "actionDefinitions",
       d.starting_point AS "startingPoint", d.metric, ${timestampColumn('d.created_at')} AS "createdAt",
       ${timestampColumn('d.updated_at')} AS "updatedAt", ${timestampColumn('d.archived_at')} AS "archivedAt"
  FROM teams t
  LEFT JOIN LATERAL (SELECT * FROM sla_definitions d WHERE d.team_id = t.id ORDER BY d.ordinal ${limit}) d ON true
 WHERE t.organization_id = $1 AND t.id = $2 AND ($3::text[] IS NULL OR t.id = ANY ($3))
 ORDER BY d.ordinal`,
)

/**
 * All SLA definitions of a team, archived ones included, in the order of their creation (spec, endpoint 9). Throws
 * `RESOURCE_NOT_FOUND` for the team, and `PERMISSION_MISSING` without `tickets:read` in it.
 */
export async function listSlaDefinitions(sql: Sql, caller: Caller, teamId: string): Promise<SlaDefinition[]> {
  const rows = await rowsOf(sql, [caller.organizationId, teamId, visibleTeamIds(caller)])
  return rowsOfTeam<SlaDefinition>(rows, caller, teamId, 'tickets:read')
}
