import type { Tables } from '../../db/tables.js'
import { administratorLock, emailLock, managerLock, phoneLock, takeLocks } from '../../store/lock.js'
import { findAdministrators, findEmailKeys, lockMemberRows } from '../../store/member.js'
import { findValueHolders, readManagerChains, type ValueHolder } from '../../store/member-value.js'
import { findTeamRoles, type TeamRoleRow } from '../../store/team-member.js'
import { emailKeyOf, userNameKeyOf } from '../value/email-address.js'
import type { ManagerChains } from './manager.js'
import { type Member, type MemberChange, type MemberWriter, newMember, valuesSet } from './member.js'

/** Members who are locked until the transaction ends, and what is true of the values that they are to get. */
export interface LockedMembers {
  /** When the changes are made. */
  readonly now: Date
  /** By id, including those who join. */
  readonly members: ReadonlyMap<string, Member>
  /** Those who join, in the order of the changes. They are not in the table yet. */
  readonly newcomers: readonly Member[]
  /** Who has the addresses in question, by their keys; newcomers do not have theirs yet. */
  readonly emails: ReadonlyMap<string, ValueHolder>
  /** Who has the phone numbers in question. */
  readonly phones: ReadonlyMap<string, Pick<ValueHolder, 'userId'>>
  /** Whom the directory calls by the names in question, by their keys. */
  readonly userNames: ReadonlyMap<string, Pick<ValueHolder, 'userId'>>
  /** The managers in question and everyone above them. */
  readonly managers: ManagerChains
  /**
   * Active administrators, so many that one is left after all changes, unless these are all; undefined if no change can
   * make one of them none, or if a directory makes them.
   */
  readonly administrators: ReadonlySet<string> | undefined
  /** The team roles of those who are to get another address from a caller. */
  readonly teamRoles: readonly TeamRoleRow[]
  /** What all this was read for. */
  readonly needs: Needs
}

/** Who else has a value that only one member can have; undefined if the member can have it. */
export function otherHolder<Holder extends Pick<ValueHolder, 'userId'>>(
  holders: ReadonlyMap<string, Holder>,
  value: string,
  userId: string,
): Holder | undefined {
  const holder = holders.get(value)
  return holder?.userId === userId ? undefined : holder
}

/** Gives a member another value in place of the one before. */
export function moveHolder<Holder extends Pick<ValueHolder, 'userId'>>(
  holders: Map<string, Holder>,
  before: string,
  value: string,
  holder: Holder,
): void {
  if (value === before) return
  // Somebody else may have it by now.
  if (holders.get(before)?.userId === holder.userId) holders.delete(before)
  if (value !== '') holders.set(value, holder)
}

/** The values that changes name. */
type Needs = Readonly<Record<'emails' | 'phones' | 'userNames' | 'managerIds' | 'managerEmails', readonly string[]>>

/**
 * Locks the members that changes are about, with all that decides whether they can have their new values, and reads it.
 * Locks are taken in the same order everywhere, so that writers do not deadlock: source, administrators, managers,
 * addresses, phone numbers, members. If a member gets another address, the old one is locked too.
 */
