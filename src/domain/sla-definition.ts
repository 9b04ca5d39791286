import { slaDefinitionStore, slaDefinitionsOfTeam } from '../store/sla-definition.js'
import { listOfOwner, visibleScope } from './caller/caller.js'
import type { Scope } from './caller/scope.js'
import { updateObject } from './standard-methods.js'
import { standardResource } from './standard-resource.js'

/** What teams promise about their tickets. */
export const slaDefinitions = standardResource(slaDefinitionStore, { name: 'SLA definition' })

/** Archives a definition, or puts it back in use, and returns its JSON. What is already so stays as it is. */
export function archiveSlaDefinition(scope: Scope, id: string, isArchived: boolean): Promise<string> {
  return updateObject(
    scope,
    slaDefinitions,
    id,
    (before, now) => (Boolean(before['archivedAt']) === isArchived ? {} : { archivedAt: isArchived ? now : null }),
    isArchived ? 'sla_definition.archive' : 'sla_definition.unarchive',
  )
}

/**
 * The JSON of all SLA definitions of a team, archived ones included, in the order of their creation. Throws
 * `RESOURCE_NOT_FOUND` for the team, and `PERMISSION_MISSING` without `tickets:read` in it.
 */
export async function listSlaDefinitions({ reads, caller }: Scope, teamId: string): Promise<string> {
  const list = await slaDefinitionsOfTeam.read(reads, { ownerId: teamId, ...visibleScope(caller) })
  return listOfOwner(list, caller, ['team', teamId], 'tickets:read')
}
