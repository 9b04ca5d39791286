import type { Tables } from '../db/tables.js'

export type DemoIds = NonNullable<Awaited<ReturnType<typeof findDemoIds>>>

/** The oldest of each in the organization; undefined if it does not have all of them. */
export async function findDemoIds({ models }: Tables, organizationId: string) {
  const orderBy = { ordinal: 'asc' } as const
  const id = { id: true }
  const userId = { userId: true }
  const administrators = { organizationId, role: 'ORG_ADMIN', deactivatedAt: null } as const
  const supplied = { organizationId, departmentOwner: 'DIRECTORY' } as const
  const pinned = { organizationId, managerOwner: 'PINNED' } as const
  const admin = await models.membership.findFirst({ where: administrators, orderBy, select: userId })
  const directoryMember = await models.membership.findFirst({ where: supplied, orderBy, select: userId })
  const pinnedMember = await models.membership.findFirst({ where: pinned, orderBy, select: userId })
  const team = await models.team.findFirst({ where: { organizationId }, orderBy, select: id })
  const journey = await models.journey.findFirst({ where: { organizationId }, orderBy, select: id })
  if (admin === null || directoryMember === null || pinnedMember === null || team === null || journey === null) {
    return undefined
  }
  const ofTeam = { organizationId, teamId: team.id }
  const priority = await models.priority.findFirst({ where: ofTeam, orderBy, select: id })
  if (priority === null) return undefined
  return {
    admin: admin.userId,
    /** A member whose department the directory supplies. */
    directoryMember: directoryMember.userId,
    /** A member whose manager a person has pinned. */
    pinnedMember: pinnedMember.userId,
    team: team.id,
    priority: priority.id,
    journey: journey.id,
  }
}
