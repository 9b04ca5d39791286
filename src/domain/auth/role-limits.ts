import type { TeamUserRole } from '../../../gen/prisma/enums.js'
import { ServiceError } from '../../errors.js'
import { type Caller, hasPermissionIn, permissionMissing, rightEndIn } from '../caller/caller.js'
import { defaultPermissions } from './api-key.js'
import { teamRolePermissions } from './authentication.js'

export interface TeamRole {
  readonly teamId: string
  readonly role: TeamUserRole
  readonly expiresAt: Date | null
}

/**
 * The error for a role in a team that gives more than the caller has there, or lasts longer; undefined if it does not.
 * A key counts as having everything if it has all that its kind can have (docs/permissions.md).
 */
export function roleBeyond(caller: Caller, { teamId, role, expiresAt }: TeamRole): ServiceError | undefined {
  const given = teamRolePermissions[role]
  const possible = defaultPermissions(caller.kind === 'WORKER_TOKEN' ? 'wk' : 'pk', caller.reach.scope === 'teams')
  const missing = possible.find((permission) => given.has(permission) && !hasPermissionIn(caller, teamId, permission))
  if (missing !== undefined) return permissionMissing(missing)
  const end = rightEndIn(caller, teamId)
  if (end === null || (expiresAt !== null && expiresAt <= end)) return undefined
  const own = caller.kind === 'USER_TOKEN' ? 'your own role in the team' : 'the API key'
  return new ServiceError('PERMISSION_MISSING', `${own} ends at ${end.toISOString()}, and what it gives no later`)
}
