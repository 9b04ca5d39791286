import { Prisma } from '../../../gen/prisma/client.js'
import type { GroupModel } from '../../../gen/prisma/models.js'
import { schema } from '../../../gen/prisma/schema.js'
import { createQuery, firstRow, type Tables } from '../../db/tables.js'
import type { GroupKey } from '../group.js'
import { takeLocks } from '../lock.js'
import type { MemberKey } from '../member.js'
import { propertiesIn } from '../resource/resource.js'
import { createRowLock } from '../row-lock.js'
import { compare, type Entries, escapedPattern, type Value } from '../search.js'
import { type SearchRows, searchStatement } from '../search-page.js'
import { ofOrganization } from '../visibility.js'
import type { Reference } from './user.js'

/** A group as its directory sees one. */
export type DirectoryGroupRow = Pick<GroupModel, 'id' | 'name' | 'directoryExternalId' | 'createdAt' | 'updatedAt'> & {
  /** Null if members were not requested. */
  readonly members: readonly Reference[] | null
  /** Every change of the group or of its members raises it. */
  readonly version: string
}

const ofGroup = propertiesIn(schema.Group, ['id', 'name', 'directoryExternalId', 'createdAt', 'updatedAt'], 'g')

/** The groups of an organization, perhaps without their members. */
export function searchedGroups(withMembers: boolean): SearchRows<DirectoryGroupRow> {
  return {
    name: 'directory_groups',
    table: schema.Group,
    alias: 'g',
    where: Prisma.sql`true`,
    columns: Prisma.sql`
       ${ofGroup.sql}, g.version::text AS version,
       CASE WHEN ${withMembers}::boolean THEN (
         SELECT coalesce(json_agg(json_build_object('value', m.user_id, 'display', btrim(m.first_name || ' ' || m.last_name))
                                  ORDER BY gm.position), '[]')
           FROM group_members gm
           JOIN memberships m ON ${ofOrganization('m')} AND m.user_id = gm.user_id
          WHERE ${ofOrganization('gm')} AND gm.group_id = g.id AND m.directory_deleted_at IS NULL
       ) END AS members`,
    types: { ...ofGroup.types, version: 'text', members: 'json' },
    references: Prisma.sql`group_members gm WHERE ${withMembers}::boolean AND ${ofOrganization('gm')} AND gm.group_id = g.id`,
  }
}

export const groupValues = {
  id: { sql: Prisma.sql`g.id`, isIndexed: true },
  externalId: { sql: Prisma.sql`g.directory_external_id`, isIndexed: true },
  name: { sql: Prisma.sql`nullif(g.name, '')` },
  createdAt: { sql: Prisma.sql`g.created_at` },
  updatedAt: { sql: Prisma.sql`g.updated_at` },
} satisfies Readonly<Record<string, Value>>

export const groupMembers: Entries = {
  from: Prisma.sql`group_members x JOIN memberships o ON ${ofOrganization('o')} AND o.user_id = x.user_id
    WHERE ${ofOrganization('x')} AND x.group_id = g.id`,
  lookUp: (value) => Prisma.sql`g.id = ANY (ARRAY(
    SELECT y.group_id FROM group_members y WHERE ${ofOrganization('y')} AND y.user_id = ${value}::text))`,
}

export const groupMemberValues = {
  id: { sql: Prisma.sql`x.user_id` },
  name: { sql: Prisma.sql`nullif(btrim(o.first_name || ' ' || o.last_name), '')` },
} satisfies Readonly<Record<string, Value>>

const lock = createRowLock({
  table: schema.Group,
  strength: 'NO KEY UPDATE',
  read: ['id', 'name', 'directoryExternalId', 'directoryManaged'],
  more: { version: [Prisma.sql`version::text`, 'text'] },
})

export type LockedGroup = NonNullable<Awaited<ReturnType<typeof lockGroup>>>

export async function findDirectoryGroup(
  tables: Tables,
  { organizationId, groupId }: GroupKey,
  withMembers: boolean,
): Promise<DirectoryGroupRow | undefined> {
  const condition = compare({ value: groupValues.id, text: 'exact' }, 'equals', groupId)
  const statement = searchStatement(searchedGroups(withMembers), { condition }, { offset: 0, count: 1 })
  const found = await firstRow(tables, statement, { organizationId })
  return found?.place === null ? undefined : found
}

