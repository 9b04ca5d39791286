import { inspectApiKeySecret, secretsIn } from './api-key-secret.js'
import { ACCESS_TOKEN_PREFIX, tokenBodiesAt, USER_TOKEN_PREFIX } from './bearer-token.js'

export interface LeakedCredential {
  readonly kind: 'secret' | 'access token' | 'user token'
  /** The tokens that the text may contain: several, if what follows a token could be a part of it. */
  readonly readings: readonly [string, ...string[]]
}

const MAX_CREDENTIALS = 5

/** What takes no place: characters without width, such as a soft hyphen, control characters, and colors of terminals. */
const INVISIBLE = /\p{Cc}\[[\d;]*m|\p{Cf}|(?!\t)\p{Cc}/gu
const LINE_BREAK = /[\n\v\f\r\u0085\u2028\u2029]/
/** A character by its code: in a URL (%5F), JSON (\u005f, \x5f) or HTML (&#95;, &#x5f;); or what Markdown puts before it. */
const ESCAPE = /(?:%(?:25)*|\\u00|\\x)([0-9a-f]{2})|&#x0*([0-9a-f]{2});|&#0*(\d{2,3});|\\(?=[_-])/gi
/** What a line begins with in quoted mail, or ends with if it goes on: in a command (\) or in mail (=). */
const AROUND_LINE = /^>[>\s]*|[\\=]$/g
/** No credential takes fewer characters. */
const BASE64 = /[A-Za-z0-9+/_-]{84,}/g
const TOKEN = new RegExp(`(?=${ACCESS_TOKEN_PREFIX}|${USER_TOKEN_PREFIX})`)

/**
 * Finds the credentials of this service in a text, whatever surrounds them. Line breaks with the white space around
 * them, and characters without width, are removed first, and escapes and Base64 decoded, as in a header of Basic
 * authentication. Returns the first five, each once; secrets only if their checksums are right. Does not query the
 * database.
 */
export function credentialsIn(text: string): LeakedCredential[] {
  const found = new Map<string, LeakedCredential>()
  for (const credential of readingsOf(text).flatMap((reading) => [...secretsFrom(reading), ...tokensFrom(reading)])) {
    const { readings } = credential
    const known = found.get(readings[0])
    if (known === undefined || known.readings.length < readings.length) found.set(readings[0], credential)
  }
  return [...found.values()].slice(0, MAX_CREDENTIALS)
}

function secretsFrom(text: string): LeakedCredential[] {
  const secrets = secretsIn(text).filter((secret) => inspectApiKeySecret(secret).ok)
  return secrets.map((secret) => ({ kind: 'secret', readings: [secret] }))
}

function tokensFrom(text: string): LeakedCredential[] {
  return text.split(TOKEN).flatMap((part) => {
    const prefix = [ACCESS_TOKEN_PREFIX, USER_TOKEN_PREFIX].find((each) => part.startsWith(each))
    const [first, ...others] = prefix === undefined ? [] : tokenBodiesAt(part.slice(prefix.length))
    if (prefix === undefined || first === undefined) return []
    const kind = prefix === ACCESS_TOKEN_PREFIX ? 'access token' : 'user token'
    return [{ kind, readings: [prefix + first, ...others.map((body) => prefix + body)] }]
  })
}

/** The text, what it says without escapes, and what the Base64 in that says. */
function readingsOf(text: string): string[] {
  const unescaped = unescapedText(visible(text, AROUND_LINE))
  const decoded = [...unescaped.matchAll(BASE64)].flatMap(([run]) => {
    // A word may be joined to the beginning, so that it is not known where the first group of four characters is.
    return [0, 1, 2, 3].map((start) => visible(Buffer.from(run.slice(start), 'base64').toString()))
  })
  return [visible(text), unescaped, ...decoded]
}

function unescapedText(text: string): string {
  return text.replace(ESCAPE, (_, short?: string, hex = short, decimal?: string) => {
    const code = hex === undefined ? decimal : `0x${hex}`
    return code === undefined ? '' : String.fromCharCode(Number(code))
  })
}

/** The text without line breaks, the white space around them and what takes no place. */
function visible(text: string, aroundLine = /^$/g): string {
  const lines = text.split(LINE_BREAK).map((line) => line.replace(INVISIBLE, '').trim().replace(aroundLine, ''))
  return lines.join('')
}
