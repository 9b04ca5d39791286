import { ServiceError } from '../../errors.js'
import { mapInSlices } from '../../runtime/slices.js'
import type { CallEvent } from '../audit/audit-event.js'
import {
  type FieldCommand,
  type GovernedField,
  isChanged,
  isWritten,
  writeProfile,
} from '../profile/field-ownership.js'
import { emailKeyOf } from '../value/email-address.js'
import { emailTaken, givingUp, isSignedOut, requireAdministratorLeft, withAccountState } from './account-state.js'
import { type LockedMembers, valueFault } from './lock.js'
import { type ManagerAssignment, refusedAssignments } from './manager.js'
import {
  type ChangedMember,
  isActiveAdministrator,
  isRewritten,
  type Member,
  type MemberChange,
  type MemberCommand,
  type MemberTarget,
  type MemberWriter,
  memberOf,
  valuesSet,
} from './member.js'
import { eventsOf } from './member-event.js'
import { otherHolder, ValueHolders } from './value-holders.js'

/** The rows to write for changes of members. */
export interface MemberPlan<Outcomes extends readonly unknown[] = readonly ChangedMember[]> {
  /** New members, in the order of the changes. */
  readonly added: readonly Member[]
  /** The members that change. `before` has all members as they were, by id. */
  readonly changed: readonly Member[]
  readonly before: ReadonlyMap<string, Member>
  /** The ids of changed members that are written first, because they give up names that others get. */
  readonly freeing: ReadonlySet<string>
  /** Changed members whose tokens are deleted, because their sessions were ended or they were reactivated. */
  readonly signedOut: readonly Member[]
  /** The departments that members get. */
  readonly departments: readonly string[]
  readonly events: readonly CallEvent[]
  /** One for each change. */
  readonly outcomes: Outcomes
}

/**
 * Plans the writes for changes of locked members: applies the changes in order, by the rule of ownership
 * (docs/field-ownership.md). Does not access the database.
 *
 * Throws `RESOURCE_NOT_FOUND`, `OWN_ROLE`, `PERMISSION_MISSING`, the reasons about deactivation, `LAST_ADMINISTRATOR`,
 * those about emails in their order, those about managers, and `PHONE_TAKEN`.
 */
export function planMembers<const Changes extends readonly MemberChange[]>(
  writer: MemberWriter,
  changes: Changes,
  locked: LockedMembers,
): MemberPlan<{ readonly [Index in keyof Changes]: ChangedMember<Changes[Index]> }> {
  const members = new PlannedMembers(writer, locked)
  members.judgeManagers(changes.filter(({ refusedValues }) => refusedValues === 'leave out'))
  const outcomes = changes.map((change) => members.apply(change))
  // The compiler does not know that `map` keeps the length of a tuple.
  return {
    ...members.plan(),
    outcomes: outcomes as { readonly [Index in keyof Changes]: ChangedMember<Changes[Index]> },
  }
}

/**
 * Does what `planMembers` does, but a refused change leaves its member unchanged and has the error as its outcome.
 * Errors among the changes are passed on. With `areTogether`, changes are judged by the state after all of them,
 * whatever their order: two members can then swap a number, and a manager can be named before the manager's own change.
 */
export async function planEachMember(
  writer: MemberWriter,
  changes: readonly (MemberChange | ServiceError)[],
  locked: LockedMembers,
  { areTogether = false } = {},
): Promise<MemberPlan<readonly (ChangedMember | ServiceError)[]>> {
  const members = new PlannedMembers(writer, locked)
  if (areTogether) await members.foresee(changes.flatMap((each) => (each instanceof ServiceError ? [] : each)))
  const outcomes = await mapInSlices(changes, (each) => (each instanceof ServiceError ? each : members.attempt(each)))
  return { ...members.plan(), outcomes }
}

/** Members and the holders of unique values, while changes are applied one after the other. */
class PlannedMembers {
  readonly #writer: MemberWriter
  readonly #locked: LockedMembers
  readonly #members: Map<string, Member>
  /** The ids of those who have yet to join, and by the keys of their addresses. */
  readonly #isNew: Set<string>
  readonly #newcomers: ReadonlyMap<string, string>
  readonly #holders: ValueHolders
  readonly #managers: Map<string, string | null>
  /** Changes whose new manager would close a cycle in the result of all. */
  readonly #refusedManagers = new Set<MemberChange>()
  readonly #administrators: Set<string> | undefined
  readonly #freeing = new Set<string>()
  readonly #departments = new Set<string>()
  readonly #events: CallEvent[] = []

