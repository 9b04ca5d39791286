import type { TeamUserRole } from '../../gen/prisma/enums.js'
import type { Tables } from '../db/tables.js'
import { invalidField, notFound } from '../errors.js'
import type { AuditAction } from '../store/audit-action.js'
import { lockMemberRows } from '../store/member.js'
import { readMemberName } from '../store/member-name.js'
import * as store from '../store/team-member.js'
import { recordCallEvents } from './audit/audit-event.js'
import { roleBeyond } from './auth/role-limits.js'
import { type CallContext, permittedTeamIds, requirePermissionIn, visibilityOf } from './caller/caller.js'
import { type Page, type PageRequest, pageOf } from './paging.js'
import { EVERY_TEAM, requireTeam, teamFilterOf } from './team-list.js'
import { acceptedVersionsFrom, entityTagOf, requireAcceptedVersion } from './value/entity-tag.js'

/** A user in a team; `expiresAt` is null for a role that does not end. */
export type TeamMember = store.TeamMemberRow

export type TeamUser = Pick<TeamMember, 'teamId' | 'userId'>

/** A role to give; without `expiresAt` (RFC 3339) it does not end. */
export interface TeamMemberWrite extends TeamUser {
  readonly role: TeamUserRole
  readonly expiresAt?: string | undefined
}

/** Which roles to list: in a team, or in every one; an empty time means absent. */
export interface TeamMemberListRequest extends PageRequest {
  readonly teamId: string
  /** Absent for every user. */
  readonly userId?: string
  /** Exclusive (RFC 3339). */
  readonly expiresBefore: string
  /** Beginnings of words of names and addresses; absent for every user. */
  readonly q?: string
}

/**
 * A page of the users who have a role in a team, or in every team in which the caller has `teams:read`; with
 * `expiresBefore`, only those whose role ends before it, earliest end first. Throws `RESOURCE_NOT_FOUND` for the team,
 * `PERMISSION_MISSING` without the permission in it, and `PAGE_TOKEN_INVALID`.
 */
export async function listTeamMembers(
  context: CallContext,
  { teamId, userId, expiresBefore, q = '', ...request }: TeamMemberListRequest,
): Promise<Page> {
  const { reads, caller, runtime } = context
  const inTeam = await teamFilterOf(context, teamId, 'teams:read')
  const endBefore = expiresBefore || null
  const selection: store.TeamMemberList = {
    organizationId: caller.organizationId,
    teamIds: permittedTeamIds(caller, 'teams:read'),
    teamId: inTeam || null,
    userId: userId ?? null,
    q: q || null,
    now: runtime.now().toISOString(),
    endBefore,
  }
  return pageOf(context, request, {
    method: 'ListTeamMembers',
    // The build before this one had other positions in the order of ends.
    filter: {
      teamId,
      expiresBefore,
      ...(userId !== undefined && { userId }),
      ...(q !== '' && { q }),
      ...(endBefore !== null && { order: 'end' }),
    },
    read: (range) => store.listTeamMembers(reads, { ...selection, ...range }),
    count: () => store.countTeamMembers(reads, selection),
  })
}

/** A page of the roles of a user, of the teams in which the caller has `teams:read`. Throws `PAGE_TOKEN_INVALID`. */
export function listUserTeams(context: CallContext, request: PageRequest & Pick<TeamUser, 'userId'>): Promise<Page> {
  return listTeamMembers(context, { ...request, teamId: EVERY_TEAM, expiresBefore: '' })
}

/**
 * The role of a user in a team. Throws `RESOURCE_NOT_FOUND` for the team, and for a user without a role in it, and
 * `PERMISSION_MISSING` without `teams:read` in the team.
 */
