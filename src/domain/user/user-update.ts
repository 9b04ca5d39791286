import type { UserRole } from '../../../gen/prisma/enums.js'
import { refuseViolations } from '../../errors.js'
import { auditedCall } from '../audit/audit-event.js'
import type { Caller } from '../caller/caller.js'
import type { Scope } from '../caller/scope.js'
import {
  commandsOfRequest,
  type FieldCommand,
  type GovernedField,
  type SkippedFields,
  skippedFields,
} from '../profile/field-ownership.js'
import { pinViolations, updatePinFields } from '../profile/pin-request.js'
import { fieldsOf, type ProfileInput, profileValuesOf } from '../profile/profile-value.js'
import { emailViolations } from '../value/email-address.js'
import { acceptedVersionsFrom, entityTagOf, requireAcceptedVersion } from '../value/entity-tag.js'
import { holdMembers } from './hold.js'
import { planMembers } from './plan.js'
import { apiWriterOf, getUser, isOwnProfile, memberRightsOf, requireMemberPermission } from './user.js'
import { memberTransaction, writePlan } from './write.js'

/** Changes of a user; whatever is absent stays as it is. */
export interface UserUpdate {
  readonly userId: string
  readonly email: string | undefined
  readonly role: UserRole | undefined
  readonly profile: ProfileInput
  readonly pinFields: readonly GovernedField[]
  readonly releaseFields: readonly GovernedField[]
}

/** The JSON of a user after a write, and the fields that the write left alone. */
export interface UserWrite {
  readonly json: string
  readonly skipped: SkippedFields
}

/**
 * Changes a member of the caller's organization (docs/field-ownership.md). People change their own profile, but not the
 * address, without any permission; everything else needs `users:write` over the organization. Throws `FIELD_INVALID` and the reasons about
 * pins for the request, `RESOURCE_NOT_FOUND`, `PERMISSION_MISSING`, `ETAG_MISMATCH`, `OWN_ROLE`, the reasons about
 * emails in their order, and `PHONE_TAKEN`; then nothing is written.
 */
export async function updateUser(scope: Scope, update: UserUpdate): Promise<UserWrite> {
  const { caller, runtime, ifMatch } = scope
  const { userId, email, role } = update
  const commands = commandsOf(caller, update)
  const accepted = acceptedVersionsFrom(ifMatch)
  if (!isOwnProfile(caller, userId)) await requireMemberPermission(scope, 'users:write', userId)
  const writer = { ...auditedCall(scope), rights: memberRightsOf(caller), action: 'user.update' } as const
  const changes = [{ target: { userId }, commands, email, role }]
  return memberTransaction(scope.tables, async (tables) => {
    const held = await holdMembers(tables, caller.organizationId, changes, runtime)
    if (accepted !== undefined) {
      const tag = entityTagOf(await getUser({ tables, caller }, userId))
      requireAcceptedVersion(accepted, tag, { resourceType: 'user', resourceId: userId })
    }
    const plan = planMembers(writer, changes, held)
    await writePlan(tables, plan, runtime)
    const skipped = skippedFields(plan.outcomes.flatMap((outcome) => outcome.changes))
    return { json: await getUser({ tables, caller }, userId), skipped }
  })
}

/** The commands of the request, which is validated on its own. */
function commandsOf(caller: Caller, { email, profile, pinFields, releaseFields }: UserUpdate): FieldCommand[] {
  const { values, violations } = profileValuesOf(profile)
  refuseViolations([
    ...(email === undefined ? [] : emailViolations('email', email)),
    ...violations,
    ...pinViolations({ pinFields, releaseFields, setFields: fieldsOf(profile) }, updatePinFields),
  ])
  return commandsOfRequest({
    writer: apiWriterOf(caller),
    values,
    pinFields: new Set(pinFields),
    releaseFields: new Set(releaseFields),
  })
}