  constructor(writer: MemberWriter, locked: LockedMembers) {
    const { members, newcomers, managers, administrators } = locked
    this.#writer = writer
    this.#locked = locked
    this.#members = new Map(members)
    this.#isNew = new Set(newcomers.map(({ userId }) => userId))
    this.#newcomers = new Map(newcomers.map(({ email, userId }) => [emailKeyOf(email), userId]))
    this.#holders = new ValueHolders(locked, members)
    this.#managers = new Map(managers)
    for (const [userId, { profile }] of members) this.#managers.set(userId, profile.MANAGER.value || null)
    this.#administrators = administrators && new Set(administrators)
  }

  /**
   * Records the outcome of all changes in advance, so that each is checked against the state after all of them: a value
   * that one of them frees is free for all, and managers and administrators are those of the outcome. No other
   * newcomers join.
   */
  async foresee(changes: readonly MemberChange[]): Promise<void> {
    const planned = changes.map((change) => ({ change, before: memberOf(this.#members, this.#idOf(change.target)) }))
    const ids = new Set(planned.map(({ before }) => before.userId))
    for (const userId of this.#isNew) if (!ids.has(userId)) this.#managers.delete(userId)
    await mapInSlices(planned, ({ change, before }) => {
      const commands = change.commands.map((command) => this.#withManagerId(command))
      const { profile } = writeProfile(before.profile, commands, this.#locked.now)
      const { email = before.email, role, active = before.deactivatedAt === null } = change
      if (emailKeyOf(email) !== emailKeyOf(before.email)) this.#holders.emails.delete(emailKeyOf(before.email))
      const { value: phone } = before.profile.PRIMARY_PHONE
      if (profile.PRIMARY_PHONE.value !== phone) this.#holders.phones.delete(phone)
      this.#managers.set(before.userId, profile.MANAGER.value || null)
      if (role === 'ORG_ADMIN' && active) this.#administrators?.add(before.userId)
    })
  }

  /** Applies a change, or returns why it is refused. */
  attempt<Change extends MemberChange>(change: Change): ChangedMember<Change> | ServiceError {
    try {
      return this.apply(change)
    } catch (error) {
      if (error instanceof ServiceError) return error
      throw error
    }
  }

  /** Applies a change, or nothing of it if it throws. A value that it gives up is free for the next. */
  apply<Change extends MemberChange>(change: Change): ChangedMember<Change> {
    if (this.#writer.actor.kind === 'DIRECTORY') this.#freeNames(change)
    const before = memberOf(this.#members, this.#idOf(change.target))
    const { userId } = before
    const holder = 'newcomer' in change.target && otherHolder(this.#holders.emails, emailKeyOf(before.email), userId)
    if (holder) throw emailTaken(holder)
    const { now, teamRoles } = this.#locked
    const { emails, userNames, externalIds } = this.#holders
    const facts = { now, teamRoles, emails, userNames, externalIds }
    const changed = withAccountState(this.#writer, before, change, facts)
    requireAdministratorLeft(this.#administrators, before, changed)
    const written = this.#withFields(changed, change)
    const outcome = { change, isNew: this.#isNew.delete(userId), ...written }
    this.#keep(before, written.member)
    const isAboutManager = change.commands.some(({ field }) => field === 'MANAGER')
    if (isAboutManager) this.#managers.set(userId, written.member.profile.MANAGER.value || null)
    const getsDepartment = written.changes.some(({ field, outcome }) => field === 'DEPARTMENT' && isWritten(outcome))
    for (const name of getsDepartment ? valuesSet(change.commands, 'DEPARTMENT') : []) this.#departments.add(name)
    this.#events.push(...eventsOf(this.#writer, outcome, before))
    return outcome
  }

  /**
   * Judges the managers of all changes together, before the changes are applied (`refusedAssignments`). Skips changes
   * with several commands for the manager, and those that the owner of the field keeps out.
   */
  judgeManagers(changes: readonly MemberChange[]): void {
    const assignments = new Map<MemberChange, ManagerAssignment>()
    for (const change of changes) {
      const [command, other] = change.commands.filter(({ field }) => field === 'MANAGER')
      if (command === undefined || other !== undefined) continue
      const resolved = this.#withManagerId(command)
      const { userId, profile } = memberOf(this.#members, this.#idOf(change.target))
      const [written] = writeProfile(profile, [resolved], this.#locked.now).changes
      if (resolved.kind !== 'set' || written === undefined || !isWritten(written.outcome)) continue
      assignments.set(change, { userId, managerUserId: resolved.value })
    }
    const refused = refusedAssignments(this.#managers, [...assignments.values()])
    for (const [change, assignment] of assignments) {
      if (refused.has(assignment)) this.#refusedManagers.add(change)
      else this.#managers.set(assignment.userId, assignment.managerUserId || null)
    }
  }

  /** The rows to write for the changes so far. */
  plan(): Omit<MemberPlan, 'outcomes'> {
    const { members: before, newcomers, now } = this.#locked
    const joining = new Set(newcomers.map(({ userId }) => userId))
    const changed = [...this.#members.values()]
      .filter((member) => !joining.has(member.userId) && isRewritten(memberOf(before, member.userId), member))
      .map((member) => ({ ...member, updatedAt: now }))
    return {
      added: [...joining].filter((userId) => !this.#isNew.has(userId)).map((userId) => memberOf(this.#members, userId)),
      changed,
      before,
      freeing: this.#freeing,
      signedOut: changed.filter((member) => isSignedOut(memberOf(before, member.userId), member)),
      departments: [...this.#departments],
      events: this.#events,
    }
  }

  /** The id of the member that a change is about. */
  #idOf(target: MemberTarget): string {
    if ('userId' in target) return target.userId
    if ('newcomer' in target) return target.newcomer.userId
    const holder = this.#holders.emails.get(emailKeyOf(target.email))
    if (holder !== undefined && target.mustJoin === true) throw emailTaken(holder)
    const userId = this.#idOfEmail(target.email)
    if (userId === undefined) throw new Error('no user was found for an email address')
    return userId
  }

  /** The id of the member who has an address, or joins with it. */
  #idOfEmail(email: string): string | undefined {
    const key = emailKeyOf(email)
    return this.#holders.emails.get(key)?.userId ?? this.#newcomers.get(key)
  }

  /** The command with the id of the manager; an address that no member has stays, and is an id that no member has. */
  #withManagerId(command: MemberCommand): FieldCommand {
    if (command.kind !== 'set manager by email') return command
    const { field, email, as } = command
    return { kind: 'set', field, value: this.#idOfEmail(email) ?? email, as }
  }

  /**
   * Frees names that the directory gives to a member and that a member whom it has deleted still has: deleted resources
   * cause no conflicts (RFC 7644 section 3.6).
   */
  #freeNames({ target, email: moved, userName = '', directory }: MemberChange): void {
    const email = 'email' in target ? target.email : (moved ?? '')
    const names = { email, userName, externalId: directory?.directoryExternalId ?? '' }
    for (const userId of this.#holders.named(names)) {
      const isKeeper = 'userId' in target && target.userId === userId
      const member = isKeeper ? undefined : this.#members.get(userId)
      const change = member && givingUp(member, names, this.#writer.runtime.newId())
      if (change !== undefined) this.#freeing.add(this.apply(change).member.userId)
    }
  }

  /** The member with changed governed fields, as far as the rule of ownership allows and the values can be had. */
  #withFields(member: Member, change: MemberChange): Pick<ChangedMember, 'member' | 'changes' | 'leftOut'> {
    const { now } = this.#locked
    const commands = change.commands.map((command) => this.#withManagerId(command))
    const isRefused = change.refusedValues !== 'leave out'
    // Every manager in a request must be valid, even if the field is left alone.
    for (const manager of isRefused ? valuesSet(commands, 'MANAGER') : []) {
      const fault = this.#faultOf(member, 'MANAGER', manager)
      if (fault !== undefined) throw fault
    }
    const leftOut = new Set<GovernedField>()
    const { profile, changes } = writeProfile(member.profile, commands, now, (field, value) => {
      const fault = this.#faultOf(member, field, value)
      if (fault !== undefined && isRefused) throw fault
      const isTaken = fault === undefined && !(field === 'MANAGER' && this.#refusedManagers.has(change))
      if (!isTaken) leftOut.add(field)
      return isTaken
    })
    if (!isChanged(changes)) return { member, changes, leftOut }
    const manager = profile.MANAGER.value
    // A new manager is assigned now.
    const assignedAt = manager === member.profile.MANAGER.value ? member.managerAssignedAt : now
    return { member: { ...member, profile, managerAssignedAt: manager === '' ? null : assignedAt }, changes, leftOut }
  }

  #faultOf({ userId }: Member, field: GovernedField, value: string): ServiceError | undefined {
    const facts = { managers: this.#managers, phones: this.#holders.phones }
    return valueFault(facts, userId, field, value, this.#writer.managerField)
  }

  /** Notes what a member is now, and has in place of what it had. */
  #keep(before: Member, member: Member): void {
    const { userId } = member
    this.#members.set(userId, member)
    this.#holders.move(before, member)
    if (isActiveAdministrator(member)) this.#administrators?.add(userId)
    else this.#administrators?.delete(userId)
  }
}
