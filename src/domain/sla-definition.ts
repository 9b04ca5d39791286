import type { PrintedObject } from '../store/resource/print.js'
import { slaDefinitionStore } from '../store/sla-definition.js'
import type { CallContext } from './caller/caller.js'
import type { Page } from './paging.js'
import { listOfOwner, updateObject } from './standard-methods.js'
import { standardResource } from './standard-resource.js'
import { isWhole, listAcrossTeams, type TeamListRequest } from './team-list.js'

/** SLA definitions: how quickly teams promise to handle tickets. */
export const slaDefinitions = standardResource(slaDefinitionStore, { name: 'SLA definition' })

/** Archives a definition, or puts it back in use, and returns it. What is already so stays as it is. */
export function archiveSlaDefinition(context: CallContext, id: string, isArchived: boolean): Promise<PrintedObject> {
  return updateObject(
    context,
    slaDefinitions,
    id,
    (before, now) => ((before.archivedAt !== null) === isArchived ? {} : { archivedAt: isArchived ? now : null }),
    isArchived ? 'sla_definition.archive' : 'sla_definition.unarchive',
  )
}

/**
 * The JSON of all SLA definitions of a team, archived ones included, in the order of their creation, or a page of what
 * `listAcrossTeams` lists. Throws `RESOURCE_NOT_FOUND` for the team, `PERMISSION_MISSING` without `tickets:read` in it,
 * and `PAGE_TOKEN_INVALID`.
 */
export function listSlaDefinitions(context: CallContext, request: TeamListRequest): Promise<string | Page> {
  if (isWhole(request)) return listOfOwner(context, slaDefinitions, request.teamId)
  return listAcrossTeams(context, slaDefinitions, request)
}
