import { refuseViolations, ServiceError } from '../../errors.js'
import { type CallContext, requirePermissionIn } from '../caller/caller.js'
import { isWritten } from '../profile/field-ownership.js'
import { fieldNames } from '../profile/profile-value.js'
import { repeats } from '../value/taken-value.js'
import { lockMembers } from './lock.js'
import type { ChangedMember, Member } from './member.js'
import { planEachMember } from './plan.js'
import { changeOfUpdate, memberWriterOf, type UserUpdate } from './user.js'
import { memberTransaction, writePlan } from './write.js'

/** The outcome of one update, or the planned one. */
export interface UserUpdateResult extends Pick<ChangedMember, 'changes'> {
  readonly userId: string
  readonly outcome: 'UPDATED' | 'UNCHANGED' | 'REFUSED'
  readonly changedFields: readonly string[]
  readonly refusal: ServiceError | undefined
}

/** From so many users on, a batch takes the database 10 ms or more. */
const LONG_BATCH = 50

/**
 * Changes members of the caller's organization, each as `updateUser` does, and returns one result per update, in order.
 * With `validateOnly`, writes nothing. Throws `FIELD_INVALID`, the reasons about pins and `DUPLICATE_ID` for the
 * request, and `PERMISSION_MISSING` without `users:write` over the organization.
 */
export async function batchUpdateUsers(
  context: CallContext,
  updates: readonly UserUpdate[],
  validateOnly: boolean,
): Promise<UserUpdateResult[]> {
  const { tables, caller } = context
  const judged = updates.map((update, index) => changeOfUpdate(caller, update, `users[${index}].`))
  const ids = updates.map(({ userId }) => userId)
  const repeated = repeats('users', 'id', ids, 'name each user once')
  refuseViolations([...repeated.flat(), ...judged.flatMap(({ violations }) => violations)])
  requirePermissionIn(caller, null, 'users:write')
  const writer = memberWriterOf(context, 'user.update')
  const changes = judged.map(({ change }) => change)
  const work = async (transaction: typeof tables) => {
    const locked = await lockMembers(transaction, writer, changes)
    const plan = await planEachMember(writer, changes, locked)
    if (!validateOnly) await writePlan(transaction, writer, plan)
    return updates.flatMap(({ userId }, index) => {
      const outcome = plan.outcomes[index]
      return outcome === undefined ? [] : resultOf(userId, outcome, locked.members.get(userId))
    })
  }
  return memberTransaction(tables, work, { isLong: updates.length >= LONG_BATCH })
}

function resultOf(userId: string, outcome: ChangedMember | ServiceError, before: Member | undefined): UserUpdateResult {
  if (outcome instanceof ServiceError) {
    return { userId, outcome: 'REFUSED', changedFields: [], changes: [], refusal: outcome }
  }
  const { member, changes } = outcome
  const written = Object.entries(fieldNames).flatMap(([field, name]) => {
    return changes.some((each) => each.field === field && isWritten(each.outcome)) ? name : []
  })
  const changedFields = [...(['email', 'role'] as const).filter((name) => member[name] !== before?.[name]), ...written]
  return {
    userId,
    outcome: changedFields.length > 0 ? 'UPDATED' : 'UNCHANGED',
    changedFields,
    changes,
    refusal: undefined,
  }
}
