import type { Prisma } from '../../gen/prisma/client.js'
import type { Tables } from '../db/tables.js'

export type DemoIds = NonNullable<Awaited<ReturnType<typeof findDemoIds>>>

/** The oldest of each in the organization; undefined if it does not have all of them. */
export async function findDemoIds({ models }: Tables, organizationId: string) {
  const orderBy = { ordinal: 'asc' } as const
  const select = { id: true } as const
  const member = (where: Prisma.MembershipWhereInput) =>
    models.membership.findFirst({ where: { organizationId, ...where }, orderBy, select: { userId: true } })
  const admin = await member({ role: 'ORG_ADMIN', deactivatedAt: null })
  const directoryMember = await member({ departmentOwner: 'DIRECTORY' })
  const pinnedMember = await member({ managerOwner: 'PINNED' })
  const team = await models.team.findFirst({ where: { organizationId }, orderBy, select })
  const journey = await models.journey.findFirst({ where: { organizationId }, orderBy, select })
  const priority =
    team && (await models.priority.findFirst({ where: { organizationId, teamId: team.id }, orderBy, select }))
  if (!(admin && directoryMember && pinnedMember && team && journey && priority)) return undefined
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
