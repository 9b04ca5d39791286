import type { TeamMemberModel } from '../../gen/prisma/models.js'
import { schema } from '../../gen/prisma/schema.js'
import type { Tables } from '../db/tables.js'
import { changeOrCreate } from './change-or-create.js'
import type { RowRange } from './list.js'
import { createReference } from './standard-references.js'

/** The reference to the team. */
export const keptTeam = createReference(schema.TeamMember, 'team_id')

/** The statements of this file. */
export const teamMemberStatements = keptTeam.statements

/** The role of a user in a team. */
export type TeamMemberRow = Pick<TeamMemberModel, 'teamId' | 'userId' | 'role' | 'expiresAt'>

const shown = { teamId: true, userId: true, role: true, expiresAt: true } as const

/** Whose role, and where. */
export type TeamMemberKey = Pick<TeamMemberModel, 'organizationId' | 'teamId' | 'userId'>

/** The condition on a role that it has not ended at a time. */
export function unendedAt(now: Date) {
  return { OR: [{ expiresAt: null }, { expiresAt: { gt: now } }] }
}

/** The role of a member in the organization, and those in teams that have not ended by `now`, the oldest team first. */
export function findMemberRoles(
  { models }: Tables,
  { organizationId, userId, now }: Pick<TeamMemberModel, 'organizationId' | 'userId'> & { readonly now: Date },
) {
  return models.membership.findUnique({
    where: { organizationId_userId: { organizationId, userId } },
    select: {
      role: true,
      teamRoles: {
        where: unendedAt(now),
        orderBy: { team: { ordinal: 'asc' } },
        select: { role: true, team: { select: { id: true, name: true } } },
      },
    },
  })
}

/** The role of a user in a team; undefined if the user has none, or one that has ended. */
export async function findTeamMember(
  { models }: Tables,
  key: TeamMemberKey,
  now: Date,
): Promise<TeamMemberRow | undefined> {
  const where = { organizationId_teamId_userId: key, ...unendedAt(now) }
  return (await models.teamMember.findUnique({ where, select: shown })) ?? undefined
}

/** The team whose members to list, and the time at which their roles have not ended. */
export interface TeamMemberList {
  readonly organizationId: string
  readonly teamId: string
  readonly now: Date
}

/** Members of a team in the order of their ids. */
export function listTeamMembers(
  { models }: Tables,
  { now, ...team }: TeamMemberList,
  { after, take }: RowRange,
): Promise<TeamMemberRow[]> {
  const where = { ...team, ...unendedAt(now), userId: { gt: after } }
  return models.teamMember.findMany({ where, orderBy: { userId: 'asc' }, take, select: shown })
}

/** How many members a team has. */
export function countTeamMembers({ models }: Tables, { now, ...team }: TeamMemberList): Promise<number> {
  return models.teamMember.count({ where: { ...team, ...unendedAt(now) } })
}

/** Gives a user a role, in place of another one. */
export async function setTeamMember(
  { models }: Tables,
  key: TeamMemberKey,
  role: Pick<TeamMemberRow, 'role' | 'expiresAt'>,
): Promise<void> {
  await changeOrCreate(
    () => models.teamMember.updateMany({ where: key, data: role }),
    () => models.teamMember.createMany({ data: [{ ...key, ...role }], skipDuplicates: true }),
  )
}

/** Takes the role from a user who has one. */
export async function deleteTeamMember({ models }: Tables, key: TeamMemberKey): Promise<void> {
  await models.teamMember.delete({ where: { organizationId_teamId_userId: key }, select: { userId: true } })
}

/** Which roles to delete: at most so many of those that had ended by a time. */
export interface EndedRoles {
  readonly organizationId: string
  readonly by: Date
  readonly rows: number
}

/** Deletes ended roles, and returns whose they were and where. */
export async function deleteEndedRoles(
  { models }: Tables,
  { organizationId, by, rows }: EndedRoles,
): Promise<Pick<TeamMemberRow, 'teamId' | 'userId'>[]> {
  const where = { organizationId, expiresAt: { lte: by } }
  const ended = await models.teamMember.findMany({ where, select: { teamId: true, userId: true }, take: rows })
  const deleted: typeof ended = []
  for (const role of ended) {
    // One that was given anew in the meantime stays.
    const { count } = await models.teamMember.deleteMany({ where: { ...where, ...role } })
    if (count > 0) deleted.push(role)
  }
  return deleted
}
