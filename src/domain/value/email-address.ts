import type { FieldViolation } from '../../errors.js'
import { NO_EMAIL_ADDRESS } from '../../limits/limit-words.js'

/** RFC 5321 section 4.5.3.1. */
const MAX_LOCAL_OCTETS = 64

const localPart = /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/
const domainLabel = /^[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?$/

/**
 * What is wrong with an email address; undefined if it is valid. Accepts the addresses that mail is sent to in
 * practice: a dot-atom and a domain of at least two labels (RFC 5321 section 4.1.2 without quoted strings, comments and
 * address literals), in ASCII, so that case means the same everywhere; international domains must be A-labels.
 */
export function emailAddressFault(address: string): string | undefined {
  const at = address.lastIndexOf('@')
  if (at === -1) return NO_EMAIL_ADDRESS
  const local = address.slice(0, at)
  if (local.length > MAX_LOCAL_OCTETS) return `must have at most ${MAX_LOCAL_OCTETS} characters before the @`
  const labels = address.slice(at + 1).split('.')
  const isDomain = labels.length > 1 && labels.every((label) => domainLabel.test(label))
  // A last label of digits alone is an IPv4 address.
  if (!isDomain || /^[0-9]+$/.test(labels.at(-1) ?? '')) return NO_EMAIL_ADDRESS
  return localPart.test(local) ? undefined : NO_EMAIL_ADDRESS
}

/** The form in which email addresses are compared: ASCII letters in lower case, as the database does it. */
export function emailKeyOf(address: string): string {
  return address.replace(/[A-Z]/g, (letter) => letter.toLowerCase())
}

/** The form in which user names are compared: every letter in lower case, by itself, as the database does it. */
export function userNameKeyOf(name: string): string {
  return Array.from(name, (letter) => letter.toLowerCase()).join('')
}

export function emailViolations(field: string, address: string): FieldViolation[] {
  const fault = emailAddressFault(address)
  return fault === undefined ? [] : [{ field, description: fault, reason: 'FIELD_INVALID' }]
}
