import { type Caller, hasPermissionAnywhere, type Permission, permissionMissing } from './caller.js'
import type { ApiWriter } from './field-ownership.js'

/**
 * Refuses who does not have the permission over the whole organization. People belong to the organization and not to a
 * team, so what a team role or a team key gives does not reach them (docs/field-ownership.md).
 */
export function requireOrganizationPermission(caller: Caller, permission: Permission): void {
  if (caller.reach.scope !== 'organization' || !caller.reach.permissions.has(permission)) {
    throw permissionMissing(permission)
  }
}

/** Whether the caller is the person whom a request is about. */
export function isOwnProfile(caller: Caller, userId: string): boolean {
  return caller.kind === 'user' && caller.id === userId
}

/**
 * Refuses who may not write a member. Whoever sees the members is told first when there is no such member, by
 * `requireMember`; whoever does not hears the same of every id.
 */
export async function requireMemberPermission(
  caller: Caller,
  permission: Permission,
  requireMember: () => Promise<unknown>,
): Promise<void> {
  const isPermitted = caller.reach.scope === 'organization' && caller.reach.permissions.has(permission)
  if (isPermitted) return
  if (hasPermissionAnywhere(caller, 'users:read')) await requireMember()
  throw permissionMissing(permission)
}

/** The class of writer that the caller is, where the request does not say otherwise (spec, endpoint 10, rule 10). */
export function apiWriterOf(caller: Caller): ApiWriter {
  return caller.kind === 'user' ? 'person' : 'automation'
}
