import type { TeamUserRole } from '../../../gen/prisma/enums.js'
import { findTeamNames } from '../../store/organization.js'
import { findMemberRoles } from '../../store/team-member.js'
import { hasPermissionIn, permissions, type Scope, visibleTeamIds } from './caller.js'

/**
 * Describes the caller of a call: its role, which keys do not have, the permissions that it has for the whole
 * organization, and the teams in which a user has a role, or the team of a key, with the permissions there.
 */
export async function getCaller({ tables, caller, runtime }: Scope) {
  const { kind, organizationId, id: userId, reach } = caller
  const member =
    kind === 'USER_TOKEN' ? await findMemberRoles(tables, { organizationId, userId, now: runtime.now() }) : null
  const teams: readonly { readonly id: string; readonly name: string; readonly role?: TeamUserRole }[] =
    member?.teamRoles.map(({ role, team }) => ({ ...team, role })) ??
    (await findTeamNames(tables, organizationId, visibleTeamIds(caller) ?? []))
  return {
    ...caller,
    role: member?.role,
    permissions: permissions.filter((each) => reach.scope === 'organization' && reach.permissions.has(each)),
    teams: teams.map(({ id: teamId, name, role }) => {
      return { teamId, name, role, permissions: permissions.filter((each) => hasPermissionIn(caller, teamId, each)) }
    }),
  }
}
