import type { Tables } from '../db/tables.js'

/** What requests to the demo organization name. */
export interface DemoIds {
  readonly admin: string
  /** A member whose department the directory supplies. */
  readonly directoryMember: string
  /** A member whose manager a person has pinned. */
  readonly pinnedMember: string
  readonly team: string
  readonly priority: string
  readonly journey: string
}

/** The oldest of each in the organization; undefined if it does not have all of them. */
export async function findDemoIds({ models }: Tables, organizationId: string): Promise<DemoIds | undefined> {
  const orderBy = { ordinal: 'asc' } as const
  const admin = await models.membership.findFirst({
    where: { organizationId, role: 'ORG_ADMIN', deactivatedAt: null },
    orderBy,
    select: { userId: true },
  })
  const directoryMember = await models.membership.findFirst({
    where: { organizationId, departmentOwner: 'DIRECTORY' },
    orderBy,
    select: { userId: true },
  })
  const pinnedMember = await models.membership.findFirst({
    where: { organizationId, managerOwner: 'PINNED' },
    orderBy,
    select: { userId: true },
  })
  const team = await models.team.findFirst({ where: { organizationId }, orderBy, select: { id: true } })
  const journey = await models.journey.findFirst({ where: { organizationId }, orderBy, select: { id: true } })
  if (admin === null || directoryMember === null || pinnedMember === null || team === null || journey === null) {
    return undefined
  }
  const where = { organizationId, teamId: team.id }
  const priority = await models.priority.findFirst({ where, orderBy, select: { id: true } })
  if (priority === null) return undefined
  return {
    admin: admin.userId,
    directoryMember: directoryMember.userId,
    pinnedMember: pinnedMember.userId,
    team: team.id,
    priority: priority.id,
    journey: journey.id,
  }
}
