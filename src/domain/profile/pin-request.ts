import type { FieldViolation } from '../../errors.js'
import type { GovernedField } from './field-ownership.js'
import { textFields } from './profile-value.js'

/**
 * The fields that `PUT /v2/users/{id}` can pin by name. Avatars cannot be pinned, and managers are pinned as
 * relationships.
 */
export const updatePinFields: ReadonlySet<GovernedField> = new Set(textFields.filter((field) => field !== 'AVATAR_URL'))

/** The fields that `POST /v2/users` can pin by name. */
export const createPinFields: ReadonlySet<GovernedField> = new Set<GovernedField>(['FIRST_NAME', 'LAST_NAME'])

/** Finds invalid pins and releases in a request (docs/field-ownership.md). */
export function pinViolations(
  request: {
    readonly profile: Readonly<Partial<Record<GovernedField, string | undefined>>>
    readonly pinFields: readonly GovernedField[]
    readonly releaseFields?: readonly GovernedField[]
  },
  allowed: ReadonlySet<GovernedField>,
): FieldViolation[] {
  const released = new Set(request.releaseFields)
  return request.pinFields.flatMap((field, index): FieldViolation[] => {
    const name = `USER_PROFILE_FIELD_${field}`
    const violation = (reason: FieldViolation['reason'], description: string) => [
      { field: `pinFields[${index}]`, description: `${name} ${description}`, reason },
    ]
    if (!allowed.has(field)) {
      const way = field === 'MANAGER' ? 'set pin on POST /v2/user-relationships' : 'omit it'
      return violation('PIN_FIELD_NOT_ALLOWED', `cannot be pinned here: ${way}`)
    }
    if (released.has(field))
      return violation('FIELD_PINNED_AND_RELEASED', 'is in both pinFields and releaseFields: name it in one of them')
    if (request.profile[field] !== undefined) return []
    return violation(
      'PIN_FIELD_NOT_SET',
      'cannot be pinned without a value: set it in the same request, or do not pin it',
    )
  })
}
