import type { Tables } from '../../db/tables.js'
import type { ServiceError } from '../../errors.js'
import { type Lock, takeLocks } from '../../store/lock.js'
import { findAdministrators, lockMemberRows } from '../../store/member.js'
import { findValueHolders, readManagerChains, type ValueHolder } from '../../store/member-value.js'
import { findTeamRoles, type TeamRoleRow } from '../../store/team-member.js'
import type { GovernedField } from '../profile/field-ownership.js'
import { fieldNames } from '../profile/profile-value.js'
import { emailKeyOf, userNameKeyOf } from '../value/email-address.js'
import { takenValueError } from '../value/taken-value.js'
import { type ManagerChains, managerError, managerFault } from './manager.js'
import {
  isActiveAdministrator,
  type Member,
  type MemberChange,
  type MemberWriter,
  newMember,
  valuesSet,
} from './member.js'
import { type HoldersByValue, otherHolder } from './value-holders.js'

/** Members locked until the transaction ends, and the current holders of the values that they are to get. */
export interface LockedMembers extends HoldersByValue {
  readonly now: Date
  /** By id, including those who join. */
  readonly members: ReadonlyMap<string, Member>
  /** New members, in the order of the changes. They have no rows yet. */
  readonly newcomers: readonly Member[]
  /** The managers in question and everyone above them. */
  readonly managers: ManagerChains
  /**
   * Active administrators: one more than the changes can remove, or all if there are fewer. Undefined if no change
   * removes one, or if a directory is the writer.
   */
  readonly administrators: ReadonlySet<string> | undefined
  /** The team roles of those who are to get another address from a caller. */
  readonly teamRoles: readonly TeamRoleRow[]
}

/**
 * Why a member cannot have a value: `PHONE_TAKEN`, `MANAGER_NOT_FOUND`, `MANAGER_IS_SELF` or `MANAGER_CYCLE`; undefined
 * if the member can. `managerField`: the request's name for the manager.
 */
export function valueFault(
  { managers, phones }: Pick<LockedMembers, 'managers' | 'phones'>,
  userId: string,
  field: GovernedField,
  value: string,
  managerField: string = fieldNames.MANAGER,
): ServiceError | undefined {
  if (value === '') return undefined
  if (field === 'MANAGER') {
    const fault = managerFault(managers, userId, value)
    return fault && managerError(fault, managerField)
  }
  const isTaken = field === 'PRIMARY_PHONE' && otherHolder(phones, value, userId) !== undefined
  return isTaken ? takenValueError('phone number of member') : undefined
}

/**
 * Locks the members of the changes, unless they are `alreadyLocked`, and everything that decides whether they can have
 * their new values. For a new email address, the old one is locked too. All writers lock in the same order, so that
 * they do not deadlock: source, members by their ids, administrators, managers, addresses, phone numbers.
 */
