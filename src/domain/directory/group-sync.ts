import { databaseFailure } from '../../db/errors.js'
import type { Tables } from '../../db/tables.js'
import { invalidField, notFound, refuseViolations, ServiceError } from '../../errors.js'
import { MAX_GROUP_NAME } from '../../limits/known-limits.js'
import * as groups from '../../store/directory/group.js'
import { groupStore } from '../../store/group.js'
import { type CallEvent, type MembersChange, recordAuditEvents } from '../audit/audit-event.js'
import { textFault } from '../value/free-text.js'
import { type DirectoryContext, requireVersion, writerOf } from './directory-sync.js'

export interface GroupMembersChange {
  /** By user id, whether the user is a member from now on. */
  readonly isMember: ReadonlyMap<string, boolean>
  /** Whether everyone else is removed. */
  readonly areAll: boolean
}

/** A group as sent by a directory; absent values stay as they are. */
export interface GroupWrite {
  readonly name?: string | undefined
  readonly externalId?: string | null | undefined
  readonly members: GroupMembersChange
}

/**
 * Creates a group in the organization. Throws `FIELD_INVALID`, also for users that do not exist, and
 * `EXTERNAL_ID_TAKEN`, also for a name that another group has.
 */
export function createDirectoryGroup(
  context: DirectoryContext,
  { name, externalId = null, members }: GroupWrite & { readonly name: string },
): Promise<string> {
  refuseName(name)
  const { organizationId, runtime } = context
  return context.tables.transaction(async (tables) => {
    const id = runtime.newId()
    await claimName(tables, organizationId, name)
    const group = { name, directoryExternalId: externalId, directoryManaged: true }
    await groupStore.create(tables, { organizationId, id }, group, runtime.now())
    const changed = await changeMembers(tables, { organizationId, groupId: id }, members)
    await recordEvent({ ...context, tables }, { targetId: id, action: 'group.create', members: changed })
    return id
  })
}

/**
 * Updates a group. Values that it already has are not written and leave no event. Throws what `createDirectoryGroup`
 * throws, and `RESOURCE_NOT_FOUND` and `ETAG_MISMATCH`.
 */
export async function writeDirectoryGroup(
  context: DirectoryContext,
  groupId: string,
  write: GroupWrite,
): Promise<void> {
  if (write.name !== undefined) refuseName(write.name)
  const { organizationId, runtime } = context
  await context.tables.transaction(async (tables) => {
    const locked = await lockedGroup({ ...context, tables }, groupId)
    const { name = locked.name, externalId = locked.directoryExternalId } = write
    if (name.toLowerCase() !== locked.name.toLowerCase()) await claimName(tables, organizationId, name)
    const members = await changeMembers(tables, { organizationId, groupId }, write.members)
    const changedFields = [
      ...(name === locked.name ? [] : ['name']),
      ...(externalId === locked.directoryExternalId ? [] : ['externalId']),
      ...(locked.directoryManaged ? [] : ['directoryManaged']),
      ...(members.added.length + members.removed.length > 0 ? ['members'] : []),
    ]
    if (changedFields.length === 0) return
    const group = { name, directoryExternalId: externalId, directoryManaged: true }
    await groupStore.update(tables, { organizationId, id: groupId }, group, runtime.now())
    await recordEvent({ ...context, tables }, { targetId: groupId, action: 'group.update', changedFields, members })
  })
}

/**
 * Deletes a group. Returns false if it stays because it is an approver. Throws `RESOURCE_NOT_FOUND` and
 * `ETAG_MISMATCH`.
 */
export async function deleteDirectoryGroup(context: DirectoryContext, groupId: string): Promise<boolean> {
  try {
    await context.tables.transaction(async (tables) => {
      await lockedGroup({ ...context, tables }, groupId)
      await groupStore.delete(tables, { organizationId: context.organizationId, id: groupId })
      await recordEvent({ ...context, tables }, { targetId: groupId, action: 'group.delete' })
    })
    return true
  } catch (error) {
    if (databaseFailure(error)?.kind !== 'foreign_key_violation') throw error
    return false
  }
}

async function lockedGroup(context: DirectoryContext, groupId: string): Promise<groups.LockedGroup> {
  const locked = await groups.lockGroup(context.tables, { organizationId: context.organizationId, groupId })
  if (locked === undefined) throw notFound('group', groupId)
  requireVersion(context, locked, { resourceType: 'group', resourceId: groupId })
  return locked
}

function refuseName(name: string): void {
  const description = name === '' ? 'is required' : textFault(name, MAX_GROUP_NAME)
  if (description !== undefined) refuseViolations([{ field: 'displayName', description, reason: 'FIELD_INVALID' }])
}

/** Names of groups from an import may be the same; a directory finds its groups by name, so it makes no second one. */
async function claimName(transaction: Tables, organizationId: string, name: string): Promise<void> {
  const taken = await groups.claimGroupName(transaction, organizationId, name)
  if (taken === undefined) return
  const message = `group ${taken} already has this displayName: choose another one, or update that group`
  throw new ServiceError('EXTERNAL_ID_TAKEN', message)
}

async function changeMembers(
  transaction: Tables,
  key: { readonly organizationId: string; readonly groupId: string },
  { isMember, areAll }: GroupMembersChange,
): Promise<MembersChange> {
  const wanted = new Set([...isMember.keys()].filter((userId) => isMember.get(userId)))
  if (wanted.size > 0) {
    requireUsers(wanted, await groups.findGroupableUsers(transaction, key.organizationId, [...wanted]))
  }
  const present = await groups.findGroupMembers(transaction, key, areAll ? 'all' : [...isMember.keys()])
  const change = {
    removed: [...present].filter((userId) => !wanted.has(userId)),
    added: [...wanted].filter((userId) => !present.has(userId)),
  }
  await groups.changeGroupMembers(transaction, key, change)
  return change
}

const MAX_SHOWN_ID = 128

function requireUsers(userIds: ReadonlySet<string>, known: ReadonlySet<string>): void {
  const unknown = [...userIds].find((userId) => !known.has(userId))
  if (unknown === undefined) return
  const shown = unknown.slice(0, MAX_SHOWN_ID)
  throw invalidField('members.value', `there is no user ${shown}: only users can be members of groups`)
}

async function recordEvent(context: DirectoryContext, event: CallEvent): Promise<void> {
  const { organizationId } = context
  await recordAuditEvents(context.tables, [{ organizationId, ...event }], writerOf(context))
}
