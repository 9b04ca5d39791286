import type { PreparedStore } from '../../db/queryable.js'
import { refuseViolations } from '../../errors.js'
import type { WriteContext } from '../../runtime/write-context.js'
import {
  commandsOfDirectory,
  type FieldCommand,
  type GovernedField,
  governedFields,
} from '../profile/field-ownership.js'
import { type ProfileInput, profileValuesOf } from '../profile/profile-value.js'
import { emailViolations } from '../value/email-address.js'
import { changeMember } from './change-member.js'
import type { Member } from './member.js'
import type { MemberTarget } from './member-change.js'

/** The connection of an identity provider: the organization that it supplies, and the key that it writes with. */
export interface Directory {
  readonly organizationId: string
  readonly keyId: string
  readonly name: string
}

/** What a directory says of a member, within the limits of `svc.v2.UserRecord`. Absent values stay as they are. */
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
}

/** Every field that a write does not supply: those to withdraw if the write replaces the whole user. */
export function fieldsNotSupplied({ supplied, managerUserId }: DirectoryWrite): ReadonlySet<GovernedField> {
  return new Set(
    governedFields.filter((field) => (field === 'MANAGER' ? managerUserId : supplied[field]) === undefined),
  )
}

/**
 * Adds a person to the organization as the directory supplies it. Throws `FIELD_INVALID`,
 * `EMAIL_TAKEN` with the holder, `PHONE_TAKEN` and the reasons about managers.
 */
export function createDirectoryUser(
  database: PreparedStore,
  directory: Directory,
  write: DirectoryWrite & { readonly email: string },
  context: WriteContext,
): Promise<Member> {
  return changeAs(directory, database, { target: { email: write.email, mustJoin: true }, write }, context)
}

/**
 * Changes a member as the directory says: overrides any pin, and locks what it supplies (docs/field-ownership.md). From
 * then on the directory manages the member. Throws `FIELD_INVALID`, `RESOURCE_NOT_FOUND`,
 * `EMAIL_SHARED_BETWEEN_ORGANIZATIONS`, `EMAIL_TAKEN`, `PHONE_TAKEN` and the reasons about managers.
 */
export function writeDirectoryUser(
  database: PreparedStore,
  directory: Directory,
  userId: string,
  write: DirectoryWrite,
  context: WriteContext,
): Promise<Member> {
  return changeAs(directory, database, { target: { userId }, write }, context)
}

async function changeAs(
  { organizationId, keyId, name }: Directory,
  database: PreparedStore,
  { target, write }: { readonly target: MemberTarget; readonly write: DirectoryWrite },
  context: WriteContext,
): Promise<Member> {
  const { email, active } = write
  const change = { target, commands: commandsOf(write), email, active }
  const actor = { kind: 'DIRECTORY' as const, id: keyId, name }
  const writer = { organizationId, actor, action: 'user.directory_sync' }
  return (await changeMember(database, writer, change, context)).member
}

/** The commands of the write, which is validated on its own. */
function commandsOf({ supplied, managerUserId, withdrawn = new Set(), email }: DirectoryWrite): FieldCommand[] {
  const { values, violations } = profileValuesOf(supplied)
  refuseViolations([...(email === undefined ? [] : emailViolations('email', email)), ...violations])
  if (managerUserId !== undefined) values.set('MANAGER', managerUserId)
  return commandsOfDirectory(values, withdrawn)
}
