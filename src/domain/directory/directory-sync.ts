import type { Tables } from '../../db/tables.js'
import { type FieldViolation, notFound, refuseViolations } from '../../errors.js'
import { profileTextLength } from '../../limits/known-limits.js'
import type { WriteContext } from '../../runtime/runtime.js'
import { leaveAllGroups } from '../../store/directory/group.js'
import { type DirectoryUserRow, findDirectoryUser } from '../../store/directory/user.js'
import { recordAuditEvents } from '../audit/audit-event.js'
import type { Directory } from '../auth/authentication.js'
import { commandsOfDirectory, type FieldCommand, type GovernedField, type Profile } from '../profile/field-ownership.js'
import { fieldNames, type ProfileInput, profileValuesOf, type TextField, textFields } from '../profile/profile-value.js'
import { type LockedMembers, lockMembers, suffices } from '../user/lock.js'
import type { DirectoryAccount, Member, MemberChange, MemberWriter } from '../user/member.js'
import { planMembers } from '../user/plan.js'
import { changeMember, memberTransaction, writePlan } from '../user/write.js'
import { acceptedVersionsFrom, entityTagOf, requireAcceptedVersion } from '../value/entity-tag.js'
import { textFault } from '../value/free-text.js'

/** What a request of a directory needs; in a transaction, `tables` are those of it. */
export interface DirectoryContext extends Directory, WriteContext {
  readonly tables: Tables
}

/** What a directory says of a member. What is absent beside the profile stays as it is. */
export interface DirectoryWrite {
  /**
   * Values to store and lock; an empty one is stored as empty. Fields without one are unlocked, and keep their values.
   */
  readonly supplied: Readonly<Partial<Record<GovernedField, string | undefined>>>
  readonly email?: string | undefined
  /** False deactivates, true reactivates. */
  readonly active?: boolean | undefined
  /** What it calls the member, and says beside the profile. Only what changes. */
  readonly account?: DirectoryAccount | undefined
}

/**
 * Adds a person to the organization as the directory supplies it, after `before` in the same transaction, and returns
 * the user as the directory sees it. Throws
 * `FIELD_INVALID`, `EMAIL_TAKEN` with the holder, `EXTERNAL_ID_TAKEN`, `PHONE_TAKEN` and the reasons about managers.
 */
export async function createDirectoryUser(
  context: DirectoryContext,
  write: DirectoryWrite & { readonly email: string },
  before: (context: DirectoryContext) => Promise<void> = async () => {},
): Promise<DirectoryUserRow> {
  const { email, active, account } = write
  const userName = account?.directoryUserName ?? email
  const target = { email, mustJoin: true }
  const change = { target, commands: commandsOf(write), active, userName, directory: account }
  return memberTransaction(context.tables, async (tables) => {
    await before({ ...context, tables })
    const { member } = await changeMember(tables, writerOf(context), change)
    return readDirectoryUser({ ...context, tables }, member.userId)
  })
}

/** A member as directories see one, even one whom the directory has deleted. Throws `RESOURCE_NOT_FOUND`. */
export async function readDirectoryUser(
  { tables, organizationId }: DirectoryContext,
  userId: string,
): Promise<DirectoryUserRow> {
  const user = await findDirectoryUser(tables, { organizationId, userId })
  if (user === undefined) throw notFound('user', userId)
  return user
}

/** Throws `ETAG_MISMATCH` for a row in another version than the `If-Match` of the request accepts. */
export function requireVersion(
  { ifMatch }: WriteContext,
  { version }: { readonly version: string },
  resource: { readonly resourceType: 'user' | 'group'; readonly resourceId: string },
): void {
  requireAcceptedVersion(acceptedVersionsFrom(ifMatch), entityTagOf(version), resource)
}

