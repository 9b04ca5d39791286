import type { Tables } from '../../db/tables.js'
import { ServiceError } from '../../errors.js'
import type { WriteContext } from '../../runtime/write-context.js'
import { addMemberAtOnce, writeMemberAtOnce } from '../../store/member-at-once.js'
import { writeMembers } from '../../store/membership.js'
import { printUser } from '../../store/user.js'
import { deleteUserTokens } from '../../store/user-token.js'
import { auditRowsOf, recordAuditEvents } from '../audit/audit-event.js'
import {
  type FieldCommand,
  type GovernedField,
  isChanged,
  valuesSet,
  writeProfile,
} from '../profile/field-ownership.js'
import { emailKeyOf } from '../value/email-address.js'
import { addDepartmentOptions, departmentOptionsOf } from './department-option.js'
import { claimFields, type FieldClaims } from './field-claim.js'
import type { Member } from './member.js'
import type { ChangedMember, MemberChange, MemberWriter } from './member-change.js'
import { changeEmail, requireAdministrators } from './member-email.js'
import { memberEventsOf } from './member-event.js'
import { type HeldMembers, holdMembers, type MembersToHold, userIdOf } from './member-hold.js'
import { memberTransaction } from './member-transaction.js'
import { requireMemberVersion } from './member-version.js'

/** Changes one member in a transaction of its own, as `changeMembers` does. */
export function changeMember(
  database: Tables,
  writer: MemberWriter,
  change: MemberChange,
  context: WriteContext,
): Promise<ChangedMember> {
  return memberTransaction(database, async (transaction) => {
    const [changed] = await changeMembers(transaction, writer, [change], context)
    if (changed === undefined) throw new Error('the change returned no result')
    return changed
  })
}

/** The same, and returns the JSON of the user after the change. */
export function changeUser(
  database: Tables,
  writer: MemberWriter,
  change: MemberChange,
  context: WriteContext,
): Promise<ChangedMember & { readonly json: string }> {
  return memberTransaction(database, async (transaction) => {
    const [changed] = await changeMembers(transaction, { ...writer, isPrinted: true }, [change], context)
    if (changed === undefined) throw new Error('the change returned no result')
    const { organizationId } = writer
    const json = changed.json ?? (await printUser(transaction, { organizationId, userId: changed.member.userId }))
    if (json === undefined) throw new Error('the changed member is missing')
    return { ...changed, json }
  })
}

/**
 * The only way to write members: locks them in the one order of locks, applies the rule of ownership, claims addresses,
 * numbers and managers, writes the rows in one statement, stores new departments, and records audit events. Changes are
 * applied one after the other, each with its own outcome (docs/field-ownership.md).
 *
 * Throws `RESOURCE_NOT_FOUND`, `ETAG_MISMATCH`, `OWN_ROLE`, `PERMISSION_MISSING`, the reasons about emails in their order,
 * those about managers, and `PHONE_TAKEN`; then nothing is written.
 */
export async function changeMembers<Change extends MemberChange>(
  transaction: Tables,
  writer: MemberWriter,
  changes: readonly Change[],
  context: WriteContext,
): Promise<ChangedMember<Change>[]> {
  const held = await holdMembers(transaction, writer.organizationId, membersToHold(writer, changes), context.runtime)
  return changeHeldMembers(transaction, writer, changes, held, context)
}

/** What must be held for changes. */
export function membersToHold(
  { isPublication = false }: MemberWriter,
  changes: readonly MemberChange[],
): MembersToHold {
  const managers = changes.flatMap(({ commands }) => valuesSet(commands, 'MANAGER'))
  return {
    targets: changes.map(({ target }) => target),
    newEmails: changes.flatMap(({ email }) => email ?? []),
    movingUserIds: changes.flatMap(({ email, target }) =>
      email !== undefined && 'userId' in target ? target.userId : [],
    ),
    assignsManagers: managers.length > 0,
    managerEmails: isPublication ? managers : [],
  }
}

