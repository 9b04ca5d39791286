import type { Tables } from '../../db/tables.js'
import { type FieldViolation, refuseViolations } from '../../errors.js'
import { profileTextLength } from '../../limits/known-limits.js'
import type { WriteContext } from '../../runtime/write-context.js'
import type { ScimUserRow, VersionedScimUser } from '../../store/scim/user.js'
import {
  commandsOfDirectory,
  type FieldCommand,
  type GovernedField,
  governedFields,
  type Profile,
} from '../profile/field-ownership.js'
import { fieldNames, type ProfileInput, profileValuesOf, type TextField, textFields } from '../profile/profile-value.js'
import { type AddedMember, addMember } from '../user/added-member.js'
import { changeMemberAsDecided, type DecidedMember } from '../user/decided-change.js'
import type { Member } from '../user/member.js'
import type { DirectoryStanding, MemberChange, MemberWriter } from '../user/member-change.js'
import { emailKeyOf, emailViolations } from '../value/email-address.js'
import { textFault } from '../value/free-text.js'

/** The connection of an identity provider: the organization that it supplies, and the key that it writes with. */
export interface Directory {
  readonly organizationId: string
  readonly keyId: string
  readonly name: string
}

/** What a directory says of a member. Absent values stay as they are. */
export interface DirectoryWrite {
  /** Values to store and lock; an empty one is stored as empty. */
  readonly supplied: ProfileInput
  /** The manager's id, empty for none; stored and locked as well. */
  readonly managerUserId?: string | undefined
  /**
   * Fields that the directory no longer supplies: unlocked, with their values kept. A field in `supplied` counts as
   * supplied.
   */
  readonly withdrawn?: ReadonlySet<GovernedField>
  readonly email?: string | undefined
  /** False deactivates, true reactivates. */
  readonly active?: boolean | undefined
  /** What it calls the member, and says beside the profile. Only what changes. */
  readonly standing?: DirectoryStanding | undefined
}

/** Every field that a write does not supply: those to withdraw if the write replaces the whole user. */
export function fieldsNotSupplied({ supplied, managerUserId }: DirectoryWrite): ReadonlySet<GovernedField> {
  return new Set(
    governedFields.filter((field) => (field === 'MANAGER' ? managerUserId : supplied[field]) === undefined),
  )
}

/**
 * Adds a person to the organization as the directory supplies it. Throws `FIELD_INVALID`, `EMAIL_TAKEN` with the
 * holder, `EXTERNAL_ID_TAKEN`, `PHONE_TAKEN` and the reasons about managers.
 */
export async function createDirectoryUser(
  database: Tables,
  directory: Directory,
  write: DirectoryWrite & { readonly email: string },
  context: WriteContext,
): Promise<AddedMember> {
  const { email, active, standing } = write
  const change = { commands: commandsOf(write), active, directory: standing }
  return addMember(database, writerOf(directory), email, change, context)
}

/**
 * Changes a member as the directory says, which may depend on the member: overrides any pin, and locks what it supplies
 * (docs/field-ownership.md). From then on the directory manages the member. What the member already is, is not written,
 * and leaves no event. The member is named by id, or is given as it was read. Throws `FIELD_INVALID`, `RESOURCE_NOT_FOUND`, `EMAIL_SHARED_BETWEEN_ORGANIZATIONS`,
 * `EMAIL_TAKEN`, `EXTERNAL_ID_TAKEN`, `PHONE_TAKEN` and the reasons about managers.
 */
export function writeDirectoryUser(
  database: Tables,
  directory: Directory,
  user: string | VersionedScimUser,
  write: DirectoryWrite | ((user: ScimUserRow) => DirectoryWrite),
  context: WriteContext,
): Promise<DecidedMember> {
  const decide = (held: ScimUserRow) => changeOf(held, typeof write === 'function' ? write(held) : write)
  return changeMemberAsDecided(database, writerOf(directory), user, decide, context)
}

function writerOf({ organizationId, keyId, name }: Directory): MemberWriter {
  const actor = { kind: 'DIRECTORY' as const, id: keyId, name }
  return { organizationId, actor, rights: 'administrators', action: 'user.directory_sync', isAtOnce: true }
}

/** The change that makes the member what the directory says; undefined if it already is. */
function changeOf(member: Member, write: DirectoryWrite): Omit<MemberChange, 'target'> | undefined {
  const commands = commandsOf(write).filter((command) => isEffective(member.profile, command))
  const hasNewEmail = write.email !== undefined && emailKeyOf(write.email) !== emailKeyOf(member.email)
  const isOther = write.active !== undefined && write.active !== (member.deactivatedAt === null)
  if (commands.length === 0 && !hasNewEmail && !isOther && write.standing === undefined && member.directoryManaged) {
    return undefined
  }
  const email = hasNewEmail ? write.email : undefined
  return { commands, email, active: isOther ? write.active : undefined, directory: write.standing }
}

function isEffective(profile: Profile, command: FieldCommand): boolean {
  const { value, owner } = profile[command.field]
  return owner !== 'DIRECTORY' ? command.kind === 'set' : command.kind !== 'set' || command.value !== value
}

/** The commands of the write, which is validated on its own. */
function commandsOf({ supplied, managerUserId, withdrawn = new Set(), email }: DirectoryWrite): FieldCommand[] {
  refuseViolations([...(email === undefined ? [] : textViolations('email', email)), ...limitViolations(supplied)])
  const { values, violations } = profileValuesOf(supplied)
  refuseViolations([...(email === undefined ? [] : emailViolations('email', email)), ...violations])
  if (managerUserId !== undefined) values.set('MANAGER', managerUserId)
  return commandsOfDirectory(values, withdrawn)
}

/** What keeps a text from being the value of a field; undefined for one that can be stored. */
export function valueFault(field: TextField, text: string): string | undefined {
  const input = { [field]: text }
  const [violation] = [...limitViolations(input), ...profileValuesOf(input).violations]
  return violation?.description
}

function limitViolations(supplied: ProfileInput): FieldViolation[] {
  return textFields.flatMap((field) => {
    const text = supplied[field]
    return text === undefined ? [] : textViolations(fieldNames[field], text)
  })
}

function textViolations(name: string, text: string): FieldViolation[] {
  const description = textFault(text, { max: profileTextLength(name) })
  return description === undefined ? [] : [{ field: name, description, reason: 'FIELD_INVALID' }]
}
