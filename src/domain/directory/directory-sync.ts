import type { Tables } from '../../db/tables.js'
import { type FieldViolation, notFound, refuseViolations } from '../../errors.js'
import { profileTextLength } from '../../limits/known-limits.js'
import type { WriteContext } from '../../runtime/runtime.js'
import { leaveAllGroups } from '../../store/directory/group.js'
import { type DirectoryUserRow, directoryUserView } from '../../store/directory/user.js'
import { memberFrom } from '../../store/member.js'
import { recordAuditEvents } from '../audit/audit-event.js'
import type { Directory } from '../auth/authentication.js'
import { commandsOfDirectory, type FieldCommand, type GovernedField, type Profile } from '../profile/field-ownership.js'
import { fieldNames, type ProfileInput, profileValuesOf, type TextField, textFields } from '../profile/profile-value.js'
import { type LockedMembers, lockMembers } from '../user/lock.js'
import { type DirectoryAccount, isActive, type Member, type MemberChange, type MemberWriter } from '../user/member.js'
import { planMembers } from '../user/plan.js'
import { writePlan } from '../user/write.js'
import { acceptedVersionsFrom, entityTagOf, requireAcceptedVersion } from '../value/entity-tag.js'
import { textFault } from '../value/free-text.js'

/** The context of a directory's request; inside a transaction, `tables` are those of the transaction. */
export interface DirectoryContext extends Directory, WriteContext {
  readonly tables: Tables
}

/** A member as sent by a directory. Absent values outside the profile stay as they are. */
export interface DirectoryWrite {
  /**
   * Values to store and lock; an empty one is stored as empty. Fields without one are unlocked, and keep their values.
   */
  readonly supplied: Readonly<Partial<Record<GovernedField, string | undefined>>>
  readonly email?: string | undefined
  readonly active?: boolean | undefined
  /** The account data that changes, apart from the profile: user name, external id, attributes. */
  readonly account?: DirectoryAccount | undefined
}

/** A member as directories see one, even one whom the directory has deleted. Throws `RESOURCE_NOT_FOUND`. */
export async function readDirectoryUser(
  { tables, organizationId }: DirectoryContext,
  userId: string,
): Promise<DirectoryUserRow> {
  const row = await directoryUserView.find(tables, { organizationId, userId })
  if (row === undefined) throw notFound('user', userId)
  return memberFrom(row)
}

/** Throws `ETAG_MISMATCH` for a row in another version than the `If-Match` of the request accepts. */
export function requireVersion(
  { ifMatch }: WriteContext,
  { version }: { readonly version: string },
  resource: { readonly resourceType: 'user' | 'group'; readonly resourceId: string },
): void {
  requireAcceptedVersion(acceptedVersionsFrom(ifMatch), entityTagOf(version), resource)
}

/**
 * Brings a locked member, or a new one if `user` is undefined, to the state that the directory sends. Overrides pins,
 * and locks the fields that the directory supplies (docs/field-ownership.md); from then on the directory manages the
 * member. Values that the member already has are not written and leave no event. `locked` contains the rows that the
 * write depends on; by default they are locked here. Returns the user as the directory sees it. Throws `FIELD_INVALID`,
 * `EMAIL_TAKEN` with the holder, `EXTERNAL_ID_TAKEN`, `PHONE_TAKEN`, `EMAIL_SHARED_BETWEEN_ORGANIZATIONS` and the
 * reasons about managers.
 */
export async function syncDirectoryUser(
  context: DirectoryContext,
  user: DirectoryUserRow | undefined,
  write: DirectoryWrite,
  locked?: LockedMembers,
): Promise<DirectoryUserRow> {
  const change = changeOf(user, write)
  const { tables } = context
  const writer = writerOf(context)
  const plan = planMembers(writer, [change], locked ?? (await lockMembers(tables, writer, [change], user && [user])))
  const [shown] = await writePlan(tables, writer, plan, directoryUserView)
  if (shown !== undefined) return memberFrom(shown)
  const isUnchanged = user !== undefined && plan.changed.length === 0
  return isUnchanged ? user : readDirectoryUser(context, plan.outcomes[0].member.userId)
}

