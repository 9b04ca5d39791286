import type { Tables } from '../../db/tables.js'
import type { Runtime } from '../../runtime/runtime.js'
import {
  disableEndpoint,
  type EndpointKey,
  findEndpointMaker,
  type JudgedEndpoint,
} from '../../store/webhook-endpoint.js'
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
 * Checks that the maker of an endpoint, who created it or changed it last, may still read the events that it is sent;
 * otherwise disables it, unless it has changed since. For a rotated key, the rights of its successors count. An
 * endpoint without a known maker is readable: old ones have none.
 */
export async function requireReadable(
  database: Tables,
  key: EndpointKey,
  runtime: Runtime,
): Promise<'readable' | 'unreadable' | 'disabled'> {
  const found = await findEndpointMaker(database, key, runtime.now())
  if (found === undefined) return 'readable'
  const { version, teamId, member, keys } = found
  const reaches = keys.map((each) => reachOfKey(each.teamId, each.permissions))
  if (member !== null) reaches.push(reachOfUser(member.role, member.teamRoles))
  if (reaches.some((reach) => hasPermissionIn({ reach }, teamId, 'audit:read'))) return 'readable'
  const isDisabled = await disableWithEvent(database, { ...key, version }, 'RIGHT_ENDED', runtime)
  return isDisabled ? 'disabled' : 'unreadable'
}

/** Disables an endpoint for the service's own reasons, and returns whether it was enabled, and as it was judged. */
export function disableWithEvent(
  database: Tables,
  judged: JudgedEndpoint,
  reason: Parameters<typeof disableEndpoint>[2],
  runtime: Runtime,
): Promise<boolean> {
  return database.transaction(async (transaction) => {
    const teamId = await disableEndpoint(transaction, judged, reason)
    if (teamId === undefined) return false
    const { organizationId, id } = judged
    const target = { targetId: id, teamId, changedFields: ['status', 'disabledReason'] }
    const event = { organizationId, action: 'webhook_endpoint.disable', ...target } as const
    await recordAuditEvents(transaction, [event], { actor: systemActor, runtime })
    return true
  })
}
