import { type Caller, type Permission, permissionMissing } from '../caller/caller.js'
import type { ApiWriter } from '../profile/field-ownership.js'

/**
 * Refuses who does not have the permission over the whole organization. People belong to the organization and not to a
 * team, so what a team role or a team key gives does not reach them (docs/field-ownership.md).
 */
export function requireOrganizationPermission(caller: Caller, permission: Permission): void {
  if (!hasOrganizationPermission(caller, permission)) throw permissionMissing(permission)
}

function hasOrganizationPermission({ reach }: Caller, permission: Permission): boolean {
  return reach.scope === 'organization' && reach.permissions.has(permission)
}

/** Whether the caller is the person whom a request is about. */
export function isOwnProfile(caller: Caller, userId: string): boolean {
  return caller.kind === 'user' && caller.id === userId
}

/**
 * Refuses who may not write a member. `requireMember` refuses first where the organization has no such member: who is a
 * member is no secret within the organization, and of others nothing is told (docs/permissions.md).
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

/** The class of writer that the caller is, where the request does not say otherwise (docs/field-ownership.md). */
export function apiWriterOf(caller: Caller): ApiWriter {
  return caller.kind === 'user' ? 'person' : 'automation'
}
