import type { Tables } from '../db/tables.js'
import { escapedPattern } from './search.js'

export interface MemberSearch {
  readonly organizationId?: string | undefined
  /** A part of the id, the address or a name, whatever its case; absent is all. */
  readonly text?: string | undefined
  readonly most?: number
}

export type ListedMember = Awaited<ReturnType<typeof findMembers>>[number]

/** Members in the order in which they were made, deactivated ones too. */
export function findMembers({ models }: Tables, { organizationId, text, most }: MemberSearch) {
  const part = text === undefined ? undefined : ({ contains: escapedPattern(text), mode: 'insensitive' } as const)
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

/** The members whose id or address this is, of an organization or of all. */
export function findMembersNamed(
  { models }: Tables,
  { organizationId, userId, emailKey }: { organizationId: string | undefined; userId: string; emailKey: string },
) {
  const where = { ...(organizationId !== undefined && { organizationId }), OR: [{ userId }, { emailKey }] }
  return models.membership.findMany({ where, orderBy: { userId: 'asc' }, select: { userId: true } })
}
