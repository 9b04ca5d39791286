import { Prisma } from '../../gen/prisma/client.js'
import type { GroupMemberModel } from '../../gen/prisma/models.js'
import { schema } from '../../gen/prisma/schema.js'
import { GroupMemberSchema, GroupSchema } from '../../gen/svc/v2/group_pb.js'
import type { MemberKey } from './member.js'
import { isMemberFound, namesIn } from './member-name.js'
import { createCount, createPages } from './pages.js'
import { rowText } from './resource/print.js'
import { declareResource } from './resource/resource.js'
import { createStandardStore } from './standard-methods.js'
import { ofOrganization } from './visibility.js'

const memberCount = Prisma.sql`(SELECT count(*) FROM group_members n WHERE ${ofOrganization('n')} AND n.group_id = g.id)`
const groupResource = declareResource(GroupSchema, schema.Group, 'g', {
  memberCount: { kind: 'computed', isUnwritten: true, sql: memberCount },
})
const standard = createStandardStore(groupResource, { ownerColumn: null, searched: 'name' })

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

interface GroupMemberList extends GroupKey {
  readonly q: string | null
}

const members = { table: schema.GroupMember, alias: 'x' }
const membersOfGroup = { ...members, filters: ['group_id'], condition: () => isMemberFound('x') }

/** Members of a group in the order of their ids. */
export const listGroupMembers = createPages<GroupMemberList>('list_group_members', {
  ...membersOfGroup,
  text: rowText(declareResource(GroupMemberSchema, schema.GroupMember, 'x', namesIn('x'))),
  order: ['user_id'],
})

export const countGroupMembers = createCount<GroupMemberList>('count_group_members', membersOfGroup)

/** The groups that a user is in, in the order of their ids. */
export const listUserGroups = createPages<MemberKey>('list_user_groups', {
  ...members,
  filters: ['user_id'],
  text: rowText(groupResource),
  join: Prisma.sql`JOIN groups g ON ${ofOrganization('g')} AND g.id = x.group_id`,
  order: ['group_id'],
})
