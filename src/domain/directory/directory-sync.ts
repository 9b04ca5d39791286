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
import { type LockedMembers, lockValues } from '../user/lock.js'
import type { DirectoryAccount, Member, MemberChange, MemberWriter } from '../user/member.js'
import { planMembers } from '../user/plan.js'
import { writePlan } from '../user/write.js'
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
  readonly active?: boolean | undefined
  /** What it calls the member, and says beside the profile. Only what changes. */
  readonly account?: DirectoryAccount | undefined
}

/** A member as directories see one, even one whom the directory has deleted. Throws `RESOURCE_NOT_FOUND`. */
export function readDirectoryUser(context: DirectoryContext, userId: string): Promise<DirectoryUserRow> {
  return findUser(context, userId, false)
}

/** The same of a member who is locked until the transaction ends. */
export function lockDirectoryUser(context: DirectoryContext, userId: string): Promise<DirectoryUserRow> {
  return findUser(context, userId, true)
}

async function findUser({ tables, organizationId }: DirectoryContext, userId: string, isLocked: boolean) {
  const user = await findDirectoryUser(tables, { organizationId, userId }, isLocked)
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

/** What a directory may give a user: names, and of the values that not everybody can have, those to choose from. */
export interface WantedValues {
  readonly userName: string
  readonly email: string
  readonly externalId: string | null
  readonly phones: readonly string[]
  readonly managerIds: readonly string[]
}

/** Locks what a directory may give a new user, or one who is locked, and reads who has it. */
export function lockWantedValues(
  context: DirectoryContext,
  { userName, email, externalId, phones, managerIds }: WantedValues,
  user?: DirectoryUserRow,
): Promise<LockedMembers> {
  const set = (field: GovernedField) => (value: string) => ({ kind: 'set', field, value, as: 'DIRECTORY' }) as const
  const commands = [...phones.map(set('PRIMARY_PHONE')), ...managerIds.map(set('MANAGER'))]
  const isMoved = email !== user?.email
  const isRenamed = isMoved || userName !== (user.directoryUserName ?? email)
  const change: MemberChange = {
    target: user === undefined ? { email, mustJoin: true } : { userId: user.userId },
    commands,
    email: user !== undefined && isMoved ? email : undefined,
    userName: isRenamed ? userName : undefined,
    ...(externalId !== user?.directoryExternalId && { directory: { directoryExternalId: externalId } }),
  }
  return lockValues(context.tables, writerOf(context), [change], user === undefined ? [] : [user])
}

/**
 * Adds a person to the organization as the directory supplies it; `locked` has what the write gives, and by default is
 * locked here. Returns the user as the directory sees it. Throws `FIELD_INVALID`, `EMAIL_TAKEN` with the holder,
 * `EXTERNAL_ID_TAKEN`, `PHONE_TAKEN` and the reasons about managers.
 */
export function createDirectoryUser(
  context: DirectoryContext,
  write: DirectoryWrite & { readonly email: string },
  locked?: LockedMembers,
): Promise<DirectoryUserRow> {
  const { email, active, account } = write
  const userName = account?.directoryUserName ?? email
  const target = { email, mustJoin: true }
  return makeChange(context, { target, commands: commandsOf(write), active, userName, directory: account }, [], locked)
}

/**
 * Makes a locked member what the directory says: overrides any pin, and locks what it supplies
 * (docs/field-ownership.md). From then on the directory manages the member. What the member already is, is not written,
 * and leaves no event. Throws the same, and `EMAIL_SHARED_BETWEEN_ORGANIZATIONS`.
 */
export async function changeDirectoryUser(
  context: DirectoryContext,
  user: DirectoryUserRow,
  write: DirectoryWrite,
  locked?: LockedMembers,
): Promise<DirectoryUserRow> {
  const change = changeOf(user, write)
  return change === undefined ? user : makeChange(context, change, [user], locked)
}

async function makeChange(
  context: DirectoryContext,
  change: MemberChange,
  rows: readonly Member[],
  locked?: LockedMembers,
): Promise<DirectoryUserRow> {
  const { tables, organizationId } = context
  const writer = writerOf(context)
  const plan = planMembers(writer, [change], locked ?? (await lockValues(tables, writer, [change], rows)))
  await writePlan(tables, writer, plan)
  const userId = plan.outcomes[0]?.member.userId ?? ''
  if (change.directory?.directoryDeletedAt instanceof Date) {
    const groupIds = await leaveAllGroups(tables, { organizationId, userId, now: context.runtime.now() })
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
