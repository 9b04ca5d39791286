import { type GovernedField, governedFields } from '../../domain/profile/field-ownership.js'
import { profileValuesOf } from '../../domain/profile/profile-value.js'
import { emailAddressFault } from '../../domain/value/email-address.js'
import { timestampOf } from '../../domain/value/timestamp.js'
import { invalidField, invalidFields } from '../../errors.js'
import { enumOf, idOf, optionalIdOf, requireDistinct } from '../field-values.js'
import type { ImportScope } from '../import-scope.js'
import type { StagedRow } from '../staged-row.js'

/** A line of the kind `user`, without what is computed. */
export interface UserRecord {
  readonly id: string
  readonly email: string
  readonly firstName: string
  readonly lastName: string
  readonly role: string
  readonly avatarUrl: string
  readonly timezone: string
  readonly locale: string
  readonly department: string
  readonly jobTitle: string
  readonly primaryPhone: string
  readonly managerUserId: string
  readonly createdAt: string
  readonly deactivatedAt?: string
  readonly fieldOwnership: readonly { readonly field: string; readonly owner: string; readonly since: string }[]
  readonly organizationId: string
  readonly teamRoles: readonly { readonly teamId: string; readonly role: string }[]
  readonly directoryManaged: boolean
  readonly managerAssignedAt?: string
}

/** The record as a row to be staged. Throws a ServiceError that names the field at fault. */
export function userRow(record: UserRecord, scope: ImportScope): StagedRow {
  const organizationId = idOf('organizationId', record.organizationId)
  const id = idOf('id', record.id)
  const managerId = optionalIdOf('managerUserId', record.managerUserId)
  if (managerId === id) throw invalidField('managerUserId', 'must not be the user', 'MANAGER_IS_SELF')
  const role = enumOf(record.role, 'USER_ROLE_')
  return {
    key: `${organizationId}/${id}`,
    values: {
      ownerId: organizationId,
      id,
      email: emailOf(record.email),
      role: role === 'UNSPECIFIED' ? 'ORG_MEMBER' : role,
      ...profileOf(record),
      timezone: timezoneOf(record.timezone, scope),
      managerUserId: managerId,
      managerAssignedAt: timestampOf('managerAssignedAt', record.managerAssignedAt),
      directoryManaged: record.directoryManaged,
      createdAt: timestampOf('createdAt', record.createdAt),
      deactivatedAt: timestampOf('deactivatedAt', record.deactivatedAt),
      ...ownershipOf(record),
      teamRoles: teamRolesOf(record),
    },
  }
}

function emailOf(email: string): string {
  if (email === '') throw invalidField('email', 'is required', 'FIELD_REQUIRED')
  const fault = emailAddressFault(email)
  if (fault !== undefined) throw invalidField('email', fault)
  return email
}

function timezoneOf(text: string, scope: ImportScope): string {
  const timezone = text === '' ? '' : scope.timezoneFromText(text)
  if (timezone !== undefined) return timezone
  throw invalidField('timezone', 'must be the IANA name of a time zone, such as Europe/Paris')
}

function profileOf(record: UserRecord): Record<string, unknown> {
  const { values, violations } = profileValuesOf({
    FIRST_NAME: record.firstName,
    LAST_NAME: record.lastName,
    AVATAR_URL: record.avatarUrl,
    LOCALE: record.locale,
    DEPARTMENT: record.department,
    JOB_TITLE: record.jobTitle,
    PRIMARY_PHONE: record.primaryPhone,
  })
  const [violation] = violations
  if (violation !== undefined) throw invalidFields([violation])
  const properties = Object.fromEntries([...values].map(([field, value]) => [propertyOf(field), value]))
  return { ...properties, primaryPhone: values.get('PRIMARY_PHONE') || null }
}

function ownershipOf(record: UserRecord): Record<string, unknown> {
  requireDistinct(
    record.fieldOwnership.map(({ field }) => field),
    (index) => `fieldOwnership[${index}].field`,
  )
  const properties: Record<string, unknown> = {}
  for (const field of governedFields) properties[`${propertyOf(field)}Owner`] = 'AUTOMATION'
  for (const [index, { field: name, owner: ownerName, since }] of record.fieldOwnership.entries()) {
    const field = enumOf(name, 'USER_PROFILE_FIELD_')
    const owner = enumOf(ownerName, 'FIELD_OWNER_')
    if (!isGovernedField(field)) throw invalidField(`fieldOwnership[${index}].field`, 'must name a field')
    if (owner === 'UNSPECIFIED') throw invalidField(`fieldOwnership[${index}].owner`, 'must name an owner')
    properties[`${propertyOf(field)}Owner`] = owner
    properties[`${propertyOf(field)}OwnedSince`] = timestampOf(`fieldOwnership[${index}].since`, since)
  }
  return properties
}

/** `firstName` for `FIRST_NAME`. */
function propertyOf(field: GovernedField): string {
  return field.toLowerCase().replace(/_([a-z])/g, (_, first: string) => first.toUpperCase())
}

function isGovernedField(name: string): name is GovernedField {
  return governedFields.some((field) => field === name)
}

function teamRolesOf(record: UserRecord) {
  requireDistinct(
    record.teamRoles.map(({ teamId }) => teamId),
    (index) => `teamRoles[${index}].teamId`,
  )
  return record.teamRoles.map(({ teamId, role: roleName }, index) => {
    const role = enumOf(roleName, 'TEAM_USER_ROLE_')
    if (role === 'UNSPECIFIED') throw invalidField(`teamRoles[${index}].role`, 'is required', 'FIELD_REQUIRED')
    return { teamId: idOf(`teamRoles[${index}].teamId`, teamId), role }
  })
}
