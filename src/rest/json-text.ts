import type { JsonValue } from '@bufbuild/protobuf'
import { invalidArgument, quoted } from './invalid.js'
import { numberFromLiteral } from './json-number.js'
import { type JsonTree, type JsonTreeObject, MAX_JSON_DEPTH, plainJson, setKey } from './json-tree.js'

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
const NUMBER = /-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?/y
const LONE_SURROGATE = /\p{Surrogate}/u
const WORDS = [
  ['true', true],
  ['false', false],
  ['null', null],
] as const
const ESCAPES: Readonly<Record<string, string>> = {
  '"': '"',
  '\\': '\\',
  '/': '/',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
}

/**
 * Parses JSON (RFC 8259) strictly: valid UTF-8 without a byte order mark, no duplicate key in any object, no lone
 * surrogate, nothing behind the value, at most `MAX_JSON_DEPTH` deep. Throws `invalid_argument` with line and column.
 */
export function parseJsonTree(input: string | Uint8Array): JsonTree {
  return createJsonParser(typeof input === 'string' ? input : decodeUtf8(input)).document()
}

/**
 * Parses JSON as strictly as `parseJsonTree` into plain values that `fromJson` takes. Integers beyond 2^53 become
 * decimal strings, which keeps their digits for 64-bit fields.
 */
export function parseStrictJson(input: string | Uint8Array): JsonValue {
  return plainJson(parseJsonTree(input))
}

function decodeUtf8(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes)
  } catch {
    throw invalidArgument('', 'the body is not valid UTF-8')
  }
}

function createJsonParser(text: string): { document(): JsonTree } {
  let at = 0
  let depth = 0

  function fail(reason: string, position = at): never {
    const before = text.slice(0, position)
    const line = before.split('\n').length
    const column = position - before.lastIndexOf('\n')
    throw invalidArgument('', `invalid JSON at line ${line}, column ${column}: ${reason}`)
  }

  function found(): string {
    return at >= text.length ? 'the end of the text' : quoted(String.fromCodePoint(text.codePointAt(at) ?? 0))
  }

  function space(): void {
    let unit = text.charCodeAt(at)
    while (unit === 0x20 || unit === 0x0a || unit === 0x0d || unit === 0x09) unit = text.charCodeAt(++at)
  }

  function value(): JsonTree {
    space()
    const unit = text.charCodeAt(at)
    if (unit === 0x22) return string()
    if (unit === 0x7b) return nested(object)
    if (unit === 0x5b) return nested(array)
    if (unit === 0x2d || (unit >= 0x30 && unit <= 0x39)) return number()
    for (const [word, meaning] of WORDS) {
      if (text.startsWith(word, at)) {
        at += word.length
        return meaning
      }
    }
    return fail(`expected a value, found ${found()}`)
  }

  function nested<T>(read: () => T): T {
    if (++depth > MAX_JSON_DEPTH) fail(`nested more than ${MAX_JSON_DEPTH} levels deep`)
    const result = read()
    depth--
    return result
  }

  function object(): JsonTreeObject {
    const result: JsonTreeObject = {}
    at++
    space()
    if (text.charCodeAt(at) === 0x7d) {
      at++
      return result
    }
    for (;;) {
      space()
      const keyAt = at
      if (text.charCodeAt(at) !== 0x22) fail(`expected a key in quotes, found ${found()}`)
      const key = string()
      if (Object.hasOwn(result, key)) fail(`duplicate key ${quoted(key)}`, keyAt)
      space()
      if (text.charCodeAt(at) !== 0x3a) fail(`expected ":", found ${found()}`)
      at++
      setKey(result, key, value())
      if (closes(0x7d, '"," or "}"')) return result
    }
  }

  function array(): JsonTree[] {
    const result: JsonTree[] = []
    at++
    space()
    if (text.charCodeAt(at) === 0x5d) {
      at++
      return result
    }
    for (;;) {
      result.push(value())
      if (closes(0x5d, '"," or "]"')) return result
    }
  }

  function closes(end: number, expected: string): boolean {
    space()
    const unit = text.charCodeAt(at)
    if (unit !== end && unit !== 0x2c) fail(`expected ${expected}, found ${found()}`)
    at++
    return unit === end
  }

  function string(): string {
    const start = ++at
    let result = ''
    for (;;) {
      const from = at
      let unit = text.charCodeAt(at)
      while (unit !== 0x22 && unit !== 0x5c && unit >= 0x20) unit = text.charCodeAt(++at)
      result += text.slice(from, at)
      if (unit === 0x22) break
      if (unit !== 0x5c) fail(at >= text.length ? 'unterminated string' : 'unescaped control character in a string')
      result += escaped()
    }
    at++
    if (LONE_SURROGATE.test(result)) fail('lone surrogate in a string', start - 1)
    return result
  }

  function escaped(): string {
    const letter = text.charAt(at + 1)
    if (letter === 'u') {
      const digits = text.slice(at + 2, at + 6)
      if (!/^[0-9A-Fa-f]{4}$/.test(digits)) fail('expected four hexadecimal digits behind \\u')
      at += 6
      return String.fromCharCode(Number.parseInt(digits, 16))
    }
    const meaning = Object.hasOwn(ESCAPES, letter) ? ESCAPES[letter] : undefined
    if (meaning === undefined) fail('unknown escape in a string')
    at += 2
    return meaning
  }

  function number(): JsonTree {
    NUMBER.lastIndex = at
    const match = NUMBER.exec(text)
    if (match === null) return fail('expected a digit behind "-"', at + 1)
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

  return { document }
}
