import type { PreparedStore, PreparedTransaction } from '../../db/queryable.js'
import { notFound } from '../../errors.js'
import type { WriteContext } from '../../runtime/write-context.js'
import { leaveAllGroups } from '../../store/scim/group.js'
import { findScimIdentity, lockScimUser, type ScimUserRow } from '../../store/scim/user.js'
import { valuesSet } from '../profile/field-ownership.js'
import { emailKeyOf } from '../value/email-address.js'
import { takenValueError } from '../value/taken-value.js'
import { changeHeldMembers, membersToHold } from './change-member.js'
import type { MemberChange, MemberWriter } from './member-change.js'
import { type HeldMembers, holdMembers } from './member-hold.js'
import { memberTransaction } from './member-transaction.js'

/** Decides, from the member as it is under its lock, how it changes; undefined changes nothing. */
export type DecideChange = (member: ScimUserRow) => Omit<MemberChange, 'target'> | undefined

/** A member after a change, and whether there was one. */
export interface DecidedMember {
  readonly user: ScimUserRow
  readonly isChanged: boolean
}

/** Thrown out of a transaction that has too few locks for what was decided. */
class MoreToHold extends Error {
  readonly change: MemberChange
  constructor(change: MemberChange) {
    super('the change needs more locks')
    this.change = change
  }
}

const MAX_ATTEMPTS = 5

/**
 * Changes a member in a transaction of its own, as `changeMembers` does, where the change depends on the member. Most
 * changes need no lock but that of the member, which is all that is locked at first. If one needs the locks of managers
 * or addresses, which come before, it is begun anew with them. Throws what `changeMembers` and `decide` throw.
 */
export async function changeMemberAsDecided(
  database: PreparedStore,
  writer: MemberWriter,
  userId: string,
  decide: DecideChange,
  context: WriteContext,
): Promise<DecidedMember> {
  const { organizationId } = writer
  let expected: MemberChange | undefined
  const work = async (transaction: PreparedTransaction): Promise<DecidedMember> => {
    const toHold = expected && membersToHold(writer, [expected])
    if (toHold !== undefined) await holdMembers(transaction, organizationId, toHold, context.runtime)
    const user = await lockScimUser(transaction, { organizationId, userId })
    if (user === undefined) throw notFound('user', userId)
    const decided = decide(user)
    if (decided === undefined) return { user, isChanged: false }
    const change = { target: { userId }, ...decided }
    if (!isCovered(change, expected)) throw new MoreToHold(change)
    const { groups, managerName, ...member } = user
    await requireFreeUserName(transaction, organizationId, user, decided)
    const held: HeldMembers = { members: new Map([[userId, member]]), joining: new Set(), idsByEmail: new Map() }
    const [changed] = await changeHeldMembers(transaction, writer, [change], held, context)
    if (changed === undefined) throw new Error('a change has no outcome')
    const isDeleted = changed.member.directoryDeletedAt !== null
    if (isDeleted) await leaveAllGroups(transaction, { organizationId, userId, now: context.runtime.now() })
    const sameManager = changed.member.profile.MANAGER.value === member.profile.MANAGER.value
    const related = { groups: isDeleted ? [] : groups, managerName: sameManager ? managerName : null }
    return { user: { ...changed.member, ...related }, isChanged: true }
  }
  for (let attempt = 1; ; attempt++) {
    try {
      return await memberTransaction(database, context, work)
    } catch (error) {
      if (!(error instanceof MoreToHold) || attempt === MAX_ATTEMPTS) throw error
      expected = error.change
    }
  }
}

/**
 * Throws for a user name that another member has. It is the email address of most members, so no constraint keeps it
 * unique between them and those who have one beside it.
 */
async function requireFreeUserName(
  transaction: PreparedTransaction,
  organizationId: string,
  user: ScimUserRow,
  { email, directory = {} }: Omit<MemberChange, 'target'>,
): Promise<void> {
  if (email === undefined && directory.directoryUserName === undefined) return
  const { directoryUserName = user.directoryUserName } = directory
  const userNameKey = emailKeyOf(directoryUserName ?? email ?? user.email)
  const known = await findScimIdentity(transaction, { organizationId, externalId: null, userNameKey })
  if (known.some(({ userId }) => userId !== user.userId)) throw takenValueError('user name of member')
}

/** Whether the locks of the expected change, if there is one, suffice for another one of the same member. */
function isCovered(change: MemberChange, expected: MemberChange | undefined): boolean {
  const { email } = change
  const assigns = ({ commands }: MemberChange) => valuesSet(commands, 'MANAGER').length > 0
  return (
    (email === undefined || emailKeyOf(email) === emailKeyOf(expected?.email ?? '')) &&
    (!assigns(change) || (expected !== undefined && assigns(expected)))
  )
}
