import { type SlaDefinitionChange, slaDefinitionStore, slaDefinitionsOfTeam } from '../store/sla-definition.js'
import { listOfOwner, visibleScope } from './caller/caller.js'
import type { Scope } from './caller/scope.js'

/** What teams promise about their tickets. */
export const slaDefinitions = {
  name: 'SLA definition',
  auditedAs: 'sla_definition',
  read: 'tickets:read',
  write: 'tickets:write',
  store: slaDefinitionStore,
} as const

/** The change that archives a definition, or puts it back in use. */
export function archiving(isArchived: boolean, { runtime }: Scope): SlaDefinitionChange {
  const now = runtime.now()
  return { archivedAt: isArchived ? now : null, updatedAt: now }
}

/**
 * The JSON of all SLA definitions of a team, archived ones included, in the order of their creation. Throws
 * `RESOURCE_NOT_FOUND` for the team, and `PERMISSION_MISSING` without `tickets:read` in it.
 */
export async function listSlaDefinitions({ reads, caller }: Scope, teamId: string): Promise<string> {
  const list = await slaDefinitionsOfTeam.read(reads, { ownerId: teamId, ...visibleScope(caller) })
  return listOfOwner(list, caller, ['team', teamId], 'tickets:read')
}
