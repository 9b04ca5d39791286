// The smallest metadata has calling codes and possible lengths, which is all that is checked here. Ranges of numbers
// are not checked: operators open new ones before any library knows them, and refusing a real number is the worse
// mistake.
import { parsePhoneNumberFromString } from 'libphonenumber-js/min'
import { MAX_URL_LENGTH } from '../../limits/known-limits.js'
import { perOwnedField } from '../../store/owned-column.js'
import { emailViolations } from '../value/email-address.js'
import { timezoneFromText } from '../value/timezone.js'
import { type GovernedField, governedFields } from './field-ownership.js'

/** The governed fields that requests give as text; the manager is a person. */
export type TextField = Exclude<GovernedField, 'MANAGER'>

export const textFields: readonly TextField[] = governedFields.filter((field) => field !== 'MANAGER')

/** The names of the governed fields in requests and answers. */
export const fieldNames = perOwnedField(({ value }) => value)

/** Values as a caller gives them: absent means not given, empty clears the field. */
export type ProfileInput = Readonly<Partial<Record<TextField, string | undefined>>>

/** Profile values by the field names of requests and answers. */
export type NamedProfile = Readonly<Partial<Record<(typeof fieldNames)[TextField], string | undefined>>>

/** The values of a profile as the API names them. */
export function profileInputFrom(profile: NamedProfile): ProfileInput {
  return Object.fromEntries(textFields.map((field) => [field, profile[fieldNames[field]]]))
}

/** What values of a field must be, and their stored form; undefined for text that is not a valid value. */
interface ValueForm {
  readonly expectation: string
  readonly canonical: (text: string) => string | undefined
}

const asGiven: ValueForm = { expectation: 'must be text', canonical: (text) => text }

const forms: Readonly<Partial<Record<TextField, ValueForm>>> = {
  AVATAR_URL: { expectation: 'must be an https URL without credentials', canonical: httpsUrlFromText },
  TIMEZONE: {
    expectation: 'must be the IANA name of a time zone, such as Europe/Paris',
    canonical: timezoneFromText,
  },
  LOCALE: { expectation: 'must be a language tag (BCP 47), such as en-GB', canonical: localeFromText },
  DEPARTMENT: { expectation: 'must be text', canonical: (text) => text.normalize('NFC').trim() },
  PRIMARY_PHONE: {
    expectation: 'must be a phone number in international form, such as +14155552671',
    canonical: phoneNumberFromText,
  },
}

/**
 * Converts values, which are within the limits of the schema, to canonical form (docs/field-ownership.md), and checks
 * the email address, if there is one. Returns the valid values, and the violations of the others. `path` precedes the
 * names of fields, as in `profiles[3].`.
 */
export function profileValuesOf(
  { email, ...input }: ProfileInput & { readonly email?: string | undefined },
  path = '',
) {
  const values = new Map<GovernedField, string>()
  const violations = email === undefined ? [] : emailViolations(`${path}email`, email)
  for (const field of textFields) {
    const text = input[field]
    if (text === undefined) continue
    const form = text === '' ? asGiven : (forms[field] ?? asGiven)
    const value = form.canonical(text)
    if (value !== undefined) values.set(field, value)
    else
      violations.push({ field: `${path}${fieldNames[field]}`, description: form.expectation, reason: 'FIELD_INVALID' })
  }
  return { values, violations }
}

/** The URL in the form of the URL standard; undefined if it is not https or contains credentials. */
function httpsUrlFromText(text: string): string | undefined {
  // The parser would silently drop white space.
  if (/\s/.test(text) || !/^https:\/\//i.test(text) || !URL.canParse(text)) return undefined
  const url = new URL(text)
  const hasCredentials = url.username !== '' || url.password !== ''
  return hasCredentials || url.href.length > MAX_URL_LENGTH ? undefined : url.href
}

/** The language tag in canonical form (RFC 5646 section 4.5); undefined if it is not well-formed. */
function localeFromText(text: string): string | undefined {
  try {
    return Intl.getCanonicalLocales(text)[0]
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}

const writtenNumber = /^\+[0-9 ().\-/]+$/

/**
 * The number in E.164, such as `+14155552671`; undefined if the text is not a phone number in international form, with
 * an existing calling code and a length that its plan allows. Spaces and punctuation are ignored; extensions do not
 * exist in E.164.
 */
export function phoneNumberFromText(text: string): string | undefined {
  if (!writtenNumber.test(text)) return undefined
  const number = parsePhoneNumberFromString(text, { extract: false })
  return number?.isPossible() === true ? number.number : undefined
}
