import type { Prisma } from '../../../gen/prisma/client.js'
import type { FieldOwner } from '../../../gen/prisma/enums.js'
import type { MembershipModel } from '../../../gen/prisma/models.js'

/** The fields that have an owner, in the order of the API. */
export const governedFields = [
  'firstName',
  'lastName',
  'avatarUrl',
  'timezone',
  'locale',
  'department',
  'jobTitle',
  'manager',
  'primaryPhone',
] as const

/** One of them. */
export type GovernedField = (typeof governedFields)[number]

/** The name of a field in the API. */
export function fieldName(field: GovernedField): string {
  return `USER_PROFILE_FIELD_${field.replaceAll(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`
}

/** A field by its name in the API; undefined if it is none. */
export function fieldOfName(name: string): GovernedField | undefined {
  return governedFields.find((field) => fieldName(field) === name)
}

/** Values, owners and times of a member's fields; what is absent has the default of its column. */
export type Profile = Partial<
  Pick<
    MembershipModel,
    | Exclude<GovernedField, 'manager'>
    | 'managerUserId'
    | 'managerAssignedAt'
    | `${GovernedField}Owner`
    | `${GovernedField}OwnedSince`
  >
>

/** Fields to write, by whom, and which of them to pin or to release. */
export interface ProfileWrite {
  readonly isPerson: boolean
  readonly values: ReadonlyMap<GovernedField, string>
  readonly pins?: ReadonlySet<GovernedField>
  readonly releases?: ReadonlySet<GovernedField>
  /** Whether all is pinned; absent: a person pins, others pin what `pins` names. */
  readonly pin?: boolean | undefined
}

/** What a write does to one field. */
interface Decision {
  readonly field: GovernedField
  readonly outcome: string
  readonly value: string
  readonly oldOwner: FieldOwner
  readonly newOwner: FieldOwner
}

/** The columns that a write changes, the audit log's entry for each field, and the skipped fields. */
export interface DecidedWrite {
  readonly data: Profile
  readonly changes: Prisma.InputJsonValue
  readonly skippedPinnedFields: readonly string[]
  readonly skippedDirectoryLockedFields: readonly string[]
}

/** Decides a write by the rule of ownership: first what is released, then each value. */
export function decideWrite(profile: Profile, write: ProfileWrite, now: Date): DecidedWrite {
  const decisions = [
    ...governedFields.filter((field) => write.releases?.has(field)).flatMap((field) => release(profile, field)),
    ...governedFields.flatMap((field) => {
      const value = write.values.get(field)
      return value === undefined ? [] : [decideValue(profile, field, value, write)]
    }),
  ]
  const skipped = (outcome: string) =>
    decisions.filter((decision) => decision.outcome === outcome).map(({ field }) => fieldName(field))
  return {
    data: Object.assign({}, ...decisions.map((decision) => columnsOf(profile, decision, now))),
    changes: decisions.map(({ field, outcome, oldOwner, newOwner }) => ({
      field: fieldName(field),
      outcome: `FIELD_WRITE_OUTCOME_${outcome}`,
      oldOwner: `FIELD_OWNER_${oldOwner}`,
      newOwner: `FIELD_OWNER_${newOwner}`,
    })),
    skippedPinnedFields: skipped('SKIPPED_PINNED'),
    skippedDirectoryLockedFields: skipped('SKIPPED_DIRECTORY_LOCKED'),
  }
}

function release(profile: Profile, field: GovernedField): Decision[] {
  const oldOwner = ownerOf(profile, field)
  const current = { field, value: currentValue(profile, field), oldOwner }
  if (oldOwner === 'DIRECTORY') return [{ ...current, outcome: 'SKIPPED_DIRECTORY_LOCKED', newOwner: oldOwner }]
  return oldOwner === 'PINNED' ? [{ ...current, outcome: 'RELEASED', newOwner: 'AUTOMATION' }] : []
}

function decideValue(
  profile: Profile,
  field: GovernedField,
  value: string,
  { isPerson, pins, releases, pin }: ProfileWrite,
): Decision {
  const currentOwner = ownerOf(profile, field)
  const oldOwner = currentOwner === 'PINNED' && releases?.has(field) === true ? 'AUTOMATION' : currentOwner
  const current = currentValue(profile, field)
  const isEqual = value === current
  const isPinning = pin ?? (isPerson || pins?.has(field) === true)
  const kept = { field, value: current, oldOwner, newOwner: oldOwner }
  if (oldOwner === 'DIRECTORY') return { ...kept, outcome: 'SKIPPED_DIRECTORY_LOCKED' }
  if (isPinning && !(isEqual && oldOwner === 'PINNED')) {
    return { field, value, oldOwner, newOwner: 'PINNED', outcome: 'PINNED' }
  }
  if (isEqual) return { ...kept, outcome: 'UNCHANGED' }
  if (oldOwner === 'PINNED' && !isPerson && !isPinning) return { ...kept, outcome: 'SKIPPED_PINNED' }
  return { ...kept, value, outcome: 'WRITTEN' }
}

function ownerOf(profile: Profile, field: GovernedField): FieldOwner {
  return profile[`${field}Owner`] ?? 'AUTOMATION'
}

function currentValue(profile: Profile, field: GovernedField): string {
  return (field === 'manager' ? profile.managerUserId : profile[field]) ?? ''
}

function columnsOf(profile: Profile, { field, value, newOwner }: Decision, now: Date): Profile {
  return {
    ...(value !== currentValue(profile, field) && valueColumns(field, value, now)),
    ...(newOwner !== ownerOf(profile, field) && {
      [`${field}Owner`]: newOwner,
      [`${field}OwnedSince`]: now,
    }),
  }
}

function valueColumns(field: GovernedField, value: string, now: Date): Profile {
  if (field === 'manager') return { managerUserId: value || null, managerAssignedAt: value === '' ? null : now }
  return field === 'primaryPhone' ? { primaryPhone: value || null } : { [field]: value }
}

/** A member with the person's address, as the API prints it. */
export function userJson(member: MembershipModel, email: string) {
  return {
    id: member.userId,
    email,
    firstName: member.firstName,
    lastName: member.lastName,
    name: `${member.firstName} ${member.lastName}`.trim(),
    role: `USER_ROLE_${member.role}`,
    avatarUrl: member.avatarUrl,
    timezone: member.timezone,
    locale: member.locale,
    department: member.department,
    jobTitle: member.jobTitle,
    primaryPhone: member.primaryPhone ?? '',
    managerUserId: member.managerUserId ?? '',
    createdAt: member.createdAt,
    deactivatedAt: member.deactivatedAt ?? undefined,
    fieldOwnership: governedFields.map((field) => ({
      field: fieldName(field),
      owner: `FIELD_OWNER_${member[`${field}Owner`]}`,
      since: member[`${field}OwnedSince`],
    })),
  }
}
