import { notFound } from '../../errors.js'
import { findManager } from '../../store/member.js'
import type { CallContext } from '../caller/caller.js'
import { commandsOfRequest } from '../profile/field-ownership.js'
import { acceptedVersionsFrom, requireAcceptedVersion } from '../value/entity-tag.js'
import { lockMembers } from './lock.js'
import { type ManagerRelationship, relationshipOf, relationshipTagOf } from './manager.js'
import { type ChangedMember, memberOf } from './member.js'
import { planMembers } from './plan.js'
import { apiWriterOf, memberWriterOf, requireMemberPermission } from './user.js'
import { memberTransaction, writePlan } from './write.js'

/** A manager to assign; an empty id clears it. Default of `pin`: a user token pins, a key does not. */
export interface ManagerWrite {
  readonly userId: string
  readonly managerUserId: string
  readonly pin: boolean | undefined
}

/** Reads the manager of a user. Throws `RESOURCE_NOT_FOUND` for an unknown user, and for one without a manager. */
export async function getManager({ tables, caller }: CallContext, userId: string): Promise<ManagerRelationship> {
  const { managerUserId, managerAssignedAt } = (await findManager(tables, caller.organizationId, userId)) ?? {}
  if (!managerUserId || !managerAssignedAt) throw notFound('user relationship', userId)
  return { userId, managerUserId, createdAt: managerAssignedAt }
}

/**
 * Assigns a manager, replaces the one assigned, or clears it (docs/field-ownership.md). Returns the relationship after
 * the write, and the changes of the field. Throws `RESOURCE_NOT_FOUND`, `PERMISSION_MISSING`, `ETAG_MISMATCH`, and,
 * whether the manager is pinned or not, `MANAGER_NOT_FOUND`, `MANAGER_IS_SELF` and `MANAGER_CYCLE`.
 */
export async function writeManager(
  context: CallContext,
  { userId, managerUserId, pin }: ManagerWrite,
): Promise<Pick<ChangedMember, 'changes'> & { readonly relationship: ManagerRelationship | undefined }> {
  const { caller, ifMatch } = context
  const accepted = acceptedVersionsFrom(ifMatch)
  await requireMemberPermission(context, 'users:write', userId)
  const values = new Map([['MANAGER' as const, managerUserId]])
  const commands = commandsOfRequest({ writer: apiWriterOf(caller), values, pin })
  const action = managerUserId === '' ? 'user_relationship.delete' : 'user_relationship.create'
  const writer = { ...memberWriterOf(context, action), managerField: 'relatedUserId' }
  const changes = [{ target: { userId }, commands }] as const
  return memberTransaction(context.tables, async (tables) => {
    const locked = await lockMembers(tables, writer, changes)
    const before = relationshipOf(memberOf(locked.members, userId))
    const what = { resourceType: 'user relationship', resourceId: userId }
    requireAcceptedVersion(accepted, before && relationshipTagOf(before), what)
    const plan = planMembers(writer, changes, locked)
    await writePlan(tables, writer, plan)
    const [changed] = plan.outcomes
    return { relationship: relationshipOf(changed.member), changes: changed.changes }
  })
}