export async function lockMembers(
  transaction: Tables,
  { organizationId, runtime, actor, caller }: MemberWriter,
  changes: readonly MemberChange[],
): Promise<LockedMembers> {
  const needs = needsOf(changes)
  const movingIds = changes.flatMap(({ email, target }) =>
    email !== undefined && 'userId' in target ? target.userId : [],
  )
  const lockedEmails = new Set([
    ...needs.emails,
    ...needs.userNames.map(userNameKeyOf),
    ...(await findEmailKeys(transaction, organizationId, movingIds)),
  ])
  const assignsManagers = needs.managerIds.length + needs.managerEmails.length > 0
  // Whoever has left must not keep access: a directory may take the last administrator from the organization.
  const ending = actor.kind === 'DIRECTORY' ? 0 : changes.filter(isAboutAdministrators).length
  await takeLocks(transaction, [
    ...(ending > 0 ? [administratorLock(organizationId)] : []),
    ...(assignsManagers ? [managerLock(organizationId)] : []),
    ...[...lockedEmails].map((key) => emailLock(organizationId, key)),
    ...needs.phones.map((phone) => phoneLock(organizationId, phone)),
  ])
  const holders = await findValueHolders(transaction, organizationId, {
    emails: [...new Set([...needs.emails, ...needs.userNames.map(emailKeyOf), ...needs.managerEmails])],
    phones: needs.phones,
    userNames: needs.userNames,
  })
  const holdersOf = (kind: ValueHolder['kind'], keyOf = (value: string) => value) =>
    new Map(holders.filter((holder) => holder.kind === kind).map((holder) => [keyOf(holder.value), holder]))
  const emails = holdersOf('emails')
  const now = runtime.now()
  const byEmail = new Map<string, Member>()
  for (const { target } of changes) {
    if (!('email' in target)) continue
    const key = emailKeyOf(target.email)
    if (!emails.has(key) && !byEmail.has(key)) byEmail.set(key, newMember(runtime.newId(), target.email, now))
  }
  const byId = changes.flatMap(({ target }) => ('newcomer' in target ? target.newcomer : []))
  const newcomers = [...byEmail.values(), ...byId]
  const presentIds = new Set(
    changes.flatMap(({ target }) => {
      if ('newcomer' in target) return []
      return 'userId' in target ? target.userId : (emails.get(emailKeyOf(target.email))?.userId ?? [])
    }),
  )
  const rows = await lockMemberRows(transaction, organizationId, [...presentIds])
  const members = new Map([...rows, ...newcomers].map((member) => [member.userId, member]))
  // Those who got another address while the lock on the one before was waited for.
  const left = movingIds.map((userId) => emailKeyOf(members.get(userId)?.email ?? ''))
  await takeLocks(
    transaction,
    left.filter((key) => !lockedEmails.has(key)).map((key) => emailLock(organizationId, key)),
  )
  const moved = changes.flatMap(({ email, target }) => {
    if (caller === undefined || email === undefined || !('userId' in target)) return []
    return emailKeyOf(members.get(target.userId)?.email ?? '') === emailKeyOf(email) ? [] : target.userId
  })
  const teamRoles = moved.length > 0 ? await findTeamRoles(transaction, { organizationId, userIds: moved, now }) : []
  const managerIds = [...needs.managerIds, ...needs.managerEmails.flatMap((key) => emails.get(key)?.userId ?? [])]
  const chains = await readManagerChains(transaction, organizationId, [...new Set(managerIds)])
  const administrators = ending > 0 ? await findAdministrators(transaction, organizationId, ending + 1) : undefined
  return {
    now,
    members,
    newcomers,
    emails,
    phones: holdersOf('phones'),
    userNames: holdersOf('userNames', userNameKeyOf),
    managers: new Map(chains.map(({ userId, managerUserId }) => [userId, managerUserId])),
    administrators: administrators && new Set(administrators),
    teamRoles,
    needs,
  }
}

/** Whether a change may be refused because it takes an administrator from the organization. Who joins is none yet. */
function isAboutAdministrators({ target, active, role }: MemberChange): boolean {
  const isEnding = active === false || (role !== undefined && role !== 'ORG_ADMIN')
  return isEnding && 'userId' in target
}

/**
 * Whether what is locked suffices for other changes of the same members: a change that depends on its member is decided
 * for the first time to know what to lock, and again when the member is locked.
 */
export function suffices({ needs }: LockedMembers, changes: readonly MemberChange[]): boolean {
  const wanted = needsOf(changes)
  return (Object.keys(wanted) as (keyof Needs)[]).every((name) => {
    const held = new Set(needs[name])
    return wanted[name].every((value) => held.has(value))
  })
}

function needsOf(changes: readonly MemberChange[]): Needs {
  const commands = changes.flatMap((change) => change.commands)
  return {
    emails: changes.flatMap(({ target, email }) => [
      ...('email' in target ? [emailKeyOf(target.email)] : []),
      ...('newcomer' in target ? [emailKeyOf(target.newcomer.email)] : []),
      ...(email === undefined ? [] : [emailKeyOf(email)]),
    ]),
    phones: valuesSet(commands, 'PRIMARY_PHONE'),
    userNames: changes.flatMap(({ userName }) => userName ?? []),
    managerIds: valuesSet(commands, 'MANAGER'),
    managerEmails: commands.flatMap((command) =>
      command.kind === 'set manager by email' ? emailKeyOf(command.email) : [],
    ),
  }
}
