import type { FieldViolation } from '../../errors.js'
import { phoneNumberFromText } from '../value/phone-number.js'
import { optionalNameLimits, textViolations } from '../value/text-field.js'
import { timezoneFromText } from '../value/timezone.js'
import { type GovernedField, governedFields } from './field-ownership.js'

/** The governed fields that requests carry as text; the manager is a person. */
export type TextField = Exclude<GovernedField, 'MANAGER'>

/** Those fields, in enum order. */
export const textFields: readonly TextField[] = governedFields.filter((field) => field !== 'MANAGER')

/** How requests and answers call the governed fields. */
export const fieldNames: Readonly<Record<GovernedField, string>> = {
  FIRST_NAME: 'firstName',
  LAST_NAME: 'lastName',
  AVATAR_URL: 'avatarUrl',
  TIMEZONE: 'timezone',
  LOCALE: 'locale',
  DEPARTMENT: 'department',
  JOB_TITLE: 'jobTitle',
  MANAGER: 'managerUserId',
  PRIMARY_PHONE: 'primaryPhone',
}

/** Values as a caller gives them: absent is not given, empty clears. */
export type ProfileInput = Readonly<Partial<Record<TextField, string | undefined>>>

/** Values in the form in which they are kept, and what is wrong with the others. */
export interface ProfileValues {
  readonly values: Map<GovernedField, string>
  readonly violations: FieldViolation[]
}

/** The fields that the input gives, whatever their values. */
export function fieldsOf(input: ProfileInput): ReadonlySet<GovernedField> {
  return new Set(textFields.filter((field) => input[field] !== undefined))
}

const MAX_URL_LENGTH = 2048
const MAX_LOCALE_LENGTH = 255

/**
 * Brings values into canonical form (docs/field-ownership.md). `path` precedes the names of fields, as in
 * `profiles[3].`.
 */
export function profileValuesOf(input: ProfileInput, path = ''): ProfileValues {
  const values = new Map<GovernedField, string>()
  const violations: FieldViolation[] = []
  for (const field of textFields) {
    const text = input[field]
    if (text === undefined) continue
    const name = `${path}${fieldNames[field]}`
    const faults = textViolations(name, text, field === 'AVATAR_URL' ? { max: MAX_URL_LENGTH } : optionalNameLimits)
    const value = text === '' ? '' : faults.length === 0 ? canonicalForms[field](text) : undefined
    if (value !== undefined) values.set(field, value)
    else if (faults.length > 0) violations.push(...faults)
    else violations.push({ field: name, description: expectations[field], reason: 'FIELD_INVALID' })
  }
  return { values, violations }
}

const asGiven = (text: string) => text

const canonicalForms: Readonly<Record<TextField, (text: string) => string | undefined>> = {
  FIRST_NAME: asGiven,
  LAST_NAME: asGiven,
  AVATAR_URL: httpsUrlFromText,
  TIMEZONE: timezoneFromText,
  LOCALE: localeFromText,
  DEPARTMENT: asGiven,
  JOB_TITLE: asGiven,
  PRIMARY_PHONE: phoneNumberFromText,
}

const expectations: Readonly<Record<TextField, string>> = {
  FIRST_NAME: 'must be text',
  LAST_NAME: 'must be text',
  AVATAR_URL: 'must be an https URL without credentials',
  TIMEZONE: 'must be the IANA name of a time zone, such as Europe/Paris',
  LOCALE: 'must be a language tag (BCP 47), such as en-GB',
  DEPARTMENT: 'must be text',
  JOB_TITLE: 'must be text',
  PRIMARY_PHONE: 'must be a phone number in international form, such as +14155552671',
}

/** The URL in the form of the URL standard; nothing where it is not https, or carries credentials. */
function httpsUrlFromText(text: string): string | undefined {
  // The parser would drop white space.
  if (/\s/.test(text) || !/^https:\/\//i.test(text) || !URL.canParse(text)) return undefined
  const url = new URL(text)
  const hasCredentials = url.username !== '' || url.password !== ''
  return hasCredentials || url.href.length > MAX_URL_LENGTH ? undefined : url.href
}

/** The language tag in canonical form (RFC 5646 section 4.5); nothing where it is not well-formed. */
function localeFromText(text: string): string | undefined {
  if (text.length > MAX_LOCALE_LENGTH) return undefined
  try {
    return Intl.getCanonicalLocales(text)[0]
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}