export async function lockMembers(
  transaction: Tables,
  { organizationId, runtime, actor, caller }: MemberWriter,
  changes: readonly MemberChange[],
  alreadyLocked?: readonly Member[],
): Promise<LockedMembers> {
  const { ids, known, emails, phones, userNames, externalIds, managerIds, managerEmails } = valuesIn(changes)
  const targets =
    alreadyLocked === undefined ? await findValueHolders(transaction, organizationId, { emails: known }) : []
  const targetIds = new Set([...ids, ...targets.map(({ userId }) => userId)])
  const rows = alreadyLocked ?? (await lockMemberRows(transaction, organizationId, [...targetIds]))
  const members = new Map(rows.map((member) => [member.userId, member]))
  const moved = changes.flatMap(({ target, email }) => {
    const member = 'userId' in target ? members.get(target.userId) : undefined
    return member === undefined || email === undefined || emailKeyOf(member.email) === emailKeyOf(email) ? [] : member
  })
  // Whoever has left must not keep access: a directory may take the last administrator from the organization.
  const ending = actor.kind === 'DIRECTORY' ? 0 : changes.filter((change) => endsAdministrator(change, members)).length
  const emailKeys = [...emails, ...userNames.map(userNameKeyOf), ...moved.map(({ email }) => emailKeyOf(email))]
  const locks: Lock[] = [
    ...emailKeys.map((value) => ({ kind: 'email', organizationId, value }) as const),
    ...phones.map((value) => ({ kind: 'phone', organizationId, value }) as const),
  ]
  if (ending > 0) locks.push({ kind: 'administrators', organizationId })
  if (managerIds.length + managerEmails.length > 0) locks.push({ kind: 'managers', organizationId })
  await takeLocks(transaction, locks)
  const asked = [...new Set([...emails, ...userNames.map(emailKeyOf), ...managerEmails])]
  const holders = await findValueHolders(transaction, organizationId, { emails: asked, phones, userNames, externalIds })
  const holdersOf = (kind: ValueHolder['kind'], keyOf = (value: string) => value) =>
    new Map(holders.filter((holder) => holder.kind === kind).map((holder) => [keyOf(holder.value), holder]))
  const byEmail = holdersOf('emails')
  const now = runtime.now()
  const joining = new Map<string, Member>()
  const lateIds = new Set<string>()
  for (const { userId, isDeleted } of holders) if (isDeleted && actor.kind === 'DIRECTORY') lateIds.add(userId)
  for (const { target } of changes) {
    if (!('email' in target)) continue
    const key = emailKeyOf(target.email)
    const holder = byEmail.get(key)
    if (holder !== undefined && target.mustJoin !== true) lateIds.add(holder.userId)
    else if (!joining.has(key)) joining.set(key, newMember(runtime.newId(), target.email, now))
  }
  // Members found only now, which is rare: those who have just got such an address, or give up a name to the directory.
  const late = [...lateIds].filter((userId) => !members.has(userId))
  const byId = changes.flatMap(({ target }) => ('newcomer' in target ? target.newcomer : []))
  const newcomers = [...joining.values(), ...byId]
  const added = [...(await lockMemberRows(transaction, organizationId, late)), ...newcomers]
  for (const member of added) members.set(member.userId, member)
  const movedIds = caller === undefined ? [] : moved.map(({ userId }) => userId)
  const teamRoles = movedIds.length > 0 ? await findTeamRoles(transaction, organizationId, movedIds, now) : []
  const above = new Set([...managerIds, ...managerEmails.flatMap((key) => byEmail.get(key)?.userId ?? [])])
  const chains = await readManagerChains(transaction, organizationId, [...above])
  const administrators = ending > 0 ? await findAdministrators(transaction, organizationId, ending + 1) : undefined
  return {
    now,
    members,
    newcomers,
    emails: byEmail,
    phones: holdersOf('phones'),
    userNames: holdersOf('userNames', userNameKeyOf),
    externalIds: holdersOf('externalIds'),
    managers: new Map(chains.map(({ userId, managerUserId }) => [userId, managerUserId])),
    administrators: administrators && new Set(administrators),
    teamRoles,
  }
}

/** Whether a change may be refused because it takes an active administrator from the organization. */
function endsAdministrator({ target, active, role }: MemberChange, members: ReadonlyMap<string, Member>): boolean {
  const member = 'userId' in target ? members.get(target.userId) : undefined
  const isEnding = active === false || (role !== undefined && role !== 'ORG_ADMIN')
  return isEnding && member !== undefined && isActiveAdministrator(member)
}

function valuesIn(changes: readonly MemberChange[]) {
  const commands = changes.flatMap((change) => change.commands)
  return {
    ids: changes.flatMap(({ target }) => ('userId' in target ? target.userId : [])),
    /** Addresses that identify the members of changes. */
    known: changes.flatMap(({ target }) => {
      return 'email' in target && target.mustJoin !== true ? emailKeyOf(target.email) : []
    }),
    emails: changes.flatMap(({ target, email }) => [
      ...('email' in target ? [emailKeyOf(target.email)] : []),
      ...('newcomer' in target ? [emailKeyOf(target.newcomer.email)] : []),
      ...(email === undefined ? [] : [emailKeyOf(email)]),
    ]),
    phones: valuesSet(commands, 'PRIMARY_PHONE'),
    userNames: changes.flatMap(({ userName }) => userName ?? []),
    externalIds: changes.flatMap(({ directory }) => directory?.directoryExternalId ?? []),
    managerIds: valuesSet(commands, 'MANAGER'),
    managerEmails: commands.flatMap((command) =>
      command.kind === 'set manager by email' ? emailKeyOf(command.email) : [],
    ),
  }
}
