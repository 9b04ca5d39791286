import { Prisma } from '../../gen/prisma/client.js'
import type { TeamMemberModel } from '../../gen/prisma/models.js'
import { schema } from '../../gen/prisma/schema.js'
import { TeamMemberSchema } from '../../gen/svc/v2/team_pb.js'
import type { Places } from '../db/statement.js'
import type { Tables } from '../db/tables.js'
import type { MemberKey } from './member.js'
import { isMemberFound, type MemberName, namedMember, nameOf, namesIn } from './member-name.js'
import { createCount, createPages, type PageRequest, type PageRow } from './pages.js'
import { rowText } from './resource/print.js'
import { declareResource } from './resource/resource.js'
import { createReference } from './standard-references.js'
import type { ExpiredOf } from './sweep.js'
import { inTeams, type Visibility } from './visibility.js'

export const keptTeam = createReference(schema.TeamMember, 'team_id')

/** Which roles to list: those that have not ended by `now`. Times are RFC 3339. */
export interface TeamMemberList extends Visibility {
  /** Null for every visible team. */
  readonly teamId: string | null
  /** Null for every user. */
  readonly userId: string | null
  /** Beginnings of words of the name and the address; null for every user. */
  readonly q: string | null
  readonly now: string
  /** Null for roles that do not end as well. */
  readonly endBefore: string | null
}

const listed = {
  table: schema.TeamMember,
  alias: 'm',
  filters: ['team_id', 'user_id'],
  condition: ({ teamIds, now, endBefore }: Places<TeamMemberList>) => Prisma.sql`
               ${inTeams(Prisma.sql`m.team_id`, teamIds)}
           AND (m.expires_at > ${now}::timestamptz OR ${endBefore}::timestamptz IS NULL AND m.expires_at IS NULL)
           AND (${endBefore}::timestamptz IS NULL OR m.expires_at < ${endBefore}::timestamptz)
           AND ${isMemberFound('m')}`,
  text: rowText(declareResource(TeamMemberSchema, schema.TeamMember, 'm', namesIn('m'))),
}

const list = createPages('list_team_members', { ...listed, order: ['team_id', 'user_id'] })
const listByEnd = createPages('list_team_members_by_end', { ...listed, order: ['expires_at', 'team_id', 'user_id'] })

export const countTeamMembers = createCount('count_team_members', listed)

export type TeamRoleRow = Pick<TeamMemberModel, 'teamId' | 'userId' | 'role' | 'expiresAt'>
export type TeamMemberRow = TeamRoleRow & MemberName

const role = { teamId: true, userId: true, role: true, expiresAt: true } as const

export type TeamMemberKey = Pick<TeamMemberModel, 'organizationId' | 'teamId' | 'userId'>

/** The condition on a role that it has not ended at a time. */
export function unendedAt(now: Date) {
  return { OR: [{ expiresAt: null }, { expiresAt: { gt: now } }] }
}

/** The role of a member in the organization, and those in teams that have not ended by `now`, the oldest team first. */
export function findMemberRoles(
  { models }: Tables,
  { organizationId, userId, now }: MemberKey & { readonly now: Date },
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

/** The roles of members in teams that have not ended by `now`. */
export function findTeamRoles(
  { models }: Tables,
  organizationId: string,
  userIds: readonly string[],
  now: Date,
): Promise<TeamRoleRow[]> {
  const where = { organizationId, userId: { in: [...userIds] }, ...unendedAt(now) }
  return models.teamMember.findMany({ where, select: role })
}

/** The role of a user in a team; undefined if the user has none, or one that has ended. */
export async function findTeamMember(
  { models }: Tables,
  key: TeamMemberKey,
  now: Date,
): Promise<TeamMemberRow | undefined> {
  const where = { organizationId_teamId_userId: key, ...unendedAt(now) }
  const select = { ...role, membership: { select: namedMember } }
  const found = await models.teamMember.findUnique({ where, select })
  if (found === null) return undefined
  const { membership, ...member } = found
  return { ...member, ...nameOf(membership) }
}

/** A page of roles in the order of their teams and users; those that end before a time in the order of their ends. */
export function listTeamMembers(tables: Tables, page: TeamMemberList & PageRequest): Promise<PageRow | undefined> {
  return page.endBefore === null ? list(tables, page) : listByEnd(tables, page)
}

/** Gives a role to a member, who must be locked. */
export async function setTeamMember(
  { models }: Tables,
  key: TeamMemberKey,
  role: Pick<TeamMemberRow, 'role' | 'expiresAt'>,
): Promise<void> {
  const { count } = await models.teamMember.updateMany({ where: key, data: role })
  if (count === 0) await models.teamMember.create({ data: { ...key, ...role }, select: { userId: true } })
}

export async function deleteTeamMember({ models }: Tables, key: TeamMemberKey): Promise<void> {
  await models.teamMember.delete({ where: { organizationId_teamId_userId: key }, select: { userId: true } })
}

/** Deletes ended roles, and returns whose they were and where. */
export async function deleteEndedRoles(
  { models }: Tables,
  { organizationId, by, rows }: ExpiredOf,
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
