import type { GroupMemberModel } from '../../gen/prisma/models.js'
import { schema } from '../../gen/prisma/schema.js'
import { GroupSchema } from '../../gen/svc/v2/group_pb.js'
import type { Tables } from '../db/tables.js'
import { namedMember, nameOf } from './member-name.js'
import type { RowRange } from './pages.js'
import { declareResource } from './resource/resource.js'
import { createStandardStore } from './standard-methods.js'

const standard = createStandardStore(declareResource(GroupSchema, schema.Group, 'g'), { ownerColumn: null })

const STEPS = 'approvalSteps'
/** How many of the procedures that ask a group are named, so that errors stay small. */
const MAX_NAMED = 3

/** The groups of an organization; `src/store/directory` has what their directory writes, and the members. */
export const groupStore: typeof standard = {
  ...standard,
  // Steps are no objects of the API: whoever wants to change one looks for its procedure.
  referrers: async (tables, key, now) => {
    const others = await standard.referrers(tables, key, now)
    if (!others.some(({ name }) => name === STEPS)) return others
    const asks = { approvers: { some: { organizationId: key.organizationId, groupId: key.id } } }
    const procedures = await tables.models.approvalProcedure.findMany({
      where: { organizationId: key.organizationId, steps: { some: asks } },
      orderBy: { ordinal: 'asc' },
      take: MAX_NAMED,
      select: { id: true, accessPolicyId: true },
    })
    const named = procedures.map((each) => `${each.id} of the access policy ${each.accessPolicyId}`)
    const asking = { name: 'approvalProcedures', words: `approval procedures ${named.join(', ')}` }
    return [...others.filter(({ name }) => name !== STEPS), asking]
  },
}

export type GroupKey = Pick<GroupMemberModel, 'organizationId' | 'groupId'>

/** Members of a group in the order of their ids. */
export async function listGroupMembers({ models }: Tables, group: GroupKey, { after, take }: RowRange) {
  const where = { ...group, userId: { gt: after } }
  const members = await models.groupMember.findMany({
    where,
    orderBy: { userId: 'asc' },
    take,
    select: { groupId: true, userId: true, membership: { select: namedMember } },
  })
  return members.map(({ membership, ...member }) => ({ ...member, ...nameOf(membership) }))
}

/** The groups that a user is in, in the order of their ids. */
export async function listUserGroups(
  { models }: Tables,
  user: Pick<GroupMemberModel, 'organizationId' | 'userId'>,
  { after, take }: RowRange,
) {
  const memberships = await models.groupMember.findMany({
    where: { ...user, groupId: { gt: after } },
    orderBy: { groupId: 'asc' },
    take,
    select: { group: { select: { id: true, name: true, directoryManaged: true } } },
  })
  return memberships.map(({ group }) => group)
}

export function countGroupMembers({ models }: Tables, where: GroupKey): Promise<number> {
  return models.groupMember.count({ where })
}
