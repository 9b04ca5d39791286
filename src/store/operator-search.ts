import type { Tables } from '../db/tables.js'

/** Which members to find, of all organizations or of one. */
export interface MemberSearch {
  readonly organizationId?: string | undefined
  /** A part of the id, the address or a name, whatever its case; absent is all. */
  readonly text?: string | undefined
  readonly most?: number
}

/** A member as operators see one. */
export type ListedMember = Awaited<ReturnType<typeof findMembers>>[number]

/** Members in the order in which they were made, deactivated ones too. */
export function findMembers({ models }: Tables, { organizationId, text, most }: MemberSearch) {
  const part = text === undefined ? undefined : ({ contains: text, mode: 'insensitive' } as const)
  const of = (['userId', 'email', 'firstName', 'lastName'] as const).map((name) => ({ [name]: part }))
  return models.membership.findMany({
    where: { ...(organizationId !== undefined && { organizationId }), ...(part && { OR: of }) },
    orderBy: [{ organizationId: 'asc' }, { ordinal: 'asc' }],
    ...(most !== undefined && { take: most }),
    select: {
      organizationId: true,
      userId: true,
      email: true,
      firstName: true,
      lastName: true,
      role: true,
      deactivatedAt: true,
    },
  })
}

/** The member of an organization with an address; undefined if there is none. */
export async function findMemberByEmail({ models }: Tables, organizationId: string, emailKey: string) {
  const where = { organizationId_emailKey: { organizationId, emailKey } }
  return (await models.membership.findUnique({ where, select: { userId: true } })) ?? undefined
}

/** Teams of all organizations. */
export function findTeams({ models }: Tables, most: number) {
  return models.team.findMany({ select: { id: true, name: true, organizationId: true }, take: most })
}
