import type { Tables, TransactionOptions } from '../../db/tables.js'
import { insertDepartmentOptions } from '../../store/department-option.js'
import { writeMembers } from '../../store/member.js'
import { deleteUserTokens } from '../../store/user-token.js'
import { recordAuditEvents } from '../audit/audit-event.js'
import { takenValueOf } from '../value/taken-value.js'
import { lockMembers } from './lock.js'
import type { ChangedMember, Member, MemberChange, MemberWriter } from './member.js'
import { type MemberPlan, planMembers } from './plan.js'

/**
 * Changes members: locks them, decides what becomes of them, and writes it, each change with its own outcome. Throws
 * what `lockMembers` and `planMembers` throw; then nothing is written.
 */
export async function changeMembers<Change extends MemberChange>(
  transaction: Tables,
  writer: MemberWriter,
  changes: readonly Change[],
): Promise<readonly ChangedMember<Change>[]> {
  const locked = await lockMembers(transaction, writer, changes)
  const plan = planMembers(writer, changes, locked)
  await writePlan(transaction, writer, plan)
  return plan.outcomes
}

/** Changes one member. */
export async function changeMember(
  transaction: Tables,
  writer: MemberWriter,
  change: MemberChange,
): Promise<ChangedMember> {
  const [changed] = await changeMembers(transaction, writer, [change])
  if (changed === undefined) throw new Error('the change returned no result')
  return changed
}

/** Writes what was decided. */
export async function writePlan(
  transaction: Tables,
  writer: MemberWriter,
  { added, changed, freeing, signedOut, departments, events }: Omit<MemberPlan, 'outcomes'>,
): Promise<void> {
  const { organizationId, runtime } = writer
  const userIds = signedOut.map(({ userId }) => userId)
  if (userIds.length > 0) await deleteUserTokens(transaction, { organizationId, userIds })
  const isFreeing = ({ userId }: Member) => freeing.has(userId)
  await writeMembers(transaction, organizationId, [], changed.filter(isFreeing))
  await writeMembers(
    transaction,
    organizationId,
    added,
    changed.filter((member) => !isFreeing(member)),
  )
  await insertDepartmentOptions(transaction, organizationId, departments, runtime.newId)
  if (events.length > 0) await recordAuditEvents(transaction, events, writer)
}

const MAX_ATTEMPTS = 5

/**
 * Runs work that changes members in a transaction, and again if it lost a race to a writer that takes no lock on a
 * unique value, such as an import, whose row is visible by then. Throws the failure of the last attempt.
 */
export async function memberTransaction<T>(
  database: Tables,
  work: (transaction: Tables) => Promise<T>,
  options?: TransactionOptions,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await database.transaction(work, options)
    } catch (error) {
      if (takenValueOf(error) === undefined || attempt === MAX_ATTEMPTS) throw error
    }
  }
}
