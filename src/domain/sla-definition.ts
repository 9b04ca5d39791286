import { listSlaDefinitionsOfTeam } from '../store/sla-definition.js'
import { visibleScope } from './caller/caller.js'
import type { Scope } from './caller/scope.js'
import { listOfTeam } from './caller/team-scope.js'

/**
 * The JSON of all SLA definitions of a team, archived ones included, in the order of their creation. Throws
 * `RESOURCE_NOT_FOUND` for the team, and `PERMISSION_MISSING` without `tickets:read` in it.
 */
export async function listSlaDefinitions({ reads, caller }: Scope, teamId: string): Promise<string> {
  const list = await listSlaDefinitionsOfTeam(reads, { teamId, ...visibleScope(caller) })
  return listOfTeam(list, caller, teamId, 'tickets:read')
}
