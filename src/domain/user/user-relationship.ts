import type { Tables } from '../../db/tables.js'
import { notFound } from '../../errors.js'
import type { WriteContext } from '../../runtime/write-context.js'
import type { AuditAction } from '../../store/audit-action.js'
import { findMember } from '../../store/membership.js'
import { actorOf } from '../audit/audit-event.js'
import type { Caller } from '../caller/caller.js'
import { commandsOfRequest, type SkippedFields, skippedFields } from '../profile/field-ownership.js'
import { acceptedVersionsFrom } from '../value/entity-tag.js'
import { changeMember } from './change-member.js'
import { type ManagerRelationship, relationshipOf } from './manager-relationship.js'
import { getUser } from './user.js'
import { apiWriterOf, requireMemberPermission } from './user-access.js'

/** A manager to assign, or to clear if there is no id. Default of `pin`: a user token pins, a key does not. */
export interface ManagerWrite {
  readonly userId: string
  readonly managerUserId: string
  readonly pin: boolean | undefined
}

/** The relationship after a write, and whether the write was skipped. */
export interface ManagerWriteResult {
  readonly relationship: ManagerRelationship | undefined
  readonly skipped: SkippedFields
}

/** Reads the manager of a user. Throws `RESOURCE_NOT_FOUND` for an unknown user, and for one without a manager. */
export async function getManager(tables: Tables, caller: Caller, userId: string): Promise<ManagerRelationship> {
  const member = await findMember(tables, caller.organizationId, userId)
  const relationship = member && relationshipOf(member)
  if (relationship === undefined) throw notFound('user relationship', userId)
  return relationship
}

/**
 * Assigns a manager, or replaces the one assigned (docs/field-ownership.md). Throws `RESOURCE_NOT_FOUND`,
 * `PERMISSION_MISSING`, `ETAG_MISMATCH`, and, whether the manager is pinned or not, `MANAGER_NOT_FOUND`,
 * `MANAGER_IS_SELF` and `MANAGER_CYCLE`.
 */
export async function assignManager(
  database: Tables,
  caller: Caller,
  write: ManagerWrite,
  context: WriteContext,
): Promise<ManagerWriteResult> {
  return writeManager(database, caller, write, { action: 'user_relationship.create', context })
}

/** Clears the manager of a user (docs/field-ownership.md). Throws as `assignManager` does. */
export async function clearManager(
  database: Tables,
  caller: Caller,
  write: Omit<ManagerWrite, 'managerUserId'>,
  context: WriteContext,
): Promise<ManagerWriteResult> {
  return writeManager(
    database,
    caller,
    { managerUserId: '', ...write },
    { action: 'user_relationship.delete', context },
  )
}

async function writeManager(
  database: Tables,
  caller: Caller,
  { userId, managerUserId, pin }: ManagerWrite,
  { action, context }: { readonly action: AuditAction; readonly context: WriteContext },
): Promise<ManagerWriteResult> {
  const accepted = acceptedVersionsFrom(context.ifMatch)
  await requireMemberPermission(caller, 'users:write', () => getUser(database, caller, userId))
  const values = new Map([['MANAGER' as const, managerUserId]])
  const commands = commandsOfRequest({ writer: apiWriterOf(caller), values, pin })
  const { organizationId } = caller
  const writer = { organizationId, actor: actorOf(caller), action, managerField: 'relatedUserId' }
  const versions = accepted && { of: 'user relationship' as const, accepted }
  const { member, changes } = await changeMember(database, writer, { target: { userId }, versions, commands }, context)
  return { relationship: relationshipOf(member), skipped: skippedFields(changes) }
}
