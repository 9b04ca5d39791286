import { notFound, ServiceError } from '../errors.js'
import * as directory from '../store/directory/group.js'
import * as store from '../store/group.js'
import { type MemberName, readMemberName } from '../store/member-name.js'
import { recordCallEvents } from './audit/audit-event.js'
import { type CallContext, requirePermissionIn } from './caller/caller.js'
import { type Page, type PageRequest, pageOf } from './paging.js'
import { standardResource } from './standard-resource.js'

export const groups = standardResource(store.groupStore, {
  requireWritable: ({ id, directoryManaged }) => {
    if (directoryManaged) throw managedByDirectory(id)
  },
})

export interface GroupMember {
  readonly groupId: string
  readonly userId: string
}

/**
 * A page of the members of a group; with `q`, of those whose name or email address has words that begin with its words.
 * Throws `RESOURCE_NOT_FOUND` for the group, `PERMISSION_MISSING` without `users:read` in the organization, and
 * `PAGE_TOKEN_INVALID`.
 */
export async function listGroupMembers(
  context: CallContext,
  { groupId, q, ...request }: PageRequest & Pick<GroupMember, 'groupId'> & { readonly q: string },
): Promise<Page> {
  const { reads, caller } = context
  requirePermissionIn(caller, null, 'users:read')
  const { organizationId } = caller
  const group = await store.groupStore.find(reads, { organizationId, id: groupId, teamIds: null })
  if (group === undefined) throw notFound('group', groupId)
  const list = { organizationId, groupId, q: q || null }
  return pageOf(context, request, {
    method: 'ListGroupMembers',
    filter: { groupId, ...(q !== '' && { q }) },
    read: (range) => store.listGroupMembers(reads, { ...list, ...range }),
    count: () => store.countGroupMembers(reads, list),
  })
}

/**
 * A page of the groups that a user is in. Throws `PERMISSION_MISSING` without `users:read` in the organization, and
 * `PAGE_TOKEN_INVALID`.
 */
export async function listUserGroups(
  context: CallContext,
  { userId, ...request }: PageRequest & Pick<GroupMember, 'userId'>,
): Promise<Page> {
  const { reads, caller } = context
  requirePermissionIn(caller, null, 'users:read')
  const user = { organizationId: caller.organizationId, userId }
  return pageOf(context, request, {
    method: 'ListUserGroups',
    filter: { userId },
    read: (range) => store.listUserGroups(reads, { ...user, ...range }),
  })
}

/**
 * Adds a user to a group, or removes one. Throws `RESOURCE_NOT_FOUND` for the group, for an unknown user, and for a
 * user to remove who is not a member, `PERMISSION_MISSING` without `users:write` in the organization, and
 * `GROUP_MANAGED_BY_DIRECTORY`.
 */
export async function writeGroupMember(
  context: CallContext,
  { groupId, userId }: GroupMember,
  isMember: boolean,
): Promise<GroupMember & MemberName> {
  const { tables, caller, runtime } = context
  requirePermissionIn(caller, null, 'users:write')
  const { organizationId } = caller
  const key = { organizationId, groupId }
  return tables.transaction(async (transaction) => {
    const group = await directory.lockGroup(transaction, key)
    if (group === undefined) throw notFound('group', groupId)
    if (group.directoryManaged) throw managedByDirectory(groupId)
    const known = isMember && (await directory.findGroupableUsers(transaction, organizationId, [userId]))
    if (known && !known.has(userId)) throw notFound('user', userId)
    const wasMember = (await directory.findGroupMembers(transaction, key, [userId])).has(userId)
    if (!isMember && !wasMember) throw notFound('group member', userId)
    const isChange = isMember !== wasMember
    const members = { added: isChange && isMember ? [userId] : [], removed: isChange && !isMember ? [userId] : [] }
    if (isChange) {
      await directory.changeGroupMembers(transaction, key, members)
      // A change of members is a new version of the group.
      const now = runtime.now()
      await store.groupStore.update(transaction, { organizationId, id: groupId }, { updatedAt: now }, now)
    }
    const target = { targetId: groupId, changedFields: isChange ? ['members'] : [], members }
    await recordCallEvents(context, transaction, [{ action: 'group.update', ...target }])
    return { groupId, userId, ...(await readMemberName(transaction, { organizationId, userId })) }
  })
}

function managedByDirectory(resourceId: string): ServiceError {
  const message = 'the directory manages the group: change it there'
  return new ServiceError('GROUP_MANAGED_BY_DIRECTORY', message, { metadata: { resourceType: 'group', resourceId } })
}
