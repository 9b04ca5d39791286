import type { TeamUserRole } from '../../gen/prisma/enums.js'
import type { CallEvent } from '../domain/audit/audit-event.js'

export interface TeamRoleJson {
  readonly teamId: string
  readonly role: string
  readonly expiresAt?: string
}

/** The roles that a user's record in the JSON of an export has; none without a record. */
export function teamRolesOf(json: string | null): readonly TeamRoleJson[] {
  return JSON.parse(json ?? '{}').teamRoles ?? []
}

export function storedRoleOf({ role }: TeamRoleJson): TeamUserRole {
  return role.replace('TEAM_USER_ROLE_', '') as TeamUserRole
}

/** The roles of a user that are new, or have another end. */
export function givenTeamRoles(before: readonly TeamRoleJson[], after: readonly TeamRoleJson[]): TeamRoleJson[] {
  const old = new Set(before.map((role) => JSON.stringify(role)))
  return after.filter((role) => !old.has(JSON.stringify(role)))
}

/** The events of the roles of a user, given or taken, as the methods of teams record them. */
export function changedTeamRoles(userId: string, before: string | null, after: string | null): CallEvent[] {
  const [old, now] = [teamRolesOf(before), teamRolesOf(after)]
  const set = givenTeamRoles(old, now).map((given): CallEvent => {
    const had = old.find(({ teamId }) => teamId === given.teamId)
    const changedFields = (['role', 'expiresAt'] as const).filter((name) => had?.[name] !== given[name])
    return { action: 'team_member.set', targetId: userId, teamId: given.teamId, changedFields }
  })
  const removed = old
    .filter(({ teamId }) => !now.some((role) => role.teamId === teamId))
    .map(({ teamId }): CallEvent => ({ action: 'team_member.remove', targetId: userId, teamId }))
  return [...set, ...removed]
}
