import type { PreparedQueryable } from '../db/queryable.js'
import { listSlaDefinitionsOfTeam } from '../store/sla-definition.js'
import { type Caller, visibleScope } from './caller/caller.js'
import { listOfTeam } from './caller/team-scope.js'

/**
 * The JSON of all SLA definitions of a team, archived ones included, in the order of their creation. Throws
 * `RESOURCE_NOT_FOUND` for the team, and `PERMISSION_MISSING` without `tickets:read` in it.
 */
export async function listSlaDefinitions(tables: PreparedQueryable, caller: Caller, teamId: string): Promise<string> {
  const list = await listSlaDefinitionsOfTeam(tables, { teamId, ...visibleScope(caller) })
  return listOfTeam(list, caller, teamId, 'tickets:read')
}
