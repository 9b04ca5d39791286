import { slaDefinitionsOfTeam } from '../store/sla-definition.js'
import { listOfOwner, visibleScope } from './caller/caller.js'
import type { Scope } from './caller/scope.js'

/**
 * The JSON of all SLA definitions of a team, archived ones included, in the order of their creation. Throws
 * `RESOURCE_NOT_FOUND` for the team, and `PERMISSION_MISSING` without `tickets:read` in it.
 */
export async function listSlaDefinitions({ reads, caller }: Scope, teamId: string): Promise<string> {
  const list = await slaDefinitionsOfTeam.read(reads, { ownerId: teamId, ...visibleScope(caller) })
  return listOfOwner(list, caller, ['team', teamId], 'tickets:read')
}