/** Locks a member, as it was read, for what the directory writes; undefined if that changes nothing. */
export async function lockDirectoryUser(
  context: DirectoryContext,
  user: DirectoryUserRow,
  write: DirectoryWrite,
): Promise<LockedDirectoryUser | undefined> {
  const change = changeOf(user, write)
  if (change === undefined) return undefined
  const locked = await lockMembers(context.tables, writerOf(context), [change])
  return { locked: locked, user: await readDirectoryUser(context, user.userId) }
}

/** A locked member, and what else is locked for a change of it. */
export interface LockedDirectoryUser {
  readonly user: DirectoryUserRow
  readonly locked: LockedMembers
}

/**
 * Makes a locked member what the directory says: overrides any pin, and locks what it supplies
 * (docs/field-ownership.md). From then on the directory manages the member. What the member already is, is not written,
 * and leaves no event. Returns the user as the directory sees it, or undefined if what is locked does not suffice,
 * because somebody else has changed the member before it was locked. Throws `FIELD_INVALID`,
 * `EMAIL_SHARED_BETWEEN_ORGANIZATIONS`, `EMAIL_TAKEN`, `EXTERNAL_ID_TAKEN`, `PHONE_TAKEN` and the reasons about
 * managers.
 */
export async function changeDirectoryUser(
  context: DirectoryContext,
  { user, locked }: LockedDirectoryUser,
  write: DirectoryWrite,
): Promise<DirectoryUserRow | undefined> {
  const { tables, organizationId } = context
  const { userId } = user
  const change = changeOf(user, write)
  if (change === undefined) return user
  if (!suffices(locked, [change])) return undefined
  const writer = writerOf(context)
  await writePlan(tables, writer, planMembers(writer, [change], locked))
  const isDeleted = change.directory?.directoryDeletedAt instanceof Date
  if (isDeleted) {
    const groupIds = await leaveAllGroups(tables, { organizationId, userId, now: locked.now })
    const members = { added: [], removed: [userId] }
    const event = { organizationId, action: 'group.update' as const, changedFields: ['members'], members }
    const events = groupIds.map((targetId) => ({ ...event, targetId }))
    if (events.length > 0) await recordAuditEvents(tables, events, writer)
  }
  return readDirectoryUser(context, userId)
}

/** The directory as a writer of the organization, and of its members. */
export function writerOf({ organizationId, keyId, name, requestId, runtime }: DirectoryContext): MemberWriter {
  const actor = { kind: 'DIRECTORY' as const, id: keyId, name }
  return { organizationId, actor, requestId, runtime, rights: 'administrators', action: 'user.directory_sync' }
}

/** The change that makes the member what the directory says; undefined if it already is. */
function changeOf(member: Member, write: DirectoryWrite): MemberChange | undefined {
  const { account } = write
  const commands = commandsOf(write).filter((command) => isEffective(member.profile, command))
  const isMoved = write.email !== undefined && write.email !== member.email
  const isOther = write.active !== undefined && write.active !== (member.deactivatedAt === null)
  if (commands.length === 0 && !isMoved && !isOther && account === undefined && member.directoryManaged) {
    return undefined
  }
  const email = isMoved ? write.email : undefined
  const { directoryUserName = member.directoryUserName } = account ?? {}
  const isRenamed = isMoved || account?.directoryUserName !== undefined
  return {
    target: { userId: member.userId },
    commands,
    email,
    active: isOther ? write.active : undefined,
    userName: isRenamed ? (directoryUserName ?? email ?? member.email) : undefined,
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

/** What keeps a text from being the value of a field; undefined for one that can be stored. */
export function valueFault(field: TextField, text: string): string | undefined {
  const input = { [field]: text }
  const [violation] = [...limitViolations(input), ...profileValuesOf(input).violations]
  return violation?.description
}

function limitViolations(supplied: ProfileInput): FieldViolation[] {
  return textFields.flatMap((field) => textViolations(fieldNames[field], supplied[field]))
}

function textViolations(name: string, text = ''): FieldViolation[] {
  const description = textFault(text, profileTextLength(name))
  return description === undefined ? [] : [{ field: name, description, reason: 'FIELD_INVALID' }]
}
