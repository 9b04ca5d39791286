import { inspectApiKeySecret, secretsIn } from './api-key-secret.js'
import { ACCESS_TOKEN_PREFIX, tokenBodiesAt, USER_TOKEN_PREFIX } from './bearer-token.js'

export interface LeakedCredential {
  readonly kind: 'secret' | 'access token' | 'user token'
  /** The tokens that the text may contain: several, if what follows a token could be a part of it. */
  readonly readings: readonly [string, ...string[]]
}

const MAX_CREDENTIALS = 5

/** Characters without width, such as a byte order mark or a soft hyphen. */
const INVISIBLE = /\p{Cf}+/gu
const LINE_BREAK = /[\n\v\f\r\u0085\u2028\u2029]/
const TOKEN = new RegExp(`(?=${ACCESS_TOKEN_PREFIX}|${USER_TOKEN_PREFIX})`)

/**
 * The credentials of this service in a text, whatever stands around them, in it or between its lines: line breaks, with
 * the white space around them, and characters without width do not count. The first five, each once; secrets only if
 * their checksums are right. Judged by the text alone.
 */
export function credentialsIn(text: string): LeakedCredential[] {
  const lines = text.replace(INVISIBLE, '').split(LINE_BREAK)
  const joined = lines.map((line) => line.trim()).join('')
  const secrets = secretsIn(joined).filter((secret) => inspectApiKeySecret(secret).ok)
  const found: LeakedCredential[] = [...new Set(secrets)].map((secret) => ({ kind: 'secret', readings: [secret] }))
  for (const part of new Set(joined.split(TOKEN))) {
    const prefix = [ACCESS_TOKEN_PREFIX, USER_TOKEN_PREFIX].find((each) => part.startsWith(each))
    const [first, ...others] = prefix === undefined ? [] : tokenBodiesAt(part.slice(prefix.length))
    if (prefix === undefined || first === undefined) continue
    const kind = prefix === ACCESS_TOKEN_PREFIX ? 'access token' : 'user token'
    found.push({ kind, readings: [prefix + first, ...others.map((body) => prefix + body)] })
  }
  return found.slice(0, MAX_CREDENTIALS)
}
