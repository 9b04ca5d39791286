import type { SlaConditionType, SlaMetric, SlaStartingPoint } from '../../gen/prisma/enums.js'
import type { PreparedQueryable } from '../db/queryable.js'
import { listSlaDefinitionsOfTeam, type Rule } from '../store/sla-definition.js'
import { type Caller, visibleScope } from './caller/caller.js'
import { rowsOfTeam } from './caller/team-scope.js'

export type { Rule } from '../store/sla-definition.js'

/** A promise about the time that a ticket takes. */
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

/** A workflow that runs at an offset from the end of the promised time. */
export interface SlaAction {
  readonly id: string
  readonly workflowId: string
  readonly offsetSeconds: number
  readonly createdAt: string
  readonly updatedAt: string
}

/**
 * All SLA definitions of a team, archived ones included, in the order of their creation. Throws `RESOURCE_NOT_FOUND`
 * for the team, and `PERMISSION_MISSING` without `tickets:read` in it.
 */
export async function listSlaDefinitions(
  tables: PreparedQueryable,
  caller: Caller,
  teamId: string,
): Promise<SlaDefinition[]> {
  const rows = await listSlaDefinitionsOfTeam(tables, { ...visibleScope(caller), teamId })
  return rowsOfTeam<SlaDefinition>(rows, caller, teamId, 'tickets:read')
}
