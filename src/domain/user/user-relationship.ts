import type { AnyTransaction, Queryable, Store } from '../../db/queryable.js'
import { notFound, refuseViolations } from '../../errors.js'
import { lockManagers } from '../../store/manager-chain.js'
import { actorOf } from '../audit/audit-event.js'
import type { WriteContext } from '../audit/audit-statement.js'
import type { Caller } from '../caller/caller.js'
import {
  commandsOfRequest,
  type FieldCommand,
  isChanged,
  type SkippedFields,
  skippedFields,
  writeProfile,
} from '../profile/field-ownership.js'
import { requiredViolations } from '../value/text-field.js'
import { requireManager } from './manager-chain.js'
import { type Member, withProfile } from './member.js'
import { findMember, lockMembers, updateMembers } from './membership.js'
import { getUser } from './user.js'
import { apiWriterOf, requireMemberPermission } from './user-access.js'
import { recordUserEvents } from './user-audit.js'

/** Who manages a user, and since when. */
export interface ManagerRelationship {
  readonly userId: string
  readonly managerUserId: string
  readonly createdAt: Date
}

/** A manager to assign, or to clear where there is no id. `pin` absent: a user token pins, a key does not. */
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

/** Reads the manager of a user. Throws `RESOURCE_NOT_FOUND`, for a user without a manager as for one that is unknown. */
export async function getManager(tables: Queryable, caller: Caller, userId: string): Promise<ManagerRelationship> {
  const member = await findMember(tables, caller.organizationId, userId)
  const relationship = member && relationshipOf(member)
  if (relationship === undefined) throw notFound('user relationship', userId)
  return relationship
}

/**
 * Assigns a manager, or replaces the one assigned (docs/field-ownership.md). Throws `FIELD_REQUIRED`,
 * `RESOURCE_NOT_FOUND`, `PERMISSION_MISSING`, and, whether the manager is pinned or not, `MANAGER_NOT_FOUND`,
 * `MANAGER_IS_SELF` and `MANAGER_CYCLE`.
 */
export async function assignManager(
  database: Store,
  caller: Caller,
  write: ManagerWrite,
  context: WriteContext,
): Promise<ManagerWriteResult> {
  refuseViolations([
    ...requiredViolations('userId', write.userId),
    ...requiredViolations('relatedUserId', write.managerUserId),
  ])
  await requireMemberPermission(caller, 'users:write', () => getUser(database, caller, write.userId))
  return database.preparedTransaction(async (transaction) => {
    await lockManagers(transaction, caller.organizationId)
    const held = await lockMember(transaction, caller, write.userId)
    await requireManager(transaction, caller.organizationId, { ...write, field: 'relatedUserId' })
    return writeManager(transaction, caller, { held, write, action: 'user_relationship.create' }, context)
  }, context)
}

/** Clears the manager of a user (docs/field-ownership.md). Throws `RESOURCE_NOT_FOUND` and `PERMISSION_MISSING`. */
export async function clearManager(
  database: Store,
  caller: Caller,
  { userId, pin }: Omit<ManagerWrite, 'managerUserId'>,
  context: WriteContext,
): Promise<ManagerWriteResult> {
  await requireMemberPermission(caller, 'users:write', () => getUser(database, caller, userId))
  return database.preparedTransaction(async (transaction) => {
    const held = await lockMember(transaction, caller, userId)
    const write = { userId, managerUserId: '', pin }
    return writeManager(transaction, caller, { held, write, action: 'user_relationship.delete' }, context)
  }, context)
}

async function lockMember(transaction: AnyTransaction, caller: Caller, userId: string): Promise<Member> {
  const [held] = await lockMembers(transaction, caller.organizationId, [userId])
  if (held === undefined) throw notFound('user', userId)
  return held
}

async function writeManager(
  transaction: AnyTransaction,
  caller: Caller,
  { held, write, action }: { held: Member; write: ManagerWrite; action: string },
  context: WriteContext,
): Promise<ManagerWriteResult> {
  const { organizationId } = caller
  const commands: FieldCommand[] = commandsOfRequest({
    writer: apiWriterOf(caller),
    values: new Map([['MANAGER', write.managerUserId]]),
    pin: write.pin,
  })
  const now = context.runtime.now()
  const { profile, changes } = writeProfile(held.profile, commands, now)
  const member = withProfile(held, profile, now)
  if (isChanged(changes)) await updateMembers(transaction, organizationId, [member])
  const event = { action, userId: held.userId, changes }
  await recordUserEvents(transaction, { organizationId, actor: actorOf(caller) }, [event], context)
  return { relationship: relationshipOf(member), skipped: skippedFields(changes) }
}

function relationshipOf({ userId, profile, managerAssignedAt }: Member): ManagerRelationship | undefined {
  if (managerAssignedAt === null) return undefined
  return { userId, managerUserId: profile.MANAGER.value, createdAt: managerAssignedAt }
}
