import { isUtf8 } from 'node:buffer'
import { invalidArgument, quoted } from '../protojson/invalid.js'

const ESCAPE = /%[0-9A-Fa-f]{2}/g
const BROKEN_ESCAPE = /%(?![0-9A-Fa-f]{2})/
const NEEDS_DECODING = /[%\x80-\uffff]/
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/**
 * Decodes percent-encoding (RFC 3986) of one raw piece of a request target exactly once. With `keepSlash`, `%2F` and
 * `%2f` stay unchanged. Broken escapes and bytes that are not UTF-8 are `invalid_argument`, naming `name`.
 */
export function decodePercent(raw: string, name: string, keepSlash = false): string {
  return NEEDS_DECODING.test(raw) ? decodeBytes(raw, name, keepSlash) : raw
}

/**
 * Decodes percent-encoding into bytes, one character per byte, so that different spellings of the same text become
 * equal, UTF-8 or not; undefined for a broken escape.
 */
export function decodePercentBytes(raw: string): string | undefined {
  if (!raw.includes('%')) return raw
  if (BROKEN_ESCAPE.test(raw)) return undefined
  return raw.replace(ESCAPE, (code) => String.fromCharCode(hexByte(code, 1)))
}

/** Percent-encodes bytes, given as one character each, except those that a path segment may contain as they are. */
export function encodePercentBytes(bytes: string): string {
  return bytes.replace(
    /[^A-Za-z0-9\-._~!$&'()+,;@]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`,
  )
}

/** Decodes a name or value of a query or form: as `decodePercent`, and `+` is a space. */
export function decodeFormText(raw: string, name: string): string {
  const spaced = raw.includes('+') ? raw.replaceAll('+', ' ') : raw
  return decodePercent(spaced, name)
}

/** Whether `decodeFormText` can decode the name or value of a form. */
export function isFormText(raw: string): boolean {
  const bytes = decodePercentBytes(raw)
  return bytes !== undefined && isUtf8(Buffer.from(bytes, 'latin1'))
}

function decodeBytes(raw: string, name: string, keepSlash: boolean): string {
  const bytes = Buffer.allocUnsafe(raw.length * 3)
  let length = 0
  for (let at = 0; at < raw.length; at++) {
    const unit = raw.charCodeAt(at)
    if (unit !== 0x25) {
      // Node passes target bytes above 0x7f as Latin-1; anything wider is real text and is written as UTF-8.
      if (unit <= 0xff) bytes[length++] = unit
      else length += bytes.write(raw.charAt(at), length, 'utf8')
      continue
    }
    const byte = hexByte(raw, at + 1)
    if (byte < 0)
      throw invalidArgument(
        name,
        `broken percent-encoding at ${quoted(raw.slice(at, at + 3))}: a percent sign itself is %25`,
      )
    if (byte === 0x2f && keepSlash) {
      length += bytes.write(raw.slice(at, at + 3), length, 'latin1')
    } else {
      bytes[length++] = byte
    }
    at += 2
  }
  try {
    return utf8.decode(bytes.subarray(0, length))
  } catch {
    throw invalidArgument(name, 'not valid UTF-8: percent-encode text as UTF-8')
  }
}

function hexByte(text: string, at: number): number {
  const high = hexDigit(text.charCodeAt(at))
  const low = hexDigit(text.charCodeAt(at + 1))
  return high < 0 || low < 0 ? -1 : high * 16 + low
}

function hexDigit(unit: number): number {
  if (unit >= 0x30 && unit <= 0x39) return unit - 0x30
  const lower = unit | 0x20
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1
}