export function lockGroup(transaction: Tables, { organizationId, groupId }: GroupKey) {
  return firstRow(transaction, lock, { organizationId, ids: [groupId] })
}

/** The id of a group with the name, in any case, which no other transaction can give to a group until this one ends. */
export async function claimGroupName(
  transaction: Tables,
  organizationId: string,
  name: string,
): Promise<string | undefined> {
  await takeLocks(transaction, [{ kind: 'group', organizationId, value: name.toLowerCase() }])
  const where = { organizationId, name: { equals: escapedPattern(name), mode: 'insensitive' } } as const
  return (await transaction.models.group.findFirst({ where, select: { id: true } }))?.id
}

/** Finds the users who exist and whom the directory has not deleted. */
export async function findGroupableUsers(
  { models }: Tables,
  organizationId: string,
  userIds: readonly string[],
): Promise<ReadonlySet<string>> {
  const where = { organizationId, userId: { in: [...userIds] }, directoryDeletedAt: null }
  const users = await models.membership.findMany({ where, select: { userId: true } })
  return new Set(users.map(({ userId }) => userId))
}

/** The members of a group: those of the users who are, or all. */
export async function findGroupMembers(
  { models }: Tables,
  { organizationId, groupId }: GroupKey,
  userIds: readonly string[] | 'all',
): Promise<ReadonlySet<string>> {
  const where = { organizationId, groupId, ...(userIds !== 'all' && { userId: { in: [...userIds] } }) }
  const members = await models.groupMember.findMany({ where, select: { userId: true } })
  return new Set(members.map(({ userId }) => userId))
}

/** A set from outside: Prisma would plan the addition of ten thousand for a second, in one turn of the event loop. */
const add = createQuery<GroupKey & { readonly userIds: string[]; readonly positions: number[] }>({
  name: 'add_group_members',
  columns: {},
  text: ({ groupId, userIds, positions }) => Prisma.sql`
INSERT INTO group_members (organization_id, group_id, user_id, position)
SELECT g.organization_id, g.id, added.user_id, added.position
  FROM groups g
 CROSS JOIN unnest(${userIds}::text[], ${positions}::int[]) AS added (user_id, position)
 WHERE ${ofOrganization('g')} AND g.id = ${groupId}`,
})

/** Takes users out of a locked group, and adds others behind those that it has. */
export async function changeGroupMembers(
  tables: Tables,
  { organizationId, groupId }: GroupKey,
  { removed, added }: { readonly removed: readonly string[]; readonly added: readonly string[] },
): Promise<void> {
  const where = { organizationId, groupId }
  const { groupMember } = tables.models
  if (removed.length > 0) await groupMember.deleteMany({ where: { ...where, userId: { in: [...removed] } } })
  if (added.length === 0) return
  const last = await groupMember.findFirst({ where, orderBy: { position: 'desc' }, select: { position: true } })
  const first = (last?.position ?? -1) + 1
  // In the same order everywhere, so that writers who wait for each other's members do not deadlock.
  const members = added.map((userId, index) => ({ userId, position: first + index }))
  members.sort((one, other) => (one.userId < other.userId ? -1 : 1))
  const userIds = members.map(({ userId }) => userId)
  await add(tables, { organizationId, groupId, userIds, positions: members.map(({ position }) => position) })
}

/** Takes a user out of all groups, which get other versions, and returns their ids. */
export async function leaveAllGroups(
  { models }: Tables,
  { organizationId, userId, now }: MemberKey & { readonly now: Date },
): Promise<readonly string[]> {
  const left = await models.groupMember.findMany({
    where: { organizationId, userId },
    orderBy: { groupId: 'asc' },
    select: { groupId: true },
  })
  if (left.length === 0) return []
  const groupIds = left.map(({ groupId }) => groupId)
  await models.groupMember.deleteMany({ where: { organizationId, userId } })
  await models.group.updateMany({
    where: { organizationId, id: { in: groupIds } },
    data: { updatedAt: now, version: { increment: 1 } },
  })
  return groupIds
}
