import type { Database } from '../db/database.js'
import type { Sql } from '../db/sql.js'
import { notFound, refuseViolations } from '../errors.js'
import { auditInsert, auditParameters, type WriteContext } from './audit-statement.js'
import { type Caller, requirePermissionIn, visibleTeamIds } from './caller.js'
import { permittedTeamIds } from './team-scope.js'
import { descriptionLimits, nameLimits, textViolations } from './text-field.js'

/** How urgent a ticket is, as one team grades it (spec, Priority). */
export interface Priority {
  readonly id: string
  readonly teamId: string
  readonly priority: string
  readonly description: string
  readonly scopedId: string
  readonly name: string
  readonly isAiSelectable: boolean
}

/** New values of a priority; what is absent stays as it is. */
export interface PriorityUpdate {
  readonly id: string
  readonly name?: string | undefined
  readonly description?: string | undefined
  readonly isAiSelectable?: boolean | undefined
}

/** One statement: the row and its audit event change together without a transaction around them. */
const updateStatement = `
WITH updated AS (
  UPDATE priorities
     SET name = coalesce($4, name),
         description = coalesce($5, description),
         is_ai_selectable = coalesce($6, is_ai_selectable)
   WHERE id = $1 AND organization_id = $2 AND ($3::text[] IS NULL OR team_id = ANY ($3))
  RETURNING *, $7::uuid AS audit_event_id
), audited AS (
  ${auditInsert('updated', { action: 'priority.update', targetType: 'priority' }, 8)}
)
SELECT id, team_id AS "teamId", priority, description, scoped_id AS "scopedId", name,
       is_ai_selectable AS "isAiSelectable"
  FROM updated`

/**
 * Changes a priority and answers it as it stands then (spec, endpoint 4). Throws `FIELD_INVALID` for texts that do not
 * fit, `RESOURCE_NOT_FOUND`, and `PERMISSION_MISSING` without `tickets:write` in its team.
 */
export async function updatePriority(
  database: Database,
  caller: Caller,
  update: PriorityUpdate,
  { runtime, requestId }: WriteContext,
): Promise<Priority> {
  checkTexts(update)
  const [updated] = await database.query<Priority>(
    updateStatement,
    [
      ...[update.id, caller.organizationId, permittedTeamIds(caller, 'tickets:write')],
      ...[update.name, update.description, update.isAiSelectable],
      ...[runtime.newId(), ...auditParameters(caller, requestId)],
    ],
    'update_priority',
  )
  return updated ?? refuse(database, caller, update.id)
}

function checkTexts(update: PriorityUpdate): void {
  refuseViolations([
    ...textViolations('name', update.name, nameLimits),
    ...textViolations('description', update.description, descriptionLimits),
  ])
}

/** Says why no priority could be changed: hidden and missing are one answer, and only what is seen is forbidden. */
async function refuse(sql: Sql, caller: Caller, id: string): Promise<never> {
  const [seen] = await sql.query<{ team_id: string }>(
    `SELECT team_id FROM priorities
      WHERE id = $1 AND organization_id = $2 AND ($3::text[] IS NULL OR team_id = ANY ($3))`,
    [id, caller.organizationId, visibleTeamIds(caller)],
    'team_of_priority',
  )
  if (seen !== undefined) requirePermissionIn(caller, seen.team_id, 'tickets:write')
  throw notFound('priority', id)
}
