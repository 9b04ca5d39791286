import type { Tables } from '../db/tables.js'

/** What requests to the demo organization name. */
export type DemoIds = NonNullable<Awaited<ReturnType<typeof findDemoIds>>>

/** The oldest of each in the organization; undefined if it does not have all of them. */
export async function findDemoIds({ models }: Tables, organizationId: string) {
  const orderBy = { ordinal: 'asc' } as const
  const oldest = { where: { organizationId }, orderBy, select: { id: true } }
  const oldestMember = { orderBy, select: { userId: true } }
  const admin = await models.membership.findFirst({
    where: { organizationId, role: 'ORG_ADMIN', deactivatedAt: null },
    ...oldestMember,
  })
  const directoryMember = await models.membership.findFirst({
    where: { organizationId, departmentOwner: 'DIRECTORY' },
    ...oldestMember,
  })
  const pinnedMember = await models.membership.findFirst({
    where: { organizationId, managerOwner: 'PINNED' },
    ...oldestMember,
  })
  const team = await models.team.findFirst(oldest)
  const journey = await models.journey.findFirst(oldest)
  if (admin === null || directoryMember === null || pinnedMember === null || team === null || journey === null) {
    return undefined
  }
  const priority = await models.priority.findFirst({ ...oldest, where: { organizationId, teamId: team.id } })
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
