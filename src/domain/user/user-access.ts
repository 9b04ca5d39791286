import { type Caller, type Permission, permissionMissing, permissions } from '../caller/caller.js'
import type { ApiWriter } from '../profile/field-ownership.js'
import type { MemberRights } from './member-change.js'

/**
 * Refuses a caller who does not have the permission over the whole organization. People belong to the organization, not
 * to a team, so the permissions of a team role or a team key do not cover them (docs/field-ownership.md).
 */
export function requireOrganizationPermission(caller: Caller, permission: Permission): void {
  if (!hasOrganizationPermission(caller, permission)) throw permissionMissing(permission)
}

function hasOrganizationPermission({ reach }: Caller, permission: Permission): boolean {
  return reach.scope === 'organization' && reach.permissions.has(permission)
}

/** Whether the caller is the person that a request is about. */
export function isOwnProfile(caller: Caller, userId: string): boolean {
  return caller.kind === 'user' && caller.id === userId
}

/**
 * Refuses a caller who may not write a member. `requireMember` refuses first if the organization has no such member:
 * membership is no secret within the organization, and nothing is revealed about anyone else (docs/permissions.md).
 */
export async function requireMemberPermission(
  caller: Caller,
  permission: Permission,
  requireMember: () => Promise<unknown>,
): Promise<void> {
  if (hasOrganizationPermission(caller, permission)) return
  await requireMember()
  throw permissionMissing(permission)
}

/**
 * What the caller may change of members beside governed fields. Nobody gives what they do not have: only administrators,
 * and organization keys with every permission, are above an administrator's role and address (docs/permissions.md).
 */
export function memberRightsOf(caller: Caller): MemberRights {
  if (!hasOrganizationPermission(caller, 'users:write')) return 'profiles'
  const hasAll = permissions.every((permission) => hasOrganizationPermission(caller, permission))
  return hasAll && caller.kind !== 'worker' ? 'administrators' : 'members'
}

/** The caller's class of writer, unless the request says otherwise (docs/field-ownership.md). */
export function apiWriterOf(caller: Caller): ApiWriter {
  return caller.kind === 'user' ? 'person' : 'automation'
}
