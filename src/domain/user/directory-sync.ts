import type { AnyTransaction, Store } from '../../db/queryable.js'
import { notFound, refuseViolations } from '../../errors.js'
import { lockManagers } from '../../store/manager-chain.js'
import { lockEmailAddresses } from '../../store/person.js'
import type { Actor } from '../audit/audit-event.js'
import type { WriteContext } from '../audit/audit-statement.js'
import {
  commandsOfDirectory,
  type GovernedField,
  governedFields,
  isChanged,
  writeProfile,
} from '../profile/field-ownership.js'
import { fieldNames, type ProfileInput, profileValuesOf } from '../profile/profile-value.js'
import { emailKeyOf, emailViolations } from '../value/email-address.js'
import { addDepartmentOptions, savedDepartment } from './department-option.js'
import { requireManager } from './manager-chain.js'
import { type Member, withProfile } from './member.js'
import { findOrCreateMembers } from './member-creation.js'
import { findEmailHolders, lockMembers, updateMembers } from './membership.js'
import { claimPhoneNumber } from './phone-claim.js'
import { retryOnUniqueViolation } from './unique-retry.js'
import { recordUserEvents, type UserEvent } from './user-audit.js'
import { emailTaken, isEmailChange, renamePerson } from './user-email.js'

/** The connection of an identity provider: the organization that it supplies, and the key that it writes with. */
export interface Directory {
  readonly organizationId: string
  readonly keyId: string
  readonly name: string
}

/** What a directory says of a member. What is absent stays as it is. */
export interface DirectoryWrite {
  /** Values to store and to lock; an empty one is stored as empty. */
  readonly supplied: ProfileInput
  /** The manager's id, empty for none: stored and locked as well. */
  readonly managerUserId?: string | undefined
  /** Fields that the directory supplies no longer: unlocked, their values stay. A supplied field counts as supplied. */
  readonly withdrawn?: ReadonlySet<GovernedField>
  readonly email?: string | undefined
  /** False deactivates, true reactivates. */
  readonly active?: boolean | undefined
}

/** Every field that a write does not supply: what is withdrawn where a write replaces the whole of a user. */
export function fieldsNotSupplied({ supplied, managerUserId }: DirectoryWrite): ReadonlySet<GovernedField> {
  return new Set(
    governedFields.filter((field) => (field === 'MANAGER' ? managerUserId : supplied[field]) === undefined),
  )
}

/**
 * Adds a person to the organization as the directory supplies it. Throws `FIELD_REQUIRED` and `FIELD_INVALID`,
 * `EMAIL_TAKEN` with the holder, `PHONE_TAKEN` and the reasons about managers.
 */
export async function createDirectoryUser(
  database: Store,
  directory: Directory,
  write: DirectoryWrite & { readonly email: string },
  context: WriteContext,
): Promise<Member> {
  const values = valuesOf(write)
  return retryOnUniqueViolation(() =>
    database.preparedTransaction(async (transaction) => {
      const { organizationId } = directory
      const key = emailKeyOf(write.email)
      await lockManagers(transaction, organizationId)
      await lockEmailAddresses(transaction, [key])
      const holder = (await findEmailHolders(transaction, organizationId, [key])).get(key)
      if (holder !== undefined) throw emailTaken(holder)
      const userId = (
        await findOrCreateMembers(transaction, organizationId, [write.email], context.runtime)
      ).userIds.get(key)
      if (userId === undefined) throw new Error('a member was neither found nor made')
      return applyWrite(
        transaction,
        directory,
        { userId, write: { ...write, email: undefined }, values, created: true },
        context,
      )
    }, context),
  )
}

/**
 * Changes a member as the directory says: over any pin, and locking what it supplies (docs/field-ownership.md). The
 * member comes from the directory from then on. Throws `FIELD_INVALID`, `RESOURCE_NOT_FOUND`,
 * `EMAIL_SHARED_BETWEEN_ORGANIZATIONS`, `EMAIL_TAKEN`, `PHONE_TAKEN` and the reasons about managers.
 */
export async function writeDirectoryUser(
  database: Store,
  directory: Directory,
  userId: string,
  write: DirectoryWrite,
  context: WriteContext,
): Promise<Member> {
  const values = valuesOf(write)
  return retryOnUniqueViolation(() =>
    database.preparedTransaction(async (transaction) => {
      if (write.managerUserId) await lockManagers(transaction, directory.organizationId)
      if (write.email !== undefined) await lockEmailAddresses(transaction, [emailKeyOf(write.email)])
      return applyWrite(transaction, directory, { userId, write, values, created: false }, context)
    }, context),
  )
}

function valuesOf({ supplied, managerUserId, email }: DirectoryWrite): ReadonlyMap<GovernedField, string> {
  const { values, violations } = profileValuesOf(supplied)
  refuseViolations([...(email === undefined ? [] : emailViolations('email', email)), ...violations])
  return managerUserId === undefined ? values : values.set('MANAGER', managerUserId)
}

interface JudgedWrite {
  readonly userId: string
  readonly write: DirectoryWrite
  readonly values: ReadonlyMap<GovernedField, string>
  readonly created: boolean
}

async function applyWrite(
  transaction: AnyTransaction,
  directory: Directory,
  { userId, write, values, created }: JudgedWrite,
  context: WriteContext,
): Promise<Member> {
  const { organizationId } = directory
  const [held] = await lockMembers(transaction, organizationId, [userId])
  if (held === undefined) throw notFound('user', userId)
  const now = context.runtime.now()
  const email = write.email !== undefined && isEmailChange(held, write.email) ? write.email : undefined
  if (email !== undefined) await renamePerson(transaction, organizationId, userId, email)
  if (write.managerUserId) {
    const { managerUserId } = write
    await requireManager(transaction, organizationId, { userId, managerUserId, field: fieldNames.MANAGER })
  }
  const { profile, changes } = writeProfile(
    held.profile,
    commandsOfDirectory(values, write.withdrawn ?? new Set()),
    now,
  )
  const isActive = write.active ?? held.deactivatedAt === null
  const member: Member = {
    ...withProfile(held, profile, now),
    email: email ?? held.email,
    directoryManaged: true,
    deactivatedAt: isActive ? null : (held.deactivatedAt ?? now),
  }
  await claimPhoneNumber(transaction, organizationId, member, held.profile.PRIMARY_PHONE.value)
  const isTurned = isActive !== (held.deactivatedAt === null)
  if (isChanged(changes) || isTurned || !held.directoryManaged)
    await updateMembers(transaction, organizationId, [member])
  const department = savedDepartment(profile, changes)
  if (department !== undefined) await addDepartmentOptions(transaction, organizationId, [department], context.runtime)

  const events: UserEvent[] = []
  if (created) events.push({ action: 'user.create', userId, changes })
  else if (changes.length > 0) events.push({ action: 'user.directory_sync', userId, changes })
  if (email !== undefined) events.push({ action: 'user.update_email', userId })
  if (isTurned) events.push({ action: isActive ? 'user.reactivate' : 'user.deactivate', userId })
  await recordUserEvents(transaction, { organizationId, actor: actorOf(directory) }, events, context)
  return member
}

function actorOf({ keyId, name }: Directory): Actor {
  return { kind: 'DIRECTORY', id: keyId, name }
}
