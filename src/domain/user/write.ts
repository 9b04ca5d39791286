import type { Tables, TransactionOptions } from '../../db/tables.js'
import { insertDepartmentOptions } from '../../store/department-option.js'
import { type MemberView, writeMembers } from '../../store/member.js'
import { deleteUserTokens } from '../../store/user-token.js'
import { recordEventsIn } from '../audit/audit-event.js'
import { takenValueOf } from '../value/taken-value.js'
import type { Member, MemberWriter } from './member.js'
import type { MemberPlan } from './plan.js'

/** Writes what was decided about members, and returns what `writeMembers` shows of those who are changed. */
export async function writePlan<Row>(
  transaction: Tables,
  writer: MemberWriter,
  { added, changed, before, freeing, signedOut, departments, events }: Omit<MemberPlan, 'outcomes'>,
  view?: MemberView<Row>,
): Promise<Row[]> {
  const { organizationId, runtime } = writer
  const userIds = signedOut.map(({ userId }) => userId)
  if (userIds.length > 0) await deleteUserTokens(transaction, { organizationId, userIds })
  const isFreeing = ({ userId }: Member) => freeing.has(userId)
  await writeMembers(transaction, organizationId, [], changed.filter(isFreeing), before)
  const others = changed.filter((member) => !isFreeing(member))
  const shown = await writeMembers(transaction, organizationId, added, others, before, view)
  await insertDepartmentOptions(transaction, organizationId, departments, runtime.newId)
  if (events.length > 0) await recordEventsIn(transaction, organizationId, events, writer)
  return shown
}

const MAX_ATTEMPTS = 5

/**
 * Runs work that changes members in a transaction, and retries it if a writer that takes no locks, such as an import,
 * has just written the same unique value. The next attempt sees that row. Throws the failure of the last attempt.
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
