import type { UserRole } from '../../../gen/prisma/enums.js'
import type { Tables } from '../../db/tables.js'
import { type FieldViolation, invalidFields, ServiceError } from '../../errors.js'
import { batchesOf, mapInSlices } from '../../runtime/slices.js'
import { findValueHolders, readManagerChains, type ValueHolder } from '../../store/member-value.js'
import type { CallContext } from '../caller/caller.js'
import { commandsOfRequest, type FieldOwner, type GovernedField, governedFields } from '../profile/field-ownership.js'
import { pinViolations, updatePinFields } from '../profile/pin-request.js'
import { emailKeyOf } from '../value/email-address.js'
import { EMAIL_ALONE } from './account-state.js'
import { type LockedMembers, lockMembers } from './lock.js'
import { type ChangedMember, type Member, type MemberChange, type MemberWriter, newMember } from './member.js'
import { type MemberPlan, planEachMember } from './plan.js'
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
 * Plans the writes of imported users, who must be locked, by the rules of the API methods (docs/field-ownership.md) and
 * by the state after the whole import. A refused user has the error as outcome.
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

/** A user of an operator's import: the values that can conflict with those of other members. */
export interface GivenUser {
  readonly userId: string
  readonly email: string
  readonly phone: string | null
  readonly managerUserId: string | null
}

/** How many users are planned at once. */
const AT_ONCE = 1_000

/**
 * Judges the users of an operator's import, existing and new ones, by the state after the whole import, and returns the
 * fault of each, or undefined. Plans a thousand at a time. The managers must be locked.
 */
export async function judgeGivenUsers(
  transaction: Tables,
  writer: MemberWriter,
  users: readonly GivenUser[],
): Promise<(ServiceError | undefined)[]> {
  const { organizationId } = writer
  const ids = new Set(users.map(({ userId }) => userId))
  const managers = new Map<string, string | null>()
  for (const batch of batchesOf(users, AT_ONCE)) {
    const named = new Set(batch.flatMap(({ managerUserId }) => managerUserId ?? []))
    const above = await readManagerChains(transaction, organizationId, [...named])
    for (const { userId, managerUserId } of above) managers.set(userId, managerUserId)
  }
  for (const { userId, managerUserId } of users) managers.set(userId, managerUserId)
  /** Addresses and phone numbers that earlier lines give, and to whom. */
  const givenTo = new Map<string, string>()
  const holdersByLines = (kind: 'emails' | 'phones', values: readonly string[]) =>
    values.flatMap((value): ValueHolder[] => {
      const userId = givenTo.get(value)
      return userId === undefined ? [] : [{ kind, value, userId, name: '', hasUserName: false, isDeleted: false }]
    })
  const faults: (ServiceError | undefined)[] = []
  for (const batch of batchesOf(users, AT_ONCE)) {
    const emails = batch.map(({ email }) => emailKeyOf(email))
    const phones = batch.flatMap(({ phone }) => phone ?? [])
    const found = await findValueHolders(transaction, organizationId, { emails, phones })
    const existing = found.filter(({ userId }) => !ids.has(userId))
    const holders = [...existing, ...holdersByLines('emails', emails), ...holdersByLines('phones', phones)]
    const { outcomes } = await planGivenUsers(writer, batch, holders, managers)
    faults.push(...outcomes.map((outcome) => (outcome instanceof ServiceError ? outcome : undefined)))
    for (const { userId, email, phone } of batch) {
      givenTo.set(emailKeyOf(email), userId)
      if (phone !== null) givenTo.set(phone, userId)
    }
  }
  return faults
}

/** Plans that users join as given: next to the holders of their values, and under the managers of the outcome. */
function planGivenUsers(
  writer: MemberWriter,
  users: readonly GivenUser[],
  holders: readonly ValueHolder[],
  managers: ReadonlyMap<string, string | null>,
): Promise<MemberPlan<readonly (ChangedMember | ServiceError)[]>> {
  const now = writer.runtime.now()
  const chains = new Map<string, string | null>()
  const newcomers = new Map<string, Member>()
  const changes = users.map(({ userId, email, phone, managerUserId }): MemberChange => {
    for (let id: string | null = userId; id !== null && !chains.has(id) && managers.has(id); ) {
      const above: string | null = managers.get(id) ?? null
      chains.set(id, above)
      id = above
    }
    const newcomer = newMember(userId, email, now)
    newcomers.set(userId, newcomer)
    const set = (field: 'MANAGER' | 'PRIMARY_PHONE', value: string | null) =>
      ({ kind: 'set', field, value: value ?? '', as: 'AUTOMATION' }) as const
    return { target: { newcomer }, commands: [set('MANAGER', managerUserId), set('PRIMARY_PHONE', phone)] }
  })
  const holdersOf = (kind: ValueHolder['kind']) =>
    new Map(holders.filter((holder) => holder.kind === kind).map((holder) => [holder.value, holder]))
  const holderMaps = {
    emails: holdersOf('emails'),
    phones: holdersOf('phones'),
    userNames: new Map(),
    externalIds: new Map(),
  }
  const joining = { members: newcomers, newcomers: [...newcomers.values()], managers: chains }
  const locked = { now, ...holderMaps, ...joining, administrators: undefined, teamRoles: [] }
  return planEachMember(writer, changes, locked, { areTogether: true })
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
      const stored = member.profile[field]
      return values.get(field) === stored.value && owners.get(field) === stored.owner
    }),
  })
  if ('newcomer' in target) return { target, commands, role }
  return { target, commands, role, email, ...(deactivatedAt !== undefined && { active: false }) }
}

/**
 * The fields that a record asks to pin: those that it names as pinned and that automation owns. Naming the current
 * owner asks for nothing, and neither does naming automation: an import releases no field.
 */
function pinFieldsOf({ owners }: ImportedUser, { profile }: Member): GovernedField[] {
  return governedFields.filter((field) => owners.get(field) === 'PINNED' && profile[field].owner === 'AUTOMATION')
}

/** The fields that a key's import can pin: those that a key can pin by any method. */
const keyPinFields: ReadonlySet<GovernedField> = new Set([...updatePinFields, 'MANAGER'])
/** A person's import pins whatever it sets. */
const personPinFields: ReadonlySet<GovernedField> = new Set(governedFields)

/** Finds faults of a record, on its own and compared with the existing member. */
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
