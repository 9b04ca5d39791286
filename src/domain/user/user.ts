import type { UserRole } from '../../../gen/prisma/enums.js'
import type { Tables } from '../../db/tables.js'
import { notFound, refuseViolations } from '../../errors.js'
import type { WriteContext } from '../../runtime/write-context.js'
import { printUser } from '../../store/user.js'
import { actorOf } from '../audit/audit-event.js'
import type { Caller } from '../caller/caller.js'
import { commandsOfRequest, type GovernedField } from '../profile/field-ownership.js'
import { createPinFields, pinViolations } from '../profile/pin-request.js'
import { fieldsOf, type ProfileInput, profileValuesOf } from '../profile/profile-value.js'
import { emailViolations } from '../value/email-address.js'
import { changeUser } from './change-member.js'
import type { MemberWriter } from './member-change.js'
import { apiWriterOf, memberRightsOf, requireOrganizationPermission } from './user-access.js'

/** A person to add. */
export interface NewUser {
  readonly email: string
  readonly role: UserRole
  readonly profile: ProfileInput
  readonly pinFields: readonly GovernedField[]
}

/** The JSON of one member of the caller's organization. Throws `RESOURCE_NOT_FOUND`. */
export async function getUser(
  tables: Tables,
  { organizationId }: Pick<Caller, 'organizationId'>,
  userId: string,
): Promise<string> {
  const user = await printUser(tables, { organizationId, userId })
  if (user === undefined) throw notFound('user', userId)
  return user
}

/**
 * Adds a person to the caller's organization and returns the JSON of the user; whoever has this address in another
 * organization is somebody else. Throws `FIELD_INVALID`, `PIN_FIELD_NOT_SET`, `PIN_FIELD_NOT_ALLOWED`,
 * `PERMISSION_MISSING`, `EMAIL_TAKEN` with the holder, and `PHONE_TAKEN`.
 */
export async function createUser(
  database: Tables,
  caller: Caller,
  user: NewUser,
  context: WriteContext,
): Promise<string> {
  const { email, role, profile, pinFields } = user
  const { values, violations } = profileValuesOf(profile)
  refuseViolations([
    ...emailViolations('email', email),
    ...violations,
    ...pinViolations({ pinFields, setFields: fieldsOf(profile) }, createPinFields),
  ])
  requireOrganizationPermission(caller, 'users:write')
  const commands = commandsOfRequest({ writer: apiWriterOf(caller), values, pinFields: new Set(pinFields) })
  const { organizationId } = caller
  const writer: MemberWriter = {
    organizationId,
    actor: actorOf(caller),
    rights: memberRightsOf(caller),
    action: 'user.create',
  }
  const change = { target: { email, mustJoin: true }, commands, role }
  return (await changeUser(database, writer, change, context)).json
}
