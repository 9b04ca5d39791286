import type { FieldViolation } from '../../errors.js'
import { requiredViolations } from './text-field.js'

/** RFC 5321 section 4.5.3.1: octets of a path without its angle brackets, and of its local part. */
const MAX_OCTETS = 254
const MAX_LOCAL_OCTETS = 64

const NO_ADDRESS = 'must be an email address such as ada@example.com'

const localPart = /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/
const domainLabel = /^[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?$/

/**
 * What is wrong with an email address; nothing where it is good. Taken is what mail is sent to in practice: a dot-atom
 * and a domain of at least two labels (RFC 5321 section 4.1.2 without quoted strings, comments and address literals),
 * in ASCII, so that upper and lower case have one meaning everywhere; international domains come as A-labels.
 */
export function emailAddressFault(address: string): string | undefined {
  if (address.length > MAX_OCTETS) return `must have at most ${MAX_OCTETS} characters`
  const at = address.lastIndexOf('@')
  if (at === -1) return NO_ADDRESS
  const local = address.slice(0, at)
  if (local.length > MAX_LOCAL_OCTETS) return `must have at most ${MAX_LOCAL_OCTETS} characters before the @`
  const labels = address.slice(at + 1).split('.')
  const isDomain = labels.length > 1 && labels.every((label) => domainLabel.test(label))
  // A last label of digits alone is an IPv4 address.
  if (!isDomain || /^[0-9]+$/.test(labels.at(-1) ?? '')) return NO_ADDRESS
  return localPart.test(local) ? undefined : NO_ADDRESS
}

/** What email addresses are compared by: the ASCII letters in lower case, as the database does it. */
export function emailKeyOf(address: string): string {
  return address.replace(/[A-Z]/g, (letter) => letter.toLowerCase())
}

/** What is wrong with an email address that a request has to carry; empty is absent. */
export function emailViolations(field: string, address: string): FieldViolation[] {
  if (address === '') return requiredViolations(field, address)
  const fault = emailAddressFault(address)
  return fault === undefined ? [] : [{ field, description: fault, reason: 'FIELD_INVALID' }]
}
