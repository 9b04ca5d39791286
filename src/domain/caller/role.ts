import type { TeamUserRole, UserRole } from '../../../gen/prisma/enums.js'
import { type Permission, permissions, type Reach } from './caller.js'

const all: ReadonlySet<Permission> = new Set(permissions)
const reads = permissions.filter((permission) => permission.endsWith(':read'))
const readAll: ReadonlySet<Permission> = new Set(reads)

/** The permissions that a role in a team gives there (docs/permissions.md). */
const teamRolePermissions: Readonly<Record<TeamUserRole, ReadonlySet<Permission>>> = {
  MANAGER: all,
  BUILDER: new Set<Permission>([...reads, 'access:write', 'apps:write']),
  AGENT: new Set<Permission>([...reads, 'tickets:write']),
  CONTRIBUTOR: readAll,
  VIEWER: readAll,
}

/**
 * How far a person's permissions reach: an administrator's over the organization, a member's as the team roles say, a
 * guest's to the reads of the team roles. `teamRoles` is keyed by the id of the team.
 */
export function reachOfUser(role: UserRole, teamRoles: Readonly<Record<string, TeamUserRole>>): Reach {
  if (role === 'ORG_ADMIN') return { scope: 'organization', permissions: all }
  const teams = new Map<string, ReadonlySet<Permission>>()
  for (const [teamId, teamRole] of Object.entries(teamRoles)) {
    teams.set(teamId, role === 'ORG_GUEST' ? readAll : teamRolePermissions[teamRole])
  }
  return { scope: 'teams', teams }
}
