import type { Tables } from '../../db/tables.js'
import { notFound, ServiceError } from '../../errors.js'
import type { WriteContext } from '../../runtime/write-context.js'
import { holdMemberValues } from '../../store/member-values.js'
import { leaveAllGroups } from '../../store/scim/group.js'
import { lockScimUser, type ScimUserRow, type VersionedScimUser } from '../../store/scim/user.js'
import { valuesSet } from '../profile/field-ownership.js'
import { emailKeyOf } from '../value/email-address.js'
import { takenValueError } from '../value/taken-value.js'
import { changeHeldMembers } from './change-member.js'
import { newPhones } from './field-claim.js'
import { heldValuesFrom, managerNameOf } from './held-values.js'
import type { MemberChange, MemberWriter } from './member-change.js'
import type { HeldMembers } from './member-hold.js'
import { memberTransaction } from './member-transaction.js'

/** Decides, from the member as it is, how it changes; undefined changes nothing. */
export type DecideChange = (member: ScimUserRow) => Omit<MemberChange, 'target'> | undefined

/** A member after a change, and whether there was one. */
export interface DecidedMember {
  readonly user: ScimUserRow
  readonly isChanged: boolean
}

/** What was decided for a member as it was read. */
interface Decision {
  readonly user: VersionedScimUser
  readonly change: MemberChange | undefined
}

/** Thrown out of a transaction that has too few locks for what was decided. */
class BeginAnew extends Error {
  readonly decision: Decision
  constructor(decision: Decision) {
    super('the change needs more locks')
    this.decision = decision
  }
}

const MAX_ATTEMPTS = 5

/**
 * Changes a member in a transaction of its own, as `changeMembers` does, where the change depends on the member. At first
 * only the member is locked, and most changes need nothing else. One that needs the locks of managers or addresses, which
 * come before, is begun anew: it takes them, with the member in the same version, in one statement. So does the change of
 * a member who is given as it was read. Throws what `changeMembers` and `decide` throw.
 */
export async function changeMemberAsDecided(
  database: Tables,
  writer: MemberWriter,
  member: string | VersionedScimUser,
  decide: DecideChange,
  context: WriteContext,
): Promise<DecidedMember> {
  const { organizationId } = writer
  const userId = typeof member === 'string' ? member : member.userId
  const decisionOn = (user: VersionedScimUser): Decision => {
    const decided = decide(user)
    return { user, change: decided && Object.assign({ target: { userId } }, decided) }
  }
  let decision = typeof member === 'string' ? undefined : decisionOn(member)
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
    try {
      return await memberTransaction(database, async (transaction) => {
        const decideUnderLock = async () => {
          const user = await lockScimUser(transaction, { organizationId, userId })
          if (user === undefined) throw notFound('user', userId)
          return decisionOn(user)
        }
        const step = { writer, decideUnderLock, context }
        if (decision !== undefined) return changeAsDecided(transaction, decision, 'nothing', step)
        return changeAsDecided(transaction, await decideUnderLock(), 'member', step)
      })
    } catch (error) {
      if (!(error instanceof BeginAnew)) throw error
      decision = error.decision
    }
  }
  throw new ServiceError('TRANSACTION_CONFLICT', 'too many concurrent changes to the user; try again')
}

interface Step {
  readonly writer: MemberWriter
  readonly decideUnderLock: () => Promise<Decision>
  readonly context: WriteContext
}

/** `held`: what the transaction has locked for the decision; `all`: the words that its values need, too. */
async function changeAsDecided(
  transaction: Tables,
  decision: Decision,
  held: 'nothing' | 'member' | 'all',
  step: Step,
): Promise<DecidedMember> {
  const { writer, decideUnderLock, context } = step
  const { organizationId } = writer
  const { user, change } = decision
  const { groups, managerName, rowVersion, ...member } = user
  const { userId } = member
  if (change === undefined) return { user, isChanged: false }
  const wanted = valuesOf(user, change)
  if (held === 'member' && (wanted.managerUserId ?? wanted.emailKey) !== null) throw new BeginAnew(decision)
  const isAlone = held !== 'nothing' && Object.values(wanted).every((value) => value === null)
  const known = isAlone
    ? undefined
    : await holdMemberValues(transaction, { ...wanted, organizationId, userId, rowVersion })
  if (known?.isCurrent === false) {
    // Somebody has changed the member in between, and nobody can do so from now on.
    const anew = await decideUnderLock()
    if (!isCovered(anew, decision)) throw new BeginAnew(anew)
    return changeAsDecided(transaction, anew, 'all', step)
  }
  if (typeof known?.nameHolderId === 'string') throw takenValueError('user name of member')
  const values = known && heldValuesFrom(known, wanted.primaryPhone)
  const members: HeldMembers['members'] = new Map([[userId, member]])
  const holding: HeldMembers = { members, joining: new Set(), idsByEmail: new Map(), values }
  const [changed] = await changeHeldMembers(transaction, writer, [change], holding, context)
  if (changed === undefined) throw new Error('the change returned no result')
  const isDeleted = changed.member.directoryDeletedAt !== null
  if (isDeleted) await leaveAllGroups(transaction, { organizationId, userId, now: context.runtime.now() })
  const sameManager = changed.member.profile.MANAGER.value === member.profile.MANAGER.value
  const newName = known === undefined ? null : managerNameOf(known, wanted.managerUserId)
  const related = { groups: isDeleted ? [] : groups, managerName: sameManager ? managerName : newName }
  return { user: { ...changed.member, ...related }, isChanged: true }
}

/** Whether the locks that come before that of the member, as one decision needs them, suffice for another one. */
function isCovered(decision: Decision, before: Decision): boolean {
  const [wanted, held] = [decision, before].map(({ user, change }) => change && valuesOf(user, change))
  if (wanted === undefined) return true
  const hasSameAddress = emailKeyOf(decision.user.email) === emailKeyOf(before.user.email)
  return (
    (wanted.managerUserId === null || typeof held?.managerUserId === 'string') &&
    (wanted.emailKey === null || (wanted.emailKey === held?.emailKey && hasSameAddress))
  )
}

/** The new values that not every member can have; null for those that stay. */
function valuesOf(user: ScimUserRow, { commands, email, directory = {} }: MemberChange) {
  const { directoryUserName = user.directoryUserName } = directory
  // It is the email address of most members, so no constraint keeps it unique between them and those who have one beside it.
  const hasNewName = email !== undefined || directory.directoryUserName !== undefined
  return {
    managerUserId: valuesSet(commands, 'MANAGER')[0] ?? null,
    email: email ?? null,
    emailKey: email === undefined ? null : emailKeyOf(email),
    userNameKey: hasNewName ? emailKeyOf(directoryUserName ?? email ?? user.email) : null,
    primaryPhone: newPhones(commands, user)[0] ?? null,
  }
}
