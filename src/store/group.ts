import type { GroupMemberModel } from '../../gen/prisma/models.js'
import { schema } from '../../gen/prisma/schema.js'
import { GroupSchema } from '../../gen/svc/v2/group_pb.js'
import type { Tables } from '../db/tables.js'
import type { RowRange } from './pages.js'
import { declareResource } from './resource/resource.js'
import { createStandardStore } from './standard-methods.js'

/** The groups of an organization; `src/store/directory` has what their directory writes, and the members. */
export const groupStore = createStandardStore(declareResource(GroupSchema, schema.Group, 'g'), { ownerColumn: null })

/** A group of an organization. */
export type GroupKey = Pick<GroupMemberModel, 'organizationId' | 'groupId'>

/** Members of a group in the order of their ids. */
export function listGroupMembers({ models }: Tables, group: GroupKey, { after, take }: RowRange) {
  const where = { ...group, userId: { gt: after } }
  return models.groupMember.findMany({
    where,
    orderBy: { userId: 'asc' },
    take,
    select: { groupId: true, userId: true },
  })
}

/** How many members a group has. */
export function countGroupMembers({ models }: Tables, where: GroupKey): Promise<number> {
  return models.groupMember.count({ where })
}
