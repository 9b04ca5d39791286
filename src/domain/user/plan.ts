import { notFound, ServiceError } from '../../errors.js'
import type { AuditEvent } from '../audit/audit-event.js'
import { type FieldCommand, type GovernedField, isChanged, writeProfile } from '../profile/field-ownership.js'
import { fieldNames } from '../profile/profile-value.js'
import { emailKeyOf } from '../value/email-address.js'
import { takenValueError } from '../value/taken-value.js'
import { requireActivation, requireAdministratorLeft } from './activation.js'
import { changedEmail, emailTaken, requireAdministrators } from './email.js'
import { type HeldMembers, otherHolder } from './hold.js'
import { managerError, managerFault } from './manager.js'
import {
  type ChangedMember,
  type Member,
  type MemberChange,
  type MemberCommand,
  type MemberTarget,
  type MemberWriter,
  valuesSet,
} from './member.js'

/** What is to be written for changes of members. */
export interface MemberPlan<Change extends MemberChange = MemberChange> {
  readonly organizationId: string
  /** Those who join, in the order of the changes. */
  readonly added: readonly Member[]
  /** Those whose memberships are written anew. */
  readonly changed: readonly Member[]
  /** Those of them whose tokens end now: with their sessions, or for good after a deactivation. */
  readonly signedOut: readonly Member[]
  /** The departments that members get. */
  readonly departments: readonly string[]
  readonly events: readonly AuditEvent[]
  /** One for each change. */
  readonly outcomes: readonly ChangedMember<Change>[]
}

/**
 * Decides what becomes of members: applies the changes one after the other, by the rule of ownership, to members who
 * are held (docs/field-ownership.md). Reads and writes nothing.
 *
 * Throws `RESOURCE_NOT_FOUND`, `OWN_ROLE`, `PERMISSION_MISSING`, the reasons about deactivation, `LAST_ADMINISTRATOR`,
 * those about emails in their order, those about managers, and `PHONE_TAKEN`.
 */
export function planMembers<Change extends MemberChange>(
  writer: MemberWriter,
  changes: readonly Change[],
  held: HeldMembers,
): MemberPlan<Change> {
  const { members: before, now } = held
  const newcomers = new Set(held.newcomers.values())
  const members = new Map(before)
  const wanted = changes.map((change) => {
    return {
      change,
      userId: idOf(change.target, held),
      commands: change.commands.map((each) => withManagerId(each, held)),
    }
  })
  for (const { change, userId } of wanted) {
    members.set(userId, withStanding(writer, memberOf(members, userId), change, held))
  }
  requireAdministratorLeft(held, members)
  const values = new ValuesInUse(writer, held)
  for (const { change, userId, commands } of wanted) {
    // Every manager in a request must be valid, even if the field is left alone.
    if (change.refusedValues !== 'leave out') values.requireManagers(userId, commands)
  }
  const isStillNew = new Set(newcomers)
  const written = wanted.map(({ change, userId, commands }) => {
    const { member, ...outcome } = withFields(memberOf(members, userId), { ...change, commands }, values, now)
    members.set(userId, member)
    return { change, userId, isNew: isStillNew.delete(userId), ...outcome }
  })
  const changed = [...members.values()]
    .filter((member) => !newcomers.has(member.userId) && isRewritten(memberOf(before, member.userId), member))
    .map((member) => ({ ...member, updatedAt: now }))
  for (const member of changed) members.set(member.userId, member)
  const outcomes = written.map(({ userId, ...outcome }) => ({ ...outcome, member: memberOf(members, userId) }))
  return {
    organizationId: writer.organizationId,
    added: [...newcomers].map((userId) => memberOf(members, userId)),
    changed,
    signedOut: changed.filter((member) => isSignedOut(memberOf(before, member.userId), member)),
    departments: [...values.departments],
    events: outcomes.flatMap((outcome) => eventsOf(writer, outcome, memberOf(before, outcome.member.userId))),
    outcomes,
  }
}

