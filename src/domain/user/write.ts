import type { Tables, TransactionOptions } from '../../db/tables.js'
import { ServiceError } from '../../errors.js'
import { insertDepartmentOptions } from '../../store/department-option.js'
import { writeMembers } from '../../store/member.js'
import type { UniqueValue } from '../../store/unique-value.js'
import { deleteUserTokens } from '../../store/user-token.js'
import { recordAuditEvents } from '../audit/audit-event.js'
import { takenValueOf } from '../value/taken-value.js'
import { lockMembers } from './lock.js'
import type { ChangedMember, MemberChange, MemberWriter } from './member.js'
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
  { added, changed, signedOut, departments, events }: Omit<MemberPlan, 'outcomes'>,
): Promise<void> {
  const { organizationId, runtime } = writer
  const userIds = signedOut.map(({ userId }) => userId)
  if (userIds.length > 0) await deleteUserTokens(transaction, { organizationId, userIds })
  await writeMembers(transaction, organizationId, added, changed)
  await insertDepartmentOptions(transaction, organizationId, departments, runtime.newId)
  if (events.length > 0) await recordAuditEvents(transaction, events, writer)
}

/** Unique values of members, which the rules check before they write. */
const memberValues: readonly UniqueValue[] = ['email address of member', 'phone number of member']
const MAX_ATTEMPTS = 5

/**
 * Runs work that changes members in a transaction, and again if it lost a race: to a writer that takes no locks on
 * email addresses and phone numbers, such as an import, whose row is visible by then; or if it returns undefined,
 * because its locks did not suffice for what it then read. Throws the failure of the last attempt, or
 * `TRANSACTION_CONFLICT`.
 */
export async function memberTransaction<T>(
  database: Tables,
  work: (transaction: Tables) => Promise<T | undefined>,
  options?: TransactionOptions,
): Promise<T> {
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
    try {
      const result = await database.transaction(work, options)
      if (result !== undefined) return result
    } catch (error) {
      const value = takenValueOf(error)
      if (value === undefined || !memberValues.includes(value) || attempt === MAX_ATTEMPTS) throw error
    }
  }
  throw new ServiceError('TRANSACTION_CONFLICT', 'too many concurrent changes to the user; try again')
}
