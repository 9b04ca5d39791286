import { type NamedKind, type NamedRow, namedKinds, readNames } from '../store/name.js'
import {
  type CallContext,
  hasPermissionAnywhere,
  type Permission,
  permittedTeamIds,
  visibleTeamIds,
} from './caller/caller.js'

/** The permission to read the objects of each kind. */
const permissions: Readonly<Record<NamedKind, Permission>> = {
  user: 'users:read',
  team: 'teams:read',
  group: 'users:read',
  access_policy: 'access:read',
  api_key: 'keys:read',
  app_instance: 'apps:read',
  app_resource: 'apps:read',
  journey: 'tickets:read',
  priority: 'tickets:read',
  sla_definition: 'tickets:read',
  entity_type: 'entities:read',
  entity_ingestion_config: 'entities:read',
  webhook_endpoint: 'webhooks:read',
}

/** An object whose name is wanted. */
export type NamedObject = Pick<NamedRow, 'id' | 'type'>

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** The names of objects: of those that the caller may read. */
export async function listNames({ reads, caller }: CallContext, objects: readonly NamedObject[]): Promise<NamedRow[]> {
  const teamIdsOf = (kind: NamedKind) => {
    const permission = permissions[kind]
    // People are the organization's, and whoever may read them anywhere reads all of them.
    if (kind === 'user' && hasPermissionAnywhere(caller, permission)) return null
    // Callers get the names of their own teams.
    return (kind === 'team' && visibleTeamIds(caller)) || permittedTeamIds(caller, permission)
  }
  const { organizationId } = caller
  const userId = caller.kind === 'USER_TOKEN' ? caller.id : null
  const names: NamedRow[] = []
  for (const kind of namedKinds) {
    const named = objects.filter(({ type, id }) => type === kind && (kind !== 'journey' || UUID.test(id)))
    const wanted = { organizationId, ids: named.map(({ id }) => id), teamIds: teamIdsOf(kind), userId }
    if (named.length > 0) names.push(...(await readNames(reads, kind, wanted)))
  }
  return names
}