/** The id of the member that a change is about. */
function idOf(target: MemberTarget, held: HeldMembers): string {
  if ('userId' in target) return target.userId
  const holder = held.emails.get(emailKeyOf(target.email))
  if (holder !== undefined && target.mustJoin === true) throw emailTaken(holder)
  const userId = idOfEmail(target.email, held)
  if (userId === undefined) throw new Error('no user was found for an email address')
  return userId
}

/** The id of the member who has an address, or joins with it. */
function idOfEmail(email: string, { emails, newcomers }: HeldMembers): string | undefined {
  const key = emailKeyOf(email)
  return emails.get(key)?.userId ?? newcomers.get(key)
}

/** The command with the id of the manager; an address that no member has stays, and is an id that no member has. */
function withManagerId(command: MemberCommand, held: HeldMembers): FieldCommand {
  if (command.kind !== 'set manager by email') return command
  const { field, email, as } = command
  return { kind: 'set', field, value: idOfEmail(email, held) ?? email, as }
}

/**
 * The member with changes outside the profile: role, email address, whether active, what the directory says.
 */
function withStanding(writer: MemberWriter, member: Member, change: MemberChange, held: HeldMembers): Member {
  const { actor } = writer
  const { role = member.role, active = isActive(member), userName } = change
  if (role !== member.role && actor.kind === 'USER' && actor.id === member.userId) {
    throw new ServiceError('OWN_ROLE', 'users cannot change their own role: omit it, or ask another administrator')
  }
  if (role !== member.role && (role === 'ORG_ADMIN' || member.role === 'ORG_ADMIN')) requireAdministrators(writer)
  if (active !== isActive(member)) requireActivation(writer, member)
  if (change.endsSessions && member.role === 'ORG_ADMIN') requireAdministrators(writer)
  if (userName !== undefined) requireUserName(held, member, userName)
  return {
    ...member,
    ...change.directory,
    role,
    email: changedEmail(writer, member, change, held),
    directoryManaged: member.directoryManaged || actor.kind === 'DIRECTORY',
    deactivatedAt: active ? null : (member.deactivatedAt ?? held.now),
    sessionsEndedAt: change.endsSessions ? held.now : member.sessionsEndedAt,
  }
}

/**
 * Refuses a name by which the directory calls somebody else. Most names are email addresses, so no constraint keeps
 * them unique between members who have one beside their address and those who have none.
 */
function requireUserName({ emails, userNames }: HeldMembers, { userId }: Member, userName: string): void {
  const key = emailKeyOf(userName)
  const isAddress = otherHolder(emails, key, userId)?.hasUserName === false
  if (isAddress || otherHolder(userNames, key, userId) !== undefined) throw takenValueError('user name of member')
}

/** The values that not every member can have, as changes give them out one after the other. */
class ValuesInUse {
  readonly departments = new Set<string>()
  readonly #phones: Map<string, { readonly userId: string }>
  readonly #managers: Map<string, string | null>
  readonly #managerField: string