/** The same for members who are held. */
export async function changeHeldMembers<Change extends MemberChange>(
  transaction: Tables,
  writer: MemberWriter,
  changes: readonly Change[],
  { members: before, joining, idsByEmail, values }: HeldMembers,
  context: WriteContext,
): Promise<ChangedMember<Change>[]> {
  const { organizationId, isPublication = false } = writer
  const { runtime } = context
  const members = new Map(before)
  const now = runtime.now()
  const wanted = changes.map((change) => {
    const commands = isPublication ? withManagerIds(change.commands, idsByEmail) : change.commands
    return { change, userId: userIdOf(change.target, idsByEmail), commands }
  })
  for (const { change, userId } of wanted) {
    const { versions } = change
    if (versions !== undefined)
      await requireMemberVersion(transaction, organizationId, memberOf(before, userId), versions)
    members.set(userId, await withStanding(transaction, writer, memberOf(members, userId), { change, values, now }))
  }
  const claims = await claimFields(transaction, writer, { wanted, members, joining, values })
  const newcomers = new Set(joining)
  const written = wanted.map(({ change, userId, commands }) => {
    const { member, changes, leftOut } = withFields(writer, claims, memberOf(members, userId), commands, now)
    members.set(userId, member)
    return { change, userId, changes, leftOut }
  })
  const rewritten = [...members.values()]
    .filter((member) => !joining.has(member.userId) && isRewritten(memberOf(before, member.userId), member))
    .map((member) => ({ ...member, updatedAt: now }))
  for (const member of rewritten) members.set(member.userId, member)
  const added = [...joining].map((userId) => memberOf(members, userId))
  const changed = written.map(({ change, userId, changes, leftOut }): ChangedMember<Change> => {
    const isNew = newcomers.delete(userId)
    return { change, member: memberOf(members, userId), isNew, changes, leftOut, json: undefined }
  })
  await endOldTokens(transaction, organizationId, { before, after: rewritten })
  const events = memberEventsOf(writer, { changed, before }, context)
  const { departments } = claims
  const [only, ...others] = [...rewritten, ...added]
  if (writer.isAtOnce === true && only !== undefined && others.length === 0) {
    const related = { options: departmentOptionsOf(departments, runtime), events: auditRowsOf(events, runtime) }
    const write = joining.has(only.userId) ? addMemberAtOnce : writeMemberAtOnce
    await write(transaction, organizationId, only, related)
    return changed
  }
  const isPrinted = writer.isPrinted === true
  const json = await writeMembers(transaction, organizationId, { added, changed: rewritten, isPrinted })
  await addDepartmentOptions(transaction, organizationId, departments, runtime)
  await recordAuditEvents(transaction, events, runtime)
  return json === undefined ? changed : changed.map((each) => ({ ...each, json }))
}

/** Ends the tokens of members who are reactivated: those from before their deactivation stay refused. */
async function endOldTokens(
  transaction: Tables,
  organizationId: string,
  { before, after }: { readonly before: ReadonlyMap<string, Member>; readonly after: readonly Member[] },
): Promise<void> {
  const userIds = after
    .filter(({ userId, deactivatedAt }) => deactivatedAt === null && memberOf(before, userId).deactivatedAt !== null)
    .map(({ userId }) => userId)
  if (userIds.length > 0) await deleteUserTokens(transaction, { organizationId, userIds })
}

/** The commands with the ids of managers; an address that no member has stays, and is an id that no member has. */
function withManagerIds(commands: readonly FieldCommand[], idsByEmail: ReadonlyMap<string, string>): FieldCommand[] {
  return commands.map((command) => {
    if (command.kind !== 'set' || command.field !== 'MANAGER') return command
    return { ...command, value: idsByEmail.get(emailKeyOf(command.value)) ?? command.value }
  })
}

/**
 * The member with changes outside the profile: role, email address, whether active, whether managed by the directory.
 */
async function withStanding(
  transaction: Tables,
  writer: MemberWriter,
  member: Member,
  { change, values, now }: { change: MemberChange; values: HeldMembers['values']; now: Date },
): Promise<Member> {
  const { actor } = writer
  const { role = member.role, active = member.deactivatedAt === null } = change
  if (role !== member.role && actor.kind === 'USER' && actor.id === member.userId) {
    throw new ServiceError('OWN_ROLE', 'users cannot change their own role: omit it, or ask another administrator')
  }
  if (role !== member.role && (role === 'ORG_ADMIN' || member.role === 'ORG_ADMIN')) requireAdministrators(writer)
  return {
    ...member,
    ...change.directory,
    role,
    email: await changeEmail(transaction, writer, member, change, values),
    directoryManaged: member.directoryManaged || actor.kind === 'DIRECTORY',
    deactivatedAt: active ? null : (member.deactivatedAt ?? now),
  }
}

/** The member with changed governed fields, as far as the rule of ownership and the claims allow. */
function withFields(
  { isPublication = false }: MemberWriter,
  claims: FieldClaims,
  member: Member,
  commands: readonly FieldCommand[],
  now: Date,
): Pick<ChangedMember, 'member' | 'changes' | 'leftOut'> {
  const { userId } = member
  const leftOut = new Set<GovernedField>()
  const { profile, changes } = writeProfile(member.profile, commands, now, (field, value, replaced) => {
    const fault = claims.take({ userId, field, value, replaced })
    if (fault !== undefined && !isPublication) throw fault
    if (fault !== undefined) leftOut.add(field)
    return fault === undefined
  })
  if (!isChanged(changes)) return { member, changes, leftOut }
  const manager = profile.MANAGER.value
  // A new manager is assigned now.
  const assignedAt = manager === member.profile.MANAGER.value ? member.managerAssignedAt : now
  return { member: { ...member, profile, managerAssignedAt: manager === '' ? null : assignedAt }, changes, leftOut }
}

/** What of a member can change. */
const changing = [
  'profile',
  'email',
  'role',
  'deactivatedAt',
  'directoryManaged',
  'directoryExternalId',
  'directoryUserName',
  'directoryAttributes',
  'directoryDeletedAt',
] as const

/** Whether the membership is to be written: even for another address of the person, when it was changed is. */
function isRewritten(before: Member, member: Member): boolean {
  return changing.some((name) => member[name] !== before[name])
}

function memberOf(members: ReadonlyMap<string, Member>, userId: string): Member {
  const member = members.get(userId)
  if (member === undefined) throw new Error('the member to change is not locked')
  return member
}
