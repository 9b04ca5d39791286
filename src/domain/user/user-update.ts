import type { UserRole } from '../../../gen/prisma/enums.js'
import type { AnyTransaction, Store } from '../../db/queryable.js'
import { invalidField, notFound, refuseViolations, ServiceError } from '../../errors.js'
import { lockEmailAddresses } from '../../store/person.js'
import { actorOf } from '../audit/audit-event.js'
import type { WriteContext } from '../audit/audit-statement.js'
import type { Caller } from '../caller/caller.js'
import {
  commandsOfRequest,
  type FieldCommand,
  type GovernedField,
  isChanged,
  type SkippedFields,
  skippedFields,
  writeProfile,
} from '../profile/field-ownership.js'
import { pinViolations, updatePinFields } from '../profile/pin-request.js'
import { fieldsOf, type ProfileInput, profileValuesOf } from '../profile/profile-value.js'
import { emailKeyOf, emailViolations } from '../value/email-address.js'
import { addDepartmentOptions, savedDepartment } from './department-option.js'
import type { Member } from './member.js'
import { lockMembers, updateMembers } from './membership.js'
import { claimPhoneNumber } from './phone-claim.js'
import { retryOnUniqueViolation } from './unique-retry.js'
import { getUser } from './user.js'
import { apiWriterOf, isOwnProfile, requireMemberPermission } from './user-access.js'
import { recordUserEvents, type UserEvent } from './user-audit.js'
import { changeEmail, isEmailChange } from './user-email.js'

/** Changes of a user; what is absent stays as it is. */
export interface UserUpdate {
  readonly userId: string
  readonly email: string | undefined
  readonly role: UserRole | undefined
  readonly profile: ProfileInput
  readonly pinFields: readonly GovernedField[]
  readonly releaseFields: readonly GovernedField[]
}

/** A member after a write, and the fields that the write has left alone. */
export interface MemberWrite {
  readonly member: Member
  readonly skipped: SkippedFields
}

/**
 * Changes a member of the caller's organization (docs/field-ownership.md). A person changes the own profile without any
 * permission; everyone else needs `users:write` over the organization. Throws `FIELD_INVALID` and the reasons about
 * pins for the request, `RESOURCE_NOT_FOUND`, `PERMISSION_MISSING`, `OWN_ROLE`, the reasons about emails in their
 * order, and `PHONE_TAKEN`; nothing is written then.
 */
export async function updateUser(
  database: Store,
  caller: Caller,
  update: UserUpdate,
  context: WriteContext,
): Promise<MemberWrite> {
  const commands = commandsOf(caller, update)
  if (!isOwnProfile(caller, update.userId)) {
    await requireMemberPermission(caller, 'users:write', () => getUser(database, caller, update.userId))
  }
  return retryOnUniqueViolation(() =>
    database.preparedTransaction(
      (transaction) => applyUpdate(transaction, caller, { update, commands }, context),
      context,
    ),
  )
}

/** What the request asks for, judged by itself. */
function commandsOf(caller: Caller, update: UserUpdate): FieldCommand[] {
  const { values, violations } = profileValuesOf(update.profile)
  const { pinFields, releaseFields } = update
  refuseViolations([
    ...(update.email === undefined ? [] : emailViolations('email', update.email)),
    ...violations,
    ...pinViolations({ pinFields, releaseFields, setFields: fieldsOf(update.profile) }, updatePinFields),
  ])
  return commandsOfRequest({
    writer: apiWriterOf(caller),
    values,
    pinFields: new Set(pinFields),
    releaseFields: new Set(releaseFields),
  })
}

async function applyUpdate(
  transaction: AnyTransaction,
  caller: Caller,
  { update, commands }: { update: UserUpdate; commands: readonly FieldCommand[] },
  context: WriteContext,
): Promise<MemberWrite> {
  const { organizationId } = caller
  // Before the member: that is the order of locks everywhere.
  if (update.email !== undefined) await lockEmailAddresses(transaction, [emailKeyOf(update.email)])
  const [held] = await lockMembers(transaction, organizationId, [update.userId])
  if (held === undefined) throw notFound('user', update.userId)
  const role = update.role ?? held.role
  if (role !== held.role && isOwnProfile(caller, held.userId)) {
    throw new ServiceError('OWN_ROLE', 'users cannot change their own role: leave it out, or ask another administrator')
  }
  const email = update.email !== undefined && isEmailChange(held, update.email) ? update.email : undefined
  if (email !== undefined) {
    if (update.role !== undefined || commands.length > 0) throw emailChangeNotAlone()
    await changeEmail(transaction, organizationId, held, email)
  }
  const { profile, changes } = writeProfile(held.profile, commands, context.runtime.now())
  const member: Member = { ...held, email: email ?? held.email, role, profile }
  await claimPhoneNumber(transaction, organizationId, member, held.profile.PRIMARY_PHONE.value)
  if (role !== held.role || isChanged(changes)) await updateMembers(transaction, organizationId, [member])
  const department = savedDepartment(profile, changes)
  if (department !== undefined) await addDepartmentOptions(transaction, organizationId, [department], context.runtime)

  const { userId } = held
  const events: UserEvent[] = []
  if (changes.length > 0) events.push({ action: 'user.update', userId, changes })
  if (role !== held.role) events.push({ action: 'user.update_role', userId })
  if (email !== undefined) events.push({ action: 'user.update_email', userId })
  await recordUserEvents(transaction, { organizationId, actor: actorOf(caller) }, events, context)
  return { member, skipped: skippedFields(changes) }
}

/** Any other field counts, whatever its value: to write what is held may take ownership of it. */
function emailChangeNotAlone(): ServiceError {
  return invalidField(
    'email',
    'must be the only change of a request: send the others in another one',
    'EMAIL_CHANGE_NOT_ALONE',
  )
}
