import type { TeamUserRole, UserRole } from '../../../gen/prisma/enums.js'
import { findTeamNames } from '../../store/organization.js'
import { findMemberRoles } from '../../store/team-member.js'
import { type Caller, hasPermissionIn, type Permission, permissions, type Scope, visibleTeamIds } from './caller.js'

/** A caller with its roles, which keys do not have, and the permissions that these or its key give it. */
export interface CallerDetails extends Caller {
  readonly role: UserRole | undefined
  /** Those for the whole organization. */
  readonly permissions: readonly Permission[]
  /** The teams in which a user has a role, or the team of a key. */
  readonly teams: readonly CallerTeam[]
}

/** What a caller may do in a team. */
export interface CallerTeam {
  readonly teamId: string
  readonly name: string
  readonly role: TeamUserRole | undefined
  readonly permissions: readonly Permission[]
}

/** Describes the caller of a call. */
export async function getCaller({ tables, caller, runtime }: Scope): Promise<CallerDetails> {
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
