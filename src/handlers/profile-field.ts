import { UserProfileField } from '../../gen/svc/v2/user_pb.js'
import { type GovernedField, governedFields, type SkippedFields } from '../domain/profile/field-ownership.js'
import type { ProfileInput } from '../domain/profile/profile-value.js'
import { type FieldViolation, invalidField, refuseViolations } from '../errors.js'

/** The most entries of a list of fields: many times what names all of them. */
const MAX_FIELDS = 1000

/**
 * The fields that a list of a request names. Throws `FIELD_INVALID` for `UNSPECIFIED`, for unknown numbers, and for more
 * than 1,000 entries.
 */
export function governedFieldsFrom(name: string, values: readonly UserProfileField[]): GovernedField[] {
  if (values.length > MAX_FIELDS) throw invalidField(name, `must have at most ${MAX_FIELDS} entries`)
  const fields: GovernedField[] = []
  const violations: FieldViolation[] = []
  for (const [index, value] of values.entries()) {
    const field = governedFields.find((known) => UserProfileField[known] === value)
    if (field !== undefined) fields.push(field)
    else {
      const description = 'must be a profile field, such as USER_PROFILE_FIELD_DEPARTMENT'
      violations.push({ field: `${name}[${index}]`, description, reason: 'FIELD_INVALID' })
    }
  }
  refuseViolations(violations)
  return fields
}

/** The two lists of what a write has left alone, as every answer has them. */
export function skippedFieldsToMessage({ pinned, directoryLocked }: SkippedFields): {
  readonly skippedPinnedFields: UserProfileField[]
  readonly skippedDirectoryLockedFields: UserProfileField[]
} {
  return {
    skippedPinnedFields: pinned.map((field) => UserProfileField[field]),
    skippedDirectoryLockedFields: directoryLocked.map((field) => UserProfileField[field]),
  }
}

/** The profile fields of a request, as the API calls them. */
export interface ProfileFields {
  readonly firstName?: string | undefined
  readonly lastName?: string | undefined
  readonly avatarUrl?: string | undefined
  readonly timezone?: string | undefined
  readonly locale?: string | undefined
  readonly department?: string | undefined
  readonly jobTitle?: string | undefined
  readonly primaryPhone?: string | undefined
}

/** The same as the domain calls them. */
export function profileInputFrom(fields: ProfileFields): ProfileInput {
  return {
    FIRST_NAME: fields.firstName,
    LAST_NAME: fields.lastName,
    AVATAR_URL: fields.avatarUrl,
    TIMEZONE: fields.timezone,
    LOCALE: fields.locale,
    DEPARTMENT: fields.department,
    JOB_TITLE: fields.jobTitle,
    PRIMARY_PHONE: fields.primaryPhone,
  }
}
