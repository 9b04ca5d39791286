import { databaseFailure } from '../../db/errors.js'
import { type ErrorReason, type FieldViolation, ServiceError } from '../../errors.js'
import { type UniqueValue, uniqueValueOf } from '../../store/unique-value.js'

const reasons: Readonly<Record<UniqueValue, readonly [ErrorReason, string]>> = {
  'external id of resource': [
    'EXTERNAL_ID_TAKEN',
    'another resource of the same app instance and type already has this external id: choose another one',
  ],
  'short handle of resource': [
    'SCOPED_ID_TAKEN',
    'another resource of the team already has this short handle: choose another one',
  ],
  'short handle of priority': [
    'SCOPED_ID_TAKEN',
    'another priority of the team already has this short handle: choose another one',
  ],
  'email address of member': [
    'EMAIL_TAKEN',
    'a member of the organization already has this email address: choose another one, or update that member',
  ],
  'phone number of member': [
    'PHONE_TAKEN',
    "another member of the organization already has this phone number: choose another one, or change that member's number first",
  ],
  'external id of member': [
    'EXTERNAL_ID_TAKEN',
    'another member of the organization already has this externalId: send another one, or update that member',
  ],
  'user name of member': [
    'EMAIL_TAKEN',
    'another member of the organization already has this userName: send another one, or update that member',
  ],
  'external id of group': [
    'EXTERNAL_ID_TAKEN',
    'another group of the organization already has this externalId: send another one, or update that group',
  ],
}

/** The value that a failed write wanted but another row has; undefined if it failed for another reason. */
export function takenValueOf(error: unknown): UniqueValue | undefined {
  const failure = databaseFailure(error)
  return failure?.kind === 'unique_violation' ? uniqueValueOf(failure.constraint) : undefined
}

export function takenValueText(value: UniqueValue): readonly [ErrorReason, string] {
  return reasons[value]
}

export function takenValueError(value: UniqueValue, cause?: unknown): ServiceError {
  const [reason, message] = reasons[value]
  return new ServiceError(reason, message, { cause })
}

/** For each entry of a list in a request, its fault if an earlier entry has the same value in a field. */
export function repeats(
  list: string,
  field: string,
  values: readonly (string | undefined)[],
  advice: string,
): FieldViolation[][] {
  const firstIndexes = new Map<string, number>()
  return values.map((value, index) => {
    if (value === undefined) return []
    const first = firstIndexes.get(value)
    if (first === undefined) {
      firstIndexes.set(value, index)
      return []
    }
    const description = `repeats ${list}[${first}].${field}: ${advice}`
    return [{ field: `${list}[${index}].${field}`, description, reason: 'DUPLICATE_ID' }]
  })
}
