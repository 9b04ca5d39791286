import type { UserRole } from '../../../gen/prisma/enums.js'
import { mapInSlices } from '../../db/slices.js'
import type { Tables } from '../../db/tables.js'
import { type FieldViolation, invalidFields, type ServiceError } from '../../errors.js'
import type { CallContext } from '../caller/caller.js'
import { commandsOfRequest, type FieldOwner, type GovernedField, governedFields } from '../profile/field-ownership.js'
import { pinViolations, updatePinFields } from '../profile/pin-request.js'
import { emailKeyOf } from '../value/email-address.js'
import { EMAIL_ALONE } from './account-state.js'
import { type LockedMembers, lockMembers } from './lock.js'
import { type ChangedMember, type Member, type MemberChange, newMember } from './member.js'
import { type MemberPlan, planTogether } from './plan.js'
import { apiWriterOf, memberWriterOf } from './user.js'

/** A user as a record of an import gives it; whatever is absent stays as it is. */
export interface ImportedUser {
  readonly userId: string
  readonly email: string
  readonly role: UserRole | undefined
  /** In canonical form; an empty one clears the field. */
  readonly values: ReadonlyMap<GovernedField, string>
  /** The owners that the record names. */
  readonly owners: ReadonlyMap<GovernedField, FieldOwner>
  /** Of a user who is not a member yet. */
  readonly createdAt: Date | undefined
  readonly deactivatedAt: Date | undefined
  readonly directoryManaged: boolean
  readonly hasTeamRoles: boolean
}

/** The writer of members for an import. */
export function importWriterOf(context: CallContext) {
  return memberWriterOf(context, 'user.import')
}

/** Locks the users of an import until the transaction ends; `memberIds` are those of them who are members. */
export async function lockImportedUsers(
  transaction: Tables,
  context: CallContext,
  users: readonly ImportedUser[],
  memberIds: ReadonlySet<string>,
): Promise<LockedMembers> {
  const now = context.runtime.now()
  const changes = await mapInSlices(users, (user) => {
    const newcomer = newcomerOf(user, now)
    return changeOf(context, user, newcomer, memberIds.has(user.userId) ? { userId: user.userId } : { newcomer })
  })
  return lockMembers(transaction, importWriterOf(context), changes)
}

/**
 * Decides what becomes of users whom an import gives, who are locked, by the rules of the methods that write them
 * (docs/field-ownership.md), and judged by what all of them will be. The outcome of a user who is refused is the error.
 */
export async function planImportedUsers(
  context: CallContext,
  users: readonly ImportedUser[],
  locked: LockedMembers,
): Promise<MemberPlan<ChangedMember | ServiceError>> {
  const newcomerIds = new Set(locked.newcomers.map(({ userId }) => userId))
  const changes = await mapInSlices(users, (user): MemberChange | ServiceError => {
    const { userId } = user
    const member = locked.members.get(userId)
    if (member === undefined) throw new Error('a user of the import is not locked')
    const [first, ...others] = violationsOf(context, user, member, newcomerIds.has(userId))
    if (first !== undefined) return invalidFields([first, ...others])
    return changeOf(context, user, member, newcomerIds.has(userId) ? { newcomer: member } : { userId })
  })
  return planTogether(importWriterOf(context), changes, locked)
}

function newcomerOf({ userId, email, createdAt, deactivatedAt }: ImportedUser, now: Date): Member {
  return { ...newMember(userId, email, createdAt ?? now), updatedAt: now, deactivatedAt: deactivatedAt ?? null }
}

/** The change of a member, or of the newcomer, that a record asks for. */
function changeOf(
  { caller }: CallContext,
  user: ImportedUser,
  member: Member,
  target: MemberChange['target'],
): MemberChange {
  const { email, role, values, owners, deactivatedAt } = user
  const commands = commandsOfRequest({
    writer: apiWriterOf(caller),
    values,
    pinFields: pinFieldsOf(user, member),
    repeatedFields: governedFields.filter((field) => {
      const held = member.profile[field]
      return values.get(field) === held.value && owners.get(field) === held.owner
    }),
  })
  if ('newcomer' in target) return { target, commands, role }
  return { target, commands, role, email, ...(deactivatedAt !== undefined && { active: false }) }
}

/**
 * The fields that a record asks to pin: those of automation's that it names as pinned. An owner that the field has asks
 * for nothing, and nor does automation: an import releases no field.
 */
function pinFieldsOf({ owners }: ImportedUser, { profile }: Member): GovernedField[] {
  return governedFields.filter((field) => owners.get(field) === 'PINNED' && profile[field].owner === 'AUTOMATION')
}

/** The fields that a key's import can pin: those that a key can pin by any method. */
const keyPinFields: ReadonlySet<GovernedField> = new Set([...updatePinFields, 'MANAGER'])
/** A person's import pins whatever it sets. */
const personPinFields: ReadonlySet<GovernedField> = new Set(governedFields)

/** What is wrong with a record by itself, and beside the member. */
function violationsOf({ caller }: CallContext, user: ImportedUser, member: Member, isNew: boolean): FieldViolation[] {
  const { values, owners, email } = user
  const allowed = apiWriterOf(caller) === 'person' ? personPinFields : keyPinFields
  const pins = pinViolations({ profile: Object.fromEntries(values), pinFields: pinFieldsOf(user, member) }, allowed)
  const violations = pins.map((pin): FieldViolation => ({ ...pin, field: 'fieldOwnership' }))
  const locked = governedFields.filter((field) => {
    return owners.get(field) === 'DIRECTORY' && member.profile[field].owner !== 'DIRECTORY'
  })
  const refuse = (field: string, description: string, reason: FieldViolation['reason'] = 'FIELD_INVALID') =>
    violations.push({ field, description, reason })
  if (locked.length > 0) refuse('fieldOwnership', `only the directory locks ${locked.join(', ')}`)
  if (user.directoryManaged && !member.directoryManaged) refuse('directoryManaged', 'is set by the directory alone')
  const isMoved = !isNew && emailKeyOf(email) !== emailKeyOf(member.email)
  if (isMoved && user.hasTeamRoles) refuse('email', EMAIL_ALONE, 'EMAIL_CHANGE_NOT_ALONE')
  return violations
}
