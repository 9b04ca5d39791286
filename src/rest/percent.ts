import { isUtf8 } from 'node:buffer'
import { invalidArgument, quoted } from '../protojson/invalid.js'

const ESCAPE = /%[0-9A-Fa-f]{2}/g
const BROKEN_ESCAPE = /%(?![0-9A-Fa-f]{2})/
const NEEDS_DECODING = /[%\x80-\xff]/
const WIDE = /[\u0100-\uffff]/

/**
 * Decodes percent-encoding (RFC 3986) of one raw piece of a request target exactly once. With `keepSlash`, `%2F` and
 * `%2f` stay unchanged. Broken escapes and bytes that are not UTF-8 are `invalid_argument`, naming `name`.
 */
export function decodePercent(raw: string, name: string, keepSlash = false): string {
  if (!NEEDS_DECODING.test(raw)) return raw
  const text = decodeUtf8(keepSlash ? raw.replace(/%(?=2f)/gi, '%25') : raw)
  if (text !== undefined) return text
  const broken = BROKEN_ESCAPE.exec(raw)
  if (broken === null) throw invalidArgument(name, 'not valid UTF-8: percent-encode text as UTF-8')
  const shown = quoted(raw.slice(broken.index, broken.index + 3))
  throw invalidArgument(name, `broken percent-encoding at ${shown}: a percent sign itself is %25`)
}

/**
 * Decodes percent-encoding into bytes, one character per byte, so that different spellings of the same text become
 * equal, UTF-8 or not; undefined for a broken escape.
 */
export function decodePercentBytes(raw: string): string | undefined {
  if (!raw.includes('%')) return raw
  if (BROKEN_ESCAPE.test(raw)) return undefined
  return raw.replace(ESCAPE, byteOf)
}

const byteOf = (code: string): string => String.fromCharCode(Number.parseInt(code.slice(1), 16))

/** Percent-encodes bytes, given as one character each, except those that a path segment may contain as they are. */
export function encodePercentBytes(bytes: string): string {
  return bytes.replace(
    /[^A-Za-z0-9\-._~!$&'()+,;@]/g,
    (byte) => `%${byte.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`,
  )
}

/** Decodes a name or value of a query or form: as `decodePercent`, and `+` is a space. */
export function decodeFormText(raw: string, name: string): string {
  return decodePercent(raw.replaceAll('+', ' '), name)
}

/** As `decodeFormText`, for any bytes (URL Standard): a broken escape stays as it is, and what is not UTF-8 becomes U+FFFD. */
export function decodeAnyFormText(raw: string): string {
  return Buffer.from(raw.replaceAll('+', ' ').replace(ESCAPE, byteOf), 'latin1').toString()
}

/** Whether `decodeFormText` can decode the name or value of a form. */
export function isFormText(raw: string): boolean {
  return !NEEDS_DECODING.test(raw) || decodeUtf8(raw) !== undefined
}

// Node passes target bytes above 0x7f as Latin-1; anything wider is real text.
function decodeUtf8(raw: string): string | undefined {
  const bytes = Buffer.from(raw, WIDE.test(raw) ? 'utf8' : 'latin1')
  try {
    return isUtf8(bytes) ? decodeURIComponent(bytes.toString()) : undefined
  } catch (error) {
    if (error instanceof URIError) return undefined
    throw error
  }
}
