import { invalidField, invalidFields } from '../../errors.js'
import { emailAddressFault } from '../email-address.js'
import { type GovernedField, governedFields } from '../field-ownership.js'
import { profileValuesOf } from '../profile-value.js'
import { timestampOf } from '../timestamp.js'
import { enumOf, idOf, optionalIdOf, requireDistinct } from './field-values.js'
import type { ImportScope } from './import-scope.js'
import type { StagedRow, TransferResource } from './transfer-resource.js'
import { addDepartmentOptions, lockStagedManagers, userStatements } from './user-statements.js'

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

function rowOf(record: UserRecord, scope: ImportScope): StagedRow {
  const organizationId = idOf('organizationId', record.organizationId)
  const id = idOf('id', record.id)
  const managerId = optionalIdOf('managerUserId', record.managerUserId)
  if (managerId === id) throw invalidField('managerUserId', 'must not be the user', 'MANAGER_IS_SELF')
  const role = enumOf(record.role, 'USER_ROLE_')
  return {
    key: `${organizationId}/${id}`,
    values: {
      owner_id: organizationId,
      id,
      email: emailOf(record.email),
      role: role === 'UNSPECIFIED' ? 'ORG_MEMBER' : role,
      ...profileOf(record),
      timezone: timezoneOf(record.timezone, scope),
      manager_user_id: managerId,
      manager_assigned_at: timestampOf('managerAssignedAt', record.managerAssignedAt),
      directory_managed: record.directoryManaged,
      created_at: timestampOf('createdAt', record.createdAt),
      deactivated_at: timestampOf('deactivatedAt', record.deactivatedAt),
      ...ownershipOf(record),
      team_roles: teamRolesOf(record),
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
  const columns = Object.fromEntries([...values].map(([field, value]) => [field.toLowerCase(), value]))
  return { ...columns, primary_phone: values.get('PRIMARY_PHONE') || null }
}

function ownershipOf(record: UserRecord): Record<string, unknown> {
  requireDistinct(
    record.fieldOwnership.map(({ field }) => field),
    (index) => `fieldOwnership[${index}].field`,
  )
  const columns: Record<string, unknown> = {}
  for (const field of governedFields) columns[`${field.toLowerCase()}_owner`] = 'AUTOMATION'
  for (const [index, { field: name, owner: ownerName, since }] of record.fieldOwnership.entries()) {
    const field = enumOf(name, 'USER_PROFILE_FIELD_')
    const owner = enumOf(ownerName, 'FIELD_OWNER_')
    if (!isGovernedField(field)) throw invalidField(`fieldOwnership[${index}].field`, 'must name a field')
    if (owner === 'UNSPECIFIED') throw invalidField(`fieldOwnership[${index}].owner`, 'must name an owner')
    columns[`${field.toLowerCase()}_owner`] = owner
    columns[`${field.toLowerCase()}_owned_since`] = timestampOf(`fieldOwnership[${index}].since`, since)
  }
  return columns
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
    return { team_id: idOf(`teamRoles[${index}].teamId`, teamId), role }
  })
}

const ownershipColumns = governedFields.flatMap((field) => {
  const name = field.toLowerCase()
  return [
    [`${name}_owner`, 'field_owner'],
    [`${name}_owned_since`, 'timestamptz'],
  ] as const
})

/** People and their memberships in files. */
export const userTransfer: TransferResource<UserRecord> = {
  staged: 'staged_user',
  rowOf,
  columns: {
    owner_id: 'text',
    id: 'text',
    email: 'text',
    role: 'user_role',
    first_name: 'text',
    last_name: 'text',
    avatar_url: 'text',
    timezone: 'text',
    locale: 'text',
    department: 'text',
    job_title: 'text',
    primary_phone: 'text',
    manager_user_id: 'text',
    manager_assigned_at: 'timestamptz',
    directory_managed: 'boolean',
    created_at: 'timestamptz',
    deactivated_at: 'timestamptz',
    ...Object.fromEntries(ownershipColumns),
    team_roles: 'jsonb',
  },
  owner: {
    table: 'organizations',
    column: 'owner_id',
    field: 'organizationId',
    gives: { organization_id: 'owner.id' },
  },
  ...userStatements,
  prepare: lockStagedManagers,
  finish: addDepartmentOptions,
}
