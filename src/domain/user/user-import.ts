import type { UserRole } from '../../../gen/prisma/enums.js'
import type { Tables } from '../../db/tables.js'
import { type FieldViolation, invalidFields, type ServiceError } from '../../errors.js'
import { mapInSlices } from '../../runtime/slices.js'
import { findValueHolders, readManagerChains } from '../../store/member-value.js'
import type { CallContext } from '../caller/caller.js'
import { commandsOfRequest, type FieldOwner, type GovernedField, governedFields } from '../profile/field-ownership.js'
import { pinViolations, updatePinFields } from '../profile/pin-request.js'
import { emailKeyOf } from '../value/email-address.js'
import { EMAIL_ALONE, type EmailHolder, emailTaken } from './account-state.js'
import { type LockedMembers, lockMembers, valueFault } from './lock.js'
import { type ChangedMember, type Member, type MemberChange, newMember } from './member.js'
import { type MemberPlan, planEachMember } from './plan.js'
import { apiWriterOf, memberWriterOf } from './user.js'
import { otherHolder } from './value-holders.js'

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
): Promise<MemberPlan<readonly (ChangedMember | ServiceError)[]>> {
  const newcomerIds = new Set(locked.newcomers.map(({ userId }) => userId))
  const changes = await mapInSlices(users, (user): MemberChange | ServiceError => {
    const { userId } = user
    const member = locked.members.get(userId)
    if (member === undefined) throw new Error('a user of the import is not locked')
    const [first, ...others] = violationsOf(context, user, member, newcomerIds.has(userId))
    if (first !== undefined) return invalidFields([first, ...others])
    return changeOf(context, user, member, newcomerIds.has(userId) ? { newcomer: member } : { userId })
  })
  return planEachMember(importWriterOf(context), changes, locked, { areTogether: true })
}

/** A user as an operator gives it: what not everybody can have. */
export interface GivenUser {
  readonly userId: string
  readonly email: string
  readonly phone: string | null
  /** Undefined if it stays as it is. */
  readonly managerUserId: string | null | undefined
}

/** How many values go into one query. */
const AT_ONCE = 1_000

/**
 * Why users of an organization, some of them new, cannot have what an operator gives them, by what all of them will be:
 * the rules of every writer, but of so many users nothing else is planned. The managers must be locked.
 */
export async function judgeGivenUsers(
  transaction: Tables,
  organizationId: string,
  users: readonly GivenUser[],
): Promise<(ServiceError | undefined)[]> {
  const ids = new Set(users.map(({ userId }) => userId))
  const holders = { emails: new Map<string, EmailHolder>(), phones: new Map<string, Pick<EmailHolder, 'userId'>>() }
  const managers = new Map<string, string | null>()
  for (let start = 0; start < users.length; start += AT_ONCE) {
    const batch = users.slice(start, start + AT_ONCE)
    const emails = batch.map(({ email }) => emailKeyOf(email))
    const phones = batch.flatMap(({ phone }) => phone ?? [])
    for (const { kind, value, userId, name } of await findValueHolders(transaction, organizationId, {
      emails,
      phones,
    })) {
      if (!ids.has(userId)) holders[kind === 'phones' ? 'phones' : 'emails'].set(value, { userId, name })
    }
    const managerIds = new Set(batch.flatMap(({ managerUserId }) => managerUserId ?? []))
    const above = await readManagerChains(transaction, organizationId, [...managerIds])
    for (const { userId, managerUserId } of above) managers.set(userId, managerUserId)
  }
  for (const { userId, managerUserId } of users) if (managerUserId !== undefined) managers.set(userId, managerUserId)
  const facts = { managers, phones: holders.phones }
  return mapInSlices(users, ({ userId, email, phone, managerUserId }) => {
    const holder = otherHolder(holders.emails, emailKeyOf(email), userId)
    const fault =
      (holder && emailTaken(holder)) ??
      valueFault(facts, userId, 'MANAGER', managerUserId ?? '') ??
      valueFault(facts, userId, 'PRIMARY_PHONE', phone ?? '')
    holders.emails.set(emailKeyOf(email), { userId, name: '' })
    if (phone !== null) holders.phones.set(phone, { userId })
    return fault
  })
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
