import type { FieldViolation } from '../../errors.js'

/** What a text may be. Lengths count Unicode code points. */
export interface TextLimits {
  readonly min?: number
  readonly max: number
  /** Whether line breaks and tabs are allowed. */
  readonly multiline?: boolean
}

/** Limits of names, titles and the like. */
export const nameLimits: TextLimits = { min: 1, max: 255 }

/** Limits of names and the like that may be empty. */
export const optionalNameLimits: TextLimits = { max: 255 }

/** Limits of descriptions. */
export const descriptionLimits: TextLimits = { max: 10_000, multiline: true }

const controlCharacter = /\p{Cc}/u
const controlCharacterExceptLayout = /[^\P{Cc}\t\n\r]/u

/** What is wrong with a text; nothing where it is absent or fits. */
export function textViolations(field: string, value: string | undefined, limits: TextLimits): FieldViolation[] {
  if (value === undefined) return []
  const fault = textFault(value, limits)
  return fault === undefined ? [] : [{ field, description: fault, reason: 'FIELD_INVALID' }]
}

/** What is wrong with a text that a request has to carry; empty is absent. */
export function requiredViolations(field: string, value: string): FieldViolation[] {
  return value === '' ? [{ field, description: 'is required', reason: 'FIELD_REQUIRED' }] : []
}

function textFault(value: string, { min = 0, max, multiline = false }: TextLimits): string | undefined {
  // A code point takes two units at most: what is far too long is not counted.
  const length = value.length <= max || value.length > 2 * max ? value.length : Array.from(value).length
  if (length < min) return min === 1 ? 'must not be empty' : `must have at least ${min} characters`
  if (length > max) return `must have at most ${max} characters`
  if (multiline && controlCharacterExceptLayout.test(value)) {
    return 'must not have control characters other than tabs and line breaks'
  }
  if (!multiline && controlCharacter.test(value)) {
    return 'must not have control characters, tabs and line breaks among them'
  }
  if (!value.isWellFormed()) return 'must be well-formed Unicode: send no half of a surrogate pair'
  return undefined
}

/** The form of ids that come in from outside: 1 to 128 characters (docs/http.md). */
export const idFormat = /^[A-Za-z0-9_.~:-]{1,128}$/

/** The form of short handles: 1 to 64 of the characters of an id. */
export const scopedIdFormat = /^[A-Za-z0-9_.~:-]{1,64}$/
