import type { JsonValue } from '@bufbuild/protobuf'
import { invalidArgument, quoted, ValueFault } from './invalid.js'
import { numberFromLiteral } from './json-number.js'
import { type JsonTree, type JsonTreeObject, MAX_JSON_DEPTH, plainJson, refuseDeeper, setKey } from './json-tree.js'

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
const FOUR_DIGITS = /^[0-9A-Fa-f]{4}$/
const NUMBER = /-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?/y

export interface JsonLimits {
  /** The most keys of objects and items of lists, together. */
  readonly maxValues: number
  /** How deep objects and lists may nest where no schema limits it. */
  readonly maxFreeDepth: number
}

/** The default limits: a few times what large requests need, and little enough to be read without blocking for long. */
export const DEFAULT_JSON_LIMITS: JsonLimits = { maxValues: 25_000, maxFreeDepth: 32 }

const BYTE_ORDER_MARK = 0xfeff

/** No limits but the depth of all JSON, for texts that are not requests. */
export const NO_JSON_LIMITS: JsonLimits = { maxValues: Number.POSITIVE_INFINITY, maxFreeDepth: MAX_JSON_DEPTH }

/**
 * Parses JSON (RFC 8259) strictly: valid UTF-8 without a byte order mark, no duplicate key in any object, no lone
 * surrogate, nothing after the value, at most `MAX_JSON_DEPTH` deep. Throws `invalid_argument` with line and column,
 * and `ValueFault` as soon as it meets more than `maxValues`, where it leaves `path`. `isLines`: newline-delimited
 * JSON, a value on each line, as a list; blank lines are skipped, and so is a byte order mark at the beginning, because
 * lines come from files.
 */
