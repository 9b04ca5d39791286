import type { Statement } from '../../db/statement.js'
import { firstRow, type Tables, type TransactionOptions } from '../../db/tables.js'
import { notFound } from '../../errors.js'
import { insertDepartmentOptions } from '../../store/department-option.js'
import { type MemberKey, type MemberView, writeMembers } from '../../store/member.js'
import { deleteUserTokens } from '../../store/user-token.js'
import { recordAuditEvents } from '../audit/audit-event.js'
import { takenValueOf } from '../value/taken-value.js'
import type { LockedMembers } from './lock.js'
import type { ChangedMember, Member, MemberChange, MemberWriter } from './member.js'
import { type MemberPlan, planMembers } from './plan.js'

/** The row that a statement finds for a member. Throws `RESOURCE_NOT_FOUND`. */
export async function findMember<Row>(
  tables: Tables,
  statement: Statement<MemberKey, Row>,
  key: MemberKey,
): Promise<Row> {
  const row = await firstRow(tables, statement, key)
  if (row === undefined) throw notFound('user', key.userId)
  return row
}

/**
 * Decides what becomes of one member, who is locked, writes it, and shows the member. Throws what `planMembers` throws;
 * then nothing is written.
 */
export async function changeMember<Row>(
  transaction: Tables,
  writer: MemberWriter,
  change: MemberChange,
  locked: LockedMembers,
  view: MemberView<Row>,
): Promise<ChangedMember & { readonly shown: Row }> {
  const { organizationId } = writer
  const plan = planMembers(writer, [change], locked)
  const [shown] = await writePlan(transaction, writer, plan, view)
  const [changed] = plan.outcomes
  if (changed === undefined) throw new Error('the change has no outcome')
  const { userId } = changed.member
  return { ...changed, shown: shown ?? (await findMember(transaction, view.find, { organizationId, userId })) }
}

/** Writes what was decided, and returns what `writeMembers` shows of those who are changed. */
export async function writePlan<Row>(
  transaction: Tables,
  writer: MemberWriter,
  { added, changed, freeing, signedOut, departments, events }: Omit<MemberPlan, 'outcomes'>,
  view?: MemberView<Row>,
): Promise<Row[]> {
  const { organizationId, runtime } = writer
  const userIds = signedOut.map(({ userId }) => userId)
  if (userIds.length > 0) await deleteUserTokens(transaction, { organizationId, userIds })
  const isFreeing = ({ userId }: Member) => freeing.has(userId)
  await writeMembers(transaction, organizationId, [], changed.filter(isFreeing))
  const others = changed.filter((member) => !isFreeing(member))
  const shown = await writeMembers(transaction, organizationId, added, others, view)
  await insertDepartmentOptions(transaction, organizationId, departments, runtime.newId)
  if (events.length > 0) await recordAuditEvents(transaction, events, writer)
  return shown
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