export async function getTeamMember(context: CallContext, user: TeamUser): Promise<TeamMember> {
  const { tables, caller, runtime } = context
  await requireTeam(context, user.teamId, 'teams:read')
  const key = { organizationId: caller.organizationId, teamId: user.teamId, userId: user.userId }
  const member = await store.findTeamMember(tables, key, runtime.now())
  if (member === undefined) throw notFound('team member', user.userId)
  return member
}

/**
 * Gives a user a role in a team, which replaces any other. Throws `FIELD_INVALID` for a time that is not in the future,
 * `RESOURCE_NOT_FOUND` for the team and for the user, `ETAG_MISMATCH`, and `PERMISSION_MISSING` without `teams:write`
 * in the team, and for a role that gives more than the caller has, or lasts longer.
 */
export async function setTeamMember(
  context: CallContext,
  { teamId, userId, role, ...write }: TeamMemberWrite,
): Promise<TeamMember> {
  const { caller, runtime } = context
  const expiresAt = write.expiresAt === undefined ? null : new Date(write.expiresAt)
  return changeMember(context, { teamId, userId }, 'team_member.set', async (transaction, key, before) => {
    if (expiresAt !== null && expiresAt <= runtime.now()) throw invalidField('expiresAt', 'must be in the future')
    const beyond = roleBeyond(caller, { teamId, role, expiresAt })
    if (beyond !== undefined) throw beyond
    await store.setTeamMember(transaction, key, { role, expiresAt })
    const isOther = { role: before?.role !== role, expiresAt: before?.expiresAt?.getTime() !== expiresAt?.getTime() }
    const changedFields = (['role', 'expiresAt'] as const).filter((name) => isOther[name])
    return { changedFields, now: { teamId, userId, role, expiresAt, ...(await readMemberName(transaction, key)) } }
  })
}

/**
 * Removes a user's role in a team. Throws `RESOURCE_NOT_FOUND` for the team, and for a user without a role in it,
 * `PERMISSION_MISSING` without `teams:write` in the team, and `ETAG_MISMATCH`.
 */
export function removeTeamMember(context: CallContext, user: TeamUser): Promise<void> {
  return changeMember(context, user, 'team_member.remove', async (transaction, key, before) => {
    if (before === undefined) throw notFound('team member', user.userId)
    await store.deleteTeamMember(transaction, key)
    return { changedFields: [], now: undefined }
  })
}

export function teamMemberTagOf({ teamId, userId, role, expiresAt, name, email }: TeamMember): string {
  return entityTagOf(JSON.stringify([teamId, userId, role, expiresAt, name, email]))
}

/**
 * Changes the role of a user in a team, with the user locked. `change` returns the names of the fields that it changed,
 * and the new state.
 */
function changeMember<Now>(
  context: CallContext,
  { teamId, userId }: TeamUser,
  action: AuditAction,
  change: (
    transaction: Tables,
    key: store.TeamMemberKey,
    before: TeamMember | undefined,
  ) => Promise<{ readonly changedFields: readonly string[]; readonly now: Now }>,
): Promise<Now> {
  const { tables, caller, runtime, ifMatch } = context
  const { organizationId } = caller
  const accepted = acceptedVersionsFrom(ifMatch)
  return tables.transaction(async (transaction) => {
    const kept = await store.keptTeam.teams(transaction, { ids: [teamId], ...visibilityOf(caller) })
    if (!kept.has(teamId)) throw notFound('team', teamId)
    requirePermissionIn(caller, teamId, 'teams:write')
    const [user] = await lockMemberRows(transaction, organizationId, [userId])
    if (user === undefined) throw notFound('user', userId)
    const key = { organizationId, teamId, userId }
    const before = await store.findTeamMember(transaction, key, runtime.now())
    const what = { resourceType: 'team member', resourceId: userId }
    requireAcceptedVersion(accepted, before && teamMemberTagOf(before), what)
    const { changedFields, now } = await change(transaction, key, before)
    await recordCallEvents(context, transaction, [{ action, targetId: userId, teamId, changedFields }])
    return now
  })
}
