import { databaseFailure } from '../../db/errors.js'
import type { Tables } from '../../db/tables.js'
import { invalidField, notFound, refuseViolations, ServiceError } from '../../errors.js'
import type { WriteContext } from '../../runtime/write-context.js'
import type { AuditAction } from '../../store/audit-action.js'
import * as groups from '../../store/directory/group.js'
import { type AuditEvent, recordAuditEvents } from '../audit/audit-event.js'
import { textFault } from '../value/free-text.js'
import { type Directory, requireVersion } from './directory-sync.js'

const MAX_NAME = 255

/** How the members of a group change. */
export interface GroupMembersChange {
  /** By user id, whether the user is a member from now on. */
  readonly isMember: ReadonlyMap<string, boolean>
  /** Whether nobody else is. */
  readonly areAll: boolean
}

/** What a directory says of a group; whatever is absent stays as it is. */
export interface GroupWrite {
  readonly name?: string | undefined
  /** Null for none. */
  readonly externalId?: string | null | undefined
  readonly members: GroupMembersChange
}

/**
 * Adds a group to the organization. Throws `FIELD_INVALID`, for users that do not exist as well, and `EXTERNAL_ID_TAKEN`,
 * for a name that another group has as well.
 */
export function createDirectoryGroup(
  database: Tables,
  directory: Directory,
  { name, externalId = null, members }: GroupWrite & { readonly name: string },
  context: WriteContext,
): Promise<string> {
  refuseName(name)
  const { organizationId } = directory
  const { runtime } = context
  return database.transaction(async (transaction) => {
    const groupId = runtime.newId()
    await claimName(transaction, organizationId, name)
    await groups.insertGroup(transaction, { organizationId, groupId, name, externalId, now: runtime.now() })
    await changeMembers(transaction, { organizationId, groupId }, members)
    await recordAuditEvents(transaction, [eventOf(directory, groupId, 'group.create', context)], runtime)
    return groupId
  })
}

/**
 * Changes a group. What it already is, is not written, and leaves no event. Throws as `createDirectoryGroup` does, and
 * `RESOURCE_NOT_FOUND` and `ETAG_MISMATCH`. Returns whether something has changed.
 */
export function writeDirectoryGroup(
  database: Tables,
  directory: Directory,
  groupId: string,
  write: GroupWrite,
  context: WriteContext,
): Promise<boolean> {
  if (write.name !== undefined) refuseName(write.name)
  const { organizationId } = directory
  return database.transaction(async (transaction) => {
    const held = await lockedGroup(transaction, organizationId, groupId, context)
    const { name = held.name, externalId = held.directoryExternalId } = write
    if (name.toLowerCase() !== held.name.toLowerCase()) await claimName(transaction, organizationId, name)
    const areOthers = await changeMembers(transaction, { organizationId, groupId }, write.members)
    if (!areOthers && name === held.name && externalId === held.directoryExternalId) return false
    const { runtime } = context
    const group = { organizationId, groupId, name, externalId, now: runtime.now() }
    const event = eventOf(directory, groupId, 'group.update', context)
    await groups.updateGroup(transaction, group)
    await recordAuditEvents(transaction, [event], runtime)
    return true
  })
}

/**
 * Deletes a group; false if it stays, because it approves something. Throws `RESOURCE_NOT_FOUND` and `ETAG_MISMATCH`.
 */
export async function deleteDirectoryGroup(
  database: Tables,
  directory: Directory,
  groupId: string,
  context: WriteContext,
): Promise<boolean> {
  const { organizationId } = directory
  try {
    await database.transaction(async (transaction) => {
      await lockedGroup(transaction, organizationId, groupId, context)
      await groups.deleteGroup(transaction, { organizationId, groupId })
      await recordAuditEvents(transaction, [eventOf(directory, groupId, 'group.delete', context)], context.runtime)
    })
    return true
  } catch (error) {
    if (databaseFailure(error)?.kind !== 'foreign_key_violation') throw error
    return false
  }
}

async function lockedGroup(
  transaction: Tables,
  organizationId: string,
  groupId: string,
  context: WriteContext,
): Promise<groups.LockedGroup> {
  const held = await groups.lockGroup(transaction, { organizationId, groupId })
  if (held === undefined) throw notFound('group', groupId)
  requireVersion(context, held, { resourceType: 'group', resourceId: groupId })
  return held
}

function refuseName(name: string): void {
  const description = name === '' ? 'is required' : textFault(name, { max: MAX_NAME })
  if (description !== undefined) refuseViolations([{ field: 'displayName', description, reason: 'FIELD_INVALID' }])
}

/** Names of groups from an import may be the same; a directory finds its groups by name, so it makes no second one. */
async function claimName(transaction: Tables, organizationId: string, name: string): Promise<void> {
  const taken = await groups.claimGroupName(transaction, organizationId, name)
  if (taken === undefined) return
  const message = `group ${taken} already has this displayName: choose another one, or update that group`
  throw new ServiceError('EXTERNAL_ID_TAKEN', message)
}

/** Changes the members of a locked group, and returns whether they are others then. */
async function changeMembers(
  transaction: Tables,
  key: { readonly organizationId: string; readonly groupId: string },
  { isMember, areAll }: GroupMembersChange,
): Promise<boolean> {
  const wanted = new Set([...isMember.keys()].filter((userId) => isMember.get(userId)))
  if (wanted.size > 0) {
    requireUsers(wanted, await groups.findGroupableUsers(transaction, key.organizationId, [...wanted]))
  }
  const held = await groups.findGroupMembers(transaction, key, areAll ? 'all' : [...isMember.keys()])
  const change = {
    gone: [...held].filter((userId) => !wanted.has(userId)),
    added: [...wanted].filter((userId) => !held.has(userId)),
  }
  await groups.changeGroupMembers(transaction, key, change)
  return change.gone.length + change.added.length > 0
}

const MAX_SHOWN_ID = 128

function requireUsers(userIds: ReadonlySet<string>, known: ReadonlySet<string>): void {
  const unknown = [...userIds].find((userId) => !known.has(userId))
  if (unknown === undefined) return
  const shown = unknown.slice(0, MAX_SHOWN_ID)
  throw invalidField('members.value', `there is no user ${shown}: only users can be members of groups`)
}

function eventOf(
  { organizationId, keyId, name }: Directory,
  targetId: string,
  action: AuditAction,
  { requestId }: WriteContext,
): AuditEvent {
  const actor = { kind: 'DIRECTORY' as const, id: keyId, name }
  return { organizationId, actor, action, targetType: 'group', targetId, requestId }
}
