import type { Tables } from '../../db/tables.js'
import type { Runtime } from '../../runtime/runtime.js'
import { disableEndpoint, type EndpointKey, findEndpointMaker } from '../../store/webhook-endpoint.js'
import { recordAuditEvents, systemActor } from '../audit/audit-event.js'
import { reachOfKey, reachOfUser } from '../auth/authentication.js'
import { type Caller, hasPermissionIn, requirePermissionIn } from '../caller/caller.js'

/** Refuses a caller who may not read what an endpoint of a team, or of the organization, is sent. */
export function requireReader(caller: Caller, teamId: string | null = null): void {
  requirePermissionIn(caller, teamId, 'audit:read')
}

/** Who makes an endpoint, or changes it: it is sent what this caller may read. */
export function makerOf({ kind, id }: Caller) {
  return kind === 'USER_TOKEN' ? { makerUserId: id, makerKeyId: null } : { makerUserId: null, makerKeyId: id }
}

/**
 * Whether whoever made an endpoint, or changed it last, may read what it is sent. A key that has been rotated is its
 * successors too. True of an endpoint whose maker is not known, as of those from before makers were noted.
 */
async function mayMakerRead(tables: Tables, key: EndpointKey, now: Date): Promise<boolean> {
  const found = await findEndpointMaker(tables, key, now)
  if (found === undefined) return true
  const { teamId, member, keys } = found
  const reaches = keys.map((each) => reachOfKey(each.teamId, each.permissions))
  if (member !== null) {
    reaches.push(reachOfUser(member.role, Object.fromEntries(member.teamRoles.map((each) => [each.teamId, each.role]))))
  }
  return reaches.some((reach) => hasPermissionIn({ reach }, teamId, 'audit:read'))
}

/** Disables an endpoint whose maker may no longer read what it is sent, and returns whether it did. */
export async function disableUnreadable(database: Tables, key: EndpointKey, runtime: Runtime): Promise<boolean> {
  if (await mayMakerRead(database, key, runtime.now())) return false
  return disableWithEvent(database, key, 'RIGHT_ENDED', runtime)
}

/** Disables an endpoint for the service's own reasons, and returns whether it was enabled. */
export function disableWithEvent(
  database: Tables,
  { organizationId, id }: EndpointKey,
  reason: Parameters<typeof disableEndpoint>[2],
  runtime: Runtime,
): Promise<boolean> {
  return database.transaction(async (transaction) => {
    const teamId = await disableEndpoint(transaction, { organizationId, id }, reason)
    if (teamId === undefined) return false
    const target = { targetId: id, teamId, changedFields: ['status', 'disabledReason'] }
    const event = { organizationId, action: 'webhook_endpoint.disable', ...target } as const
    await recordAuditEvents(transaction, [event], { actor: systemActor, runtime })
    return true
  })
}
