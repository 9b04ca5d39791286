import type { Tables } from '../../db/tables.js'
import { notFound } from '../../errors.js'
import type { Runtime } from '../../runtime/runtime.js'
import { findEmailHolders, findEmailKeys, lockEmailAddresses } from '../../store/email-claim.js'
import { lockManagers } from '../../store/manager-chain.js'
import { lockMembers } from '../../store/membership.js'
import { emailKeyOf } from '../value/email-address.js'
import type { HeldValues } from './held-values.js'
import { type Member, newMember } from './member.js'
import type { MemberTarget } from './member-change.js'
import { emailTaken } from './member-email.js'
import { addPersons } from './person.js'

/** What changes of members affect. */
export interface MembersToHold {
  readonly targets: readonly MemberTarget[]
  /** The new addresses of members. */
  readonly newEmails: readonly string[]
  /** The members who get them, as far as they are named by id. */
  readonly movingUserIds: readonly string[]
  /** Whether members get managers. */
  readonly assignsManagers: boolean
  /** The addresses of managers, which are only looked up. */
  readonly managerEmails: readonly string[]
}

/** Members who are locked until the transaction ends. */
export interface HeldMembers {
  /** By id, including those who join. */
  readonly members: ReadonlyMap<string, Member>
  /**
   * The ids of those whose memberships are not in the tables yet, although the persons are, in the order of the
   * targets.
   */
  readonly joining: ReadonlySet<string>
  /** The ids of the members who have the given addresses, by the keys of the addresses. */
  readonly idsByEmail: ReadonlyMap<string, string>
  /** What is known of the new values of a single member, if they were held with the member. */
  readonly values?: HeldValues | undefined
}

/**
 * Locks what changes of members affect. Locks are taken in the same order everywhere, so that writers do not deadlock:
 * source, managers, addresses, members, phone numbers. If a member gets another address, the old one is locked too.
 * Throws `RESOURCE_NOT_FOUND` and `EMAIL_TAKEN`.
 */
export async function holdMembers(
  transaction: Tables,
  organizationId: string,
  { targets, newEmails, movingUserIds, assignsManagers, managerEmails }: MembersToHold,
  runtime: Runtime,
): Promise<HeldMembers> {
  if (assignsManagers) await lockManagers(transaction, organizationId)
  const addressed = targets.flatMap((target) => ('email' in target ? target : []))
  const keys = addressed.map(({ email }) => emailKeyOf(email))
  const lockedKeys = new Set([...keys, ...newEmails.map(emailKeyOf)])
  for (const key of await findEmailKeys(transaction, organizationId, movingUserIds)) lockedKeys.add(key)
  await lockEmailAddresses(transaction, organizationId, [...lockedKeys])
  const holders = await findEmailHolders(transaction, organizationId, [...keys, ...managerEmails.map(emailKeyOf)])
  const absent = addressed.filter(({ email, mustJoin }) => {
    const holder = holders.get(emailKeyOf(email))
    if (holder !== undefined && mustJoin === true) throw emailTaken(holder)
    return holder === undefined
  })
  const persons = await addPersons(
    transaction,
    absent.map(({ email }) => email),
    runtime,
  )
  const idsByEmail = new Map([...holders].map(([key, { userId }]) => [key, userId]))
  for (const { emailKey, id } of persons) idsByEmail.set(emailKey, id)
  const now = runtime.now()
  const members = new Map(persons.map((person) => [person.id, newMember(person, now)]))
  const joining = new Set(members.keys())
  const present = new Set(targets.map((target) => userIdOf(target, idsByEmail)).filter((id) => !joining.has(id)))
  const locked = present.size === 0 ? [] : await lockMembers(transaction, organizationId, [...present])
  for (const member of locked) members.set(member.userId, member)
  for (const userId of present) if (!members.has(userId)) throw notFound('user', userId)
  // Those who got another address while the lock on the one before was waited for.
  const left = movingUserIds.map((userId) => emailKeyOf(members.get(userId)?.email ?? ''))
  await lockEmailAddresses(
    transaction,
    organizationId,
    left.filter((key) => !lockedKeys.has(key)),
  )
  return { members, joining, idsByEmail }
}

/** The id of the member that a target names. */
export function userIdOf(target: MemberTarget, idsByEmail: ReadonlyMap<string, string>): string {
  const userId = 'userId' in target ? target.userId : idsByEmail.get(emailKeyOf(target.email))
  if (userId === undefined) throw new Error('no user was found for an email address')
  return userId
}
