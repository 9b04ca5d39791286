import type { UserRole } from '../../../gen/prisma/enums.js'
import type { AnyTransaction, Queryable, Store } from '../../db/queryable.js'
import { notFound, refuseViolations } from '../../errors.js'
import { lockEmailAddresses } from '../../store/person.js'
import { actorOf } from '../audit/audit-event.js'
import type { WriteContext } from '../audit/audit-statement.js'
import type { Caller } from '../caller/caller.js'
import {
  commandsOfRequest,
  emptyProfile,
  type FieldCommand,
  type GovernedField,
  writeProfile,
} from '../profile/field-ownership.js'
import { createPinFields, pinViolations } from '../profile/pin-request.js'
import { fieldsOf, type ProfileInput, profileValuesOf } from '../profile/profile-value.js'
import { emailKeyOf, emailViolations } from '../value/email-address.js'
import { addDepartmentOptions, savedDepartment } from './department-option.js'
import { type Member, newMember } from './member.js'
import { findEmailHolders, findMember, insertMembers, lockMembers } from './membership.js'
import { findOrCreatePersons } from './person.js'
import { claimPhoneNumber } from './phone-claim.js'
import { retryOnUniqueViolation } from './unique-retry.js'
import { apiWriterOf, requireOrganizationPermission } from './user-access.js'
import { recordUserEvents } from './user-audit.js'
import { emailTaken } from './user-email.js'

/** A person to add. */
export interface NewUser {
  readonly email: string
  readonly role: UserRole
  readonly profile: ProfileInput
  readonly pinFields: readonly GovernedField[]
}

/** Reads one member of the caller's organization. Throws `RESOURCE_NOT_FOUND`. */
export async function getUser(tables: Queryable, caller: Caller, userId: string): Promise<Member> {
  const member = await findMember(tables, caller.organizationId, userId)
  if (member === undefined) throw notFound('user', userId)
  return member
}

/**
 * Adds a person to the caller's organization; a person whom another organization knows by the address gets a further
 * membership. Throws `FIELD_REQUIRED`, `FIELD_INVALID`, `PIN_FIELD_NOT_SET`, `PIN_FIELD_NOT_ALLOWED`,
 * `PERMISSION_MISSING`, `EMAIL_TAKEN` with the holder, and `PHONE_TAKEN`.
 */
export async function createUser(
  database: Store,
  caller: Caller,
  user: NewUser,
  context: WriteContext,
): Promise<Member> {
  const { values, violations } = profileValuesOf(user.profile)
  refuseViolations([
    ...emailViolations('email', user.email),
    ...violations,
    ...pinViolations({ pinFields: user.pinFields, setFields: fieldsOf(user.profile) }, createPinFields),
  ])
  requireOrganizationPermission(caller, 'users:write')
  const commands = commandsOfRequest({
    writer: apiWriterOf(caller),
    values,
    pinFields: new Set(user.pinFields),
  })
  return retryOnUniqueViolation(() =>
    database.preparedTransaction(
      (transaction) => insertUser(transaction, caller, { user, commands }, context),
      context,
    ),
  )
}

async function insertUser(
  transaction: AnyTransaction,
  caller: Caller,
  { user, commands }: { user: NewUser; commands: readonly FieldCommand[] },
  context: WriteContext,
): Promise<Member> {
  const { organizationId } = caller
  const { runtime } = context
  const emailKey = emailKeyOf(user.email)
  await lockEmailAddresses(transaction, [emailKey])
  const holder = (await findEmailHolders(transaction, organizationId, [emailKey])).get(emailKey)
  if (holder !== undefined) throw emailTaken(holder)
  const userId = (await findOrCreatePersons(transaction, [user.email], runtime)).get(emailKey)
  if (userId === undefined) throw new Error('a person was neither found nor made')
  const now = runtime.now()
  const { profile, changes } = writeProfile(emptyProfile(now), commands, now)
  await claimPhoneNumber(transaction, organizationId, { userId, profile }, '')
  await insertMembers(transaction, organizationId, [
    newMember({ userId, email: user.email, role: user.role, profile }, now),
  ])
  const department = savedDepartment(profile, changes)
  if (department !== undefined) await addDepartmentOptions(transaction, organizationId, [department], runtime)
  const event = { action: 'user.create', userId, changes }
  await recordUserEvents(transaction, { organizationId, actor: actorOf(caller) }, [event], context)
  const [member] = await lockMembers(transaction, organizationId, [userId])
  if (member === undefined) throw new Error('a member was added and is not there')
  return member
}