  constructor({ managerField = fieldNames.MANAGER }: MemberWriter, { members, phones, managers }: HeldMembers) {
    this.#managerField = managerField
    // Members may have lost a number or a manager between the reading of these and their own lock.
    this.#phones = new Map(
      [...phones].filter(
        ([phone, { userId }]) => (members.get(userId)?.profile.PRIMARY_PHONE.value ?? phone) === phone,
      ),
    )
    this.#managers = new Map(managers)
    for (const [userId, { profile }] of members) this.#managers.set(userId, profile.MANAGER.value || null)
  }

  /** Throws `MANAGER_NOT_FOUND`, `MANAGER_IS_SELF` and `MANAGER_CYCLE`. */
  requireManagers(userId: string, commands: readonly FieldCommand[]): void {
    for (const managerUserId of valuesSet(commands, 'MANAGER')) {
      const fault = this.#managerFault(userId, managerUserId)
      if (fault !== undefined) throw fault
    }
  }

  /** Gives a value to a member in place of another one, or says why the member cannot have it. */
  take(userId: string, field: GovernedField, value: string, replaced: string): ServiceError | undefined {
    if (field === 'DEPARTMENT' && value !== '') this.departments.add(value)
    if (field === 'MANAGER') {
      const fault = value === '' ? undefined : this.#managerFault(userId, value)
      if (fault === undefined) this.#managers.set(userId, value || null)
      return fault
    }
    if (field === 'PRIMARY_PHONE') {
      if (otherHolder(this.#phones, value, userId) !== undefined) return takenValueError('phone number of member')
      this.#phones.delete(replaced)
      if (value !== '') this.#phones.set(value, { userId })
    }
    return undefined
  }

  #managerFault(userId: string, managerUserId: string): ServiceError | undefined {
    const fault = managerFault(this.#managers, userId, managerUserId)
    return fault && managerError(fault, this.#managerField)
  }
}

/** The member with changed governed fields, as far as the rule of ownership allows and the values can be had. */
function withFields(
  member: Member,
  { commands, refusedValues }: { readonly commands: readonly FieldCommand[] } & Pick<MemberChange, 'refusedValues'>,
  values: ValuesInUse,
  now: Date,
): Pick<ChangedMember, 'member' | 'changes' | 'leftOut'> {
  const leftOut = new Set<GovernedField>()
  const { profile, changes } = writeProfile(member.profile, commands, now, (field, value, replaced) => {
    const fault = values.take(member.userId, field, value, replaced)
    if (fault !== undefined && refusedValues !== 'leave out') throw fault
    if (fault !== undefined) leftOut.add(field)
    return fault === undefined
  })
  if (!isChanged(changes)) return { member, changes, leftOut }
  const manager = profile.MANAGER.value
  // A new manager is assigned now.
  const assignedAt = manager === member.profile.MANAGER.value ? member.managerAssignedAt : now
  return { member: { ...member, profile, managerAssignedAt: manager === '' ? null : assignedAt }, changes, leftOut }
}

/** Whether the membership is to be written. */
function isRewritten(before: Member, member: Member): boolean {
  return Object.entries(member).some(([name, value]) => Reflect.get(before, name) !== value)
}

function isActive({ deactivatedAt }: Member): boolean {
  return deactivatedAt === null
}

function isSignedOut(before: Member, member: Member): boolean {
  return member.sessionsEndedAt !== before.sessionsEndedAt || (isActive(member) && !isActive(before))
}

function memberOf(members: ReadonlyMap<string, Member>, userId: string): Member {
  const member = members.get(userId)
  if (member === undefined) throw notFound('user', userId)
  return member
}

/**
 * What was done to a member. The target is always the user, even if the manager is written, so that one filter finds
 * everything.
 */
function eventsOf(
  { organizationId, actor, requestId, action }: MemberWriter,
  { change, member, isNew, changes }: ChangedMember,
  before: Member,
): AuditEvent[] {
  const event = { organizationId, actor, targetType: 'user', targetId: member.userId, requestId }
  const events: AuditEvent[] = []
  const isRecorded = changes.length > 0 || change.refusedValues === 'leave out' || change.directory !== undefined
  if (isNew) events.push({ ...event, action: 'user.create', changes })
  else if (isRecorded) events.push({ ...event, action, changes })
  if (member.role !== before.role && !isNew) {
    events.push({ ...event, action: 'user.update_role', changedFields: ['role'] })
  }
  if (member.email !== before.email) events.push({ ...event, action: 'user.update_email', changedFields: ['email'] })
  if (isActive(member) !== isActive(before)) {
    const action = isActive(member) ? 'user.reactivate' : 'user.deactivate'
    events.push({ ...event, action, changedFields: ['deactivatedAt'] })
  }
  if (change.endsSessions) events.push({ ...event, action: 'user.end_sessions' })
  return events
}