export function parseJsonTree(
  input: string | Uint8Array,
  maxValues = NO_JSON_LIMITS.maxValues,
  path: (string | number)[] = [],
  isLines = false,
): JsonTree {
  const text = typeof input === 'string' ? input : decodeUtf8(input)
  let at = 0
  let depth = 0
  let values = 0

  function fail(reason: string, position = at): never {
    const { line, column } = placeOf(text, position)
    throw invalidArgument('', `invalid JSON at line ${line}, column ${column}: ${reason}`)
  }

  function found(): string {
    if (at >= text.length) return 'the end of the text'
    if (text.charCodeAt(at) === BYTE_ORDER_MARK) return 'a byte order mark: send UTF-8 without one'
    return quoted(String.fromCodePoint(text.codePointAt(at) ?? 0))
  }

  function space(): void {
    let unit = text.charCodeAt(at)
    while (unit === 0x20 || unit === 0x0a || unit === 0x0d || unit === 0x09) unit = text.charCodeAt(++at)
  }

  function value(): JsonTree {
    space()
    switch (text.charCodeAt(at)) {
      case 0x22:
        return string()
      case 0x7b:
        return object()
      case 0x5b:
        return array()
      case 0x74:
        return word('true', true)
      case 0x66:
        return word('false', false)
      case 0x6e:
        return word('null', null)
      default:
        return number()
    }
  }

  function word<T>(name: string, meaning: T): T {
    if (!text.startsWith(name, at)) fail(`expected a value, found ${found()}`)
    at += name.length
    return meaning
  }

  /** Reads the members of an object or an array, to its end. */
  function members(end: number, expected: string, member: () => void): void {
    if (++depth > MAX_JSON_DEPTH) fail(`nested more than ${MAX_JSON_DEPTH} levels deep`)
    at++
    space()
    let unit = text.charCodeAt(at)
    if (unit === end) at++
    while (unit !== end) {
      member()
      space()
      unit = text.charCodeAt(at)
      if (unit !== end && unit !== 0x2c) fail(`expected ${expected}, found ${found()}`)
      at++
    }
    depth--
  }

  function count(): void {
    if (++values > maxValues) {
      throw new ValueFault(`there are more than ${maxValues} values (keys and list items) up to here`)
    }
  }

  function object(): JsonTreeObject {
    const result: JsonTreeObject = {}
    members(0x7d, '"," or "}"', () => {
      space()
      const keyAt = at
      if (text.charCodeAt(at) !== 0x22) fail(`expected a key in quotes, found ${found()}`)
      const key = string()
      if (Object.hasOwn(result, key)) fail(`duplicate key ${quoted(key)}`, keyAt)
      path.push(key)
      count()
      space()
      if (text.charCodeAt(at) !== 0x3a) fail(`expected ":", found ${found()}`)
      at++
      setKey(result, key, value())
      path.pop()
    })
    return result
  }

  function array(): JsonTree[] {
    const result: JsonTree[] = []
    members(0x5d, '"," or "]"', () => item(result))
    return result
  }

  function item(items: JsonTree[]): void {
    path.push(items.length)
    count()
    items.push(value())
    path.pop()
  }

  function string(): string {
    const start = at++
    let hasEscape = false
    for (let unit = text.charCodeAt(at); unit !== 0x22; unit = text.charCodeAt(at)) {
      if (unit === 0x5c) {
        hasEscape = true
        skipEscape()
      } else if (unit >= 0x20) at++
      else fail(at >= text.length ? 'unterminated string' : 'unescaped control character in a string')
    }
    at++
    // A literal with escapes is valid JSON here: the engine's own parser decodes it much faster than our code could.
    const result = hasEscape ? String(JSON.parse(text.slice(start, at))) : text.slice(start + 1, at - 1)
    if (!result.isWellFormed()) fail('lone surrogate in a string', start)
    return result
  }

  function skipEscape(): void {
    const kind = text.charAt(at + 1)
    if (kind === 'u') {
      if (!FOUR_DIGITS.test(text.slice(at + 2, at + 6))) fail('expected four hexadecimal digits after \\u')
      at += 6
    } else if (kind !== '' && '"\\/bfnrt'.includes(kind)) at += 2
    else fail('unknown escape in a string')
  }

  function number(): JsonTree {
    NUMBER.lastIndex = at
    const match = NUMBER.exec(text)
    if (match === null) {
      return text.charCodeAt(at) === 0x2d
        ? fail('expected a digit after "-"', at + 1)
        : fail(`expected a value, found ${found()}`)
    }
    const start = at
    at = NUMBER.lastIndex
    const result = numberFromLiteral(match[0], match[1] ?? '', match[2] ?? '')
    if (result === undefined) return fail('number out of range', start)
    return /[0-9A-Za-z.+-]/.test(text.charAt(at)) ? fail(`expected the end of a number, found ${found()}`) : result
  }

  function document(): JsonTree {
    const result = value()
    space()
    return at < text.length ? fail(`expected the end of the text, found ${found()}`) : result
  }

  function lines(): JsonTree[] {
    const result: JsonTree[] = []
    if (text.charCodeAt(0) === BYTE_ORDER_MARK) at++
    for (space(); at < text.length; space()) {
      const start = at
      item(result)
      const end = text.indexOf('\n', start)
      if (end >= 0 && end < at) fail('expected the end of the value on its line', end)
      while (' \t\r'.includes(text.charAt(at)) && at < text.length) at++
      if (at < (end < 0 ? text.length : end)) fail(`expected the end of the line, found ${found()}`)
    }
    return result
  }

  return isLines ? lines() : document()
}

/**
 * Parses JSON as strictly as `parseJsonTree` into plain values that `fromJson` accepts. Integers beyond 2^53 become
 * decimal strings, which keeps their digits for 64-bit fields. What exceeds the limits is `invalid_argument` too.
 */
export function parseStrictJson(input: string | Uint8Array, limits = NO_JSON_LIMITS): JsonValue {
  try {
    const tree = parseJsonTree(input, limits.maxValues)
    refuseDeeper(tree, limits.maxFreeDepth)
    return plainJson(tree)
  } catch (error) {
    throw error instanceof ValueFault ? invalidArgument('', error.message) : error
  }
}

function decodeUtf8(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes)
  } catch {
    const fault = encodingFault(bytes)
    const advice = fault === COMPRESSED ? 'say so with Content-Encoding: gzip' : 'send JSON in UTF-8'
    throw invalidArgument('', `the body ${fault}: ${advice}`)
  }
}

const COMPRESSED = 'is compressed with gzip'

/** What bytes are that are not UTF-8, by how they begin: what PowerShell writes is UTF-16. */
export function encodingFault([first, second]: Uint8Array): string {
  if (first === 0x1f && second === 0x8b) return COMPRESSED
  return (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff) ? 'is UTF-16' : 'is not valid UTF-8'
}

// Unit by unit: a text of only line ends would otherwise be split, or searched, a million times.
function placeOf(text: string, position: number): { line: number; column: number } {
  let line = 1
  let start = 0
  for (let at = 0; at < position; at++) {
    if (text.charCodeAt(at) !== 0x0a) continue
    line++
    start = at + 1
  }
  return { line, column: position - start + 1 }
}