/**
 * Deactivates a locked member, frees its phone number, and hides it from the directory until it is added again. The
 * member leaves all groups. Throws what `syncDirectoryUser` throws.
 */
export async function deleteDirectoryUser(context: DirectoryContext, user: DirectoryUserRow): Promise<void> {
  const { tables, organizationId, runtime } = context
  const { userId, profile } = user
  const now = runtime.now()
  const supplied = profile.PRIMARY_PHONE.value === '' ? {} : { PRIMARY_PHONE: '' }
  await syncDirectoryUser(context, user, { supplied, active: false, account: { directoryDeletedAt: now } })
  const groupIds = await leaveAllGroups(tables, { organizationId, userId, now })
  const members = { added: [], removed: [userId] }
  const event = { organizationId, action: 'group.update' as const, changedFields: ['members'], members }
  const events = groupIds.map((targetId) => ({ ...event, targetId }))
  if (events.length > 0) await recordAuditEvents(tables, events, writerOf(context))
}

/** The directory as a writer of the organization, and of its members. */
export function writerOf({ organizationId, keyId, name, requestId, runtime }: DirectoryContext): MemberWriter {
  const actor = { kind: 'DIRECTORY' as const, id: keyId, name }
  return { organizationId, actor, requestId, runtime, rights: 'administrators', action: 'user.directory_sync' }
}

/** The change that brings a member, or a new one, to the state that the directory sends. */
function changeOf(member: Member | undefined, write: DirectoryWrite): MemberChange {
  const { email = '', active, account } = write
  const commands = commandsOf(write)
  if (member === undefined) {
    const userName = account?.directoryUserName ?? email
    return { target: { email, mustJoin: true }, commands, active, userName, directory: account }
  }
  const { userId, profile, directoryUserName: currentName } = member
  const moved = write.email === member.email ? undefined : write.email
  const { directoryUserName = currentName } = account ?? {}
  const isRenamed = moved !== undefined || account?.directoryUserName !== undefined
  return {
    target: { userId },
    commands: commands.filter((command) => isEffective(profile, command)),
    email: moved,
    active: active === isActive(member) ? undefined : active,
    userName: isRenamed ? (directoryUserName ?? moved ?? member.email) : undefined,
    directory: account,
  }
}

function isEffective(profile: Profile, command: FieldCommand): boolean {
  const { value, owner } = profile[command.field]
  return owner !== 'DIRECTORY' ? command.kind === 'set' : command.kind !== 'set' || command.value !== value
}

/** The commands of the write, which is validated on its own. */
function commandsOf({ supplied, email }: DirectoryWrite): FieldCommand[] {
  refuseViolations([...textViolations('email', email), ...limitViolations(supplied)])
  const { values, violations } = profileValuesOf({ email, ...supplied })
  refuseViolations(violations)
  if (supplied.MANAGER !== undefined) values.set('MANAGER', supplied.MANAGER)
  return commandsOfDirectory(values)
}

/** A text in the canonical form of a field, or what keeps it from being the value. */
export function directoryValueOf(field: TextField, text: string): { readonly value: string; readonly fault?: string } {
  const input = { [field]: text }
  const { values, violations } = profileValuesOf(input)
  const [violation] = [...limitViolations(input), ...violations]
  return violation === undefined ? { value: values.get(field) ?? text } : { value: text, fault: violation.description }
}

function limitViolations(supplied: ProfileInput): FieldViolation[] {
  return textFields.flatMap((field) => textViolations(fieldNames[field], supplied[field]))
}

function textViolations(name: string, text = ''): FieldViolation[] {
  const description = textFault(text, profileTextLength(name))
  return description === undefined ? [] : [{ field: name, description, reason: 'FIELD_INVALID' }]
}
