import { describe, expect, it } from '@jest/globals'
import { createRedactedLog } from '../../src/cli/log.js'
import { createApiKeySecret } from '../../src/domain/auth/api-key-secret.js'
import { ACCESS_TOKEN_PREFIX, USER_TOKEN_PREFIX } from '../../src/domain/auth/bearer-token.js'
import { withoutCredentials } from '../../src/http/credential-redaction.js'
import { createTestRuntime } from '../support/runtime.js'

const runtime = createTestRuntime()
const tokenBody = Buffer.from(runtime.randomBytes(64)).toString('base64url')
const secrets = [
  ['secret', createApiKeySecret('mk', runtime)],
  ['token', ACCESS_TOKEN_PREFIX + tokenBody],
  ['user', USER_TOKEN_PREFIX + tokenBody],
] as const

const hexOf = (text: string) => Array.from(Buffer.from(text), (byte) => byte.toString(16))
const percent = (text: string) =>
  hexOf(text)
    .map((code) => `%${code}`)
    .join('')
const escapes = (text: string) =>
  hexOf(text)
    .map((code) => `\\u00${code}`)
    .join('')
const base64 = (text: string) => Buffer.from(text).toString('base64')

/** Ways to write a credential that its reader can undo. */
const encodings: readonly (readonly [string, (secret: string) => string])[] = [
  ['in plain', (secret) => secret],
  ['cut off', (secret) => secret.slice(0, -20)],
  ['with %5F', (secret) => secret.replaceAll('_', '%5F')],
  ['with %5f', (secret) => secret.replaceAll('_', '%5f')],
  ['percent-encoded', percent],
  ['percent-encoded twice', (secret) => encodeURIComponent(percent(secret))],
  ['percent-encoded three times', (secret) => encodeURIComponent(encodeURIComponent(percent(secret)))],
  ['with one character percent-encoded', (secret) => secret.replace('v', '%76')],
  ['with escapes of JSON', escapes],
  ['with escapes of JSON, as JSON', (secret) => JSON.stringify(escapes(secret)).slice(1, -1)],
  ['with escapes of JSON, percent-encoded', (secret) => encodeURIComponent(escapes(secret))],
  ['in upper case', (secret) => secret.toUpperCase()],
]

/** Ways that hide even what kind of credential it is. */
const wrappings: readonly (readonly [string, (secret: string) => string])[] = [
  ['in base64', base64],
  ['in base64url', (secret) => Buffer.from(secret).toString('base64url')],
  ['in base64, percent-encoded', (secret) => encodeURIComponent(base64(`?>>${secret}?>>`))],
  ['as Basic credentials', (secret) => base64(`01a1f8c4-ae1a-7209-bfce-9de77ce5ce74:${secret}`)],
  ['as Basic credentials of a short id', (secret) => base64(`a:${secret}`)],
  ['in hexadecimal', (secret) => hexOf(secret).join('')],
  ['in hexadecimal, upper case', (secret) => hexOf(secret).join('').toUpperCase()],
]

describe('text from a caller', () => {
  it.each(encodings)('is logged without secrets and tokens %s', (_, encode) => {
    for (const [kind, secret] of secrets) {
      const gone = `svc_${kind}_[redacted]`
      const text = encode(secret)
      expect(withoutCredentials(`/v2/auth/revoke/${text}/x`)).toBe(`/v2/auth/revoke/${gone}/x`)
      expect(withoutCredentials(`${text} ${text}`)).toBe(`${gone} ${gone}`)
    }
  })

  it.each(wrappings)('is logged without secrets and tokens %s', (_, wrap) => {
    for (const [, secret] of secrets) {
      expect(withoutCredentials(`Authorization: Basic ${wrap(secret)}, and more`)).toBe(
        'Authorization: Basic [redacted], and more',
      )
    }
  })

  it('is logged without tokens of an issuer', () => {
    const token = ['{"alg":"RS256"}', '{"email":"ada@example.com"}', 'signature']
      .map((part) => Buffer.from(part).toString('base64url'))
      .join('.')
    expect(withoutCredentials(`/v2/users/${token}:republish`)).toBe('/v2/users/jwt_[redacted]:republish')
    expect(withoutCredentials(token.replaceAll('.', '%2E'))).toBe('jwt_[redacted]')
    expect(withoutCredentials(`Bearer%20${token}`)).toBe('Bearer%20jwt_[redacted]')
    expect(withoutCredentials(`eyJ-${token}`)).toBe('jwt_[redacted]')
  })

  it.each([
    '/v2/priorities/svc',
    '/v2/users/svc_users',
    'svc_secretary',
    'keyJwk.parse',
    'eyJhbGciOiJSUzI1NiJ9',
    '',
    '01a1f8c4-ae1a-7209-bfce-9de77ce5ce74',
    base64('a text of more than twelve characters'),
  ])('is logged unchanged: %s', (text) => {
    expect(withoutCredentials(text)).toBe(text)
  })

  it.each([
    '\\',
    '%',
    '%25',
    '\\u00',
    's',
    'svc_',
    'eyJ',
    'eyJ-',
    'eyJ.',
    'eyJaaaaaaaa%',
    'A',
    'A%',
    'svc_secret_',
    '%255c',
    '%2b',
  ])('is searched in linear time: %s', (part) => {
    // The least of several runs, which others on the machine have disturbed least.
    const millisOf = (length: number) => {
      const text = part.repeat(length / part.length)
      const times = Array.from({ length: 200 }, () => {
        const start = performance.now()
        withoutCredentials(text)
        return performance.now() - start
      })
      return Math.min(...times)
    }
    // Four times as long; a square would take sixteen times.
    expect(millisOf(32_768)).toBeLessThan(8 * millisOf(8_192))
  })
})

describe('the log', () => {
  it('contains no credential in any line, and every line is JSON', () => {
    const lines: string[] = []
    const log = createRedactedLog('trace', { write: (line) => void lines.push(line) })
    for (const [, secret] of secrets) {
      for (const [, encode] of [...encodings, ...wrappings]) {
        const text = `"${encode(secret)}"\n`
        log.info({ [text]: text, list: [{ text }], err: new Error(text, { cause: new Error(text) }) }, text)
      }
    }
    expect(lines).toHaveLength(secrets.length * (encodings.length + wrappings.length))
    for (const line of lines) {
      expect(JSON.parse(line).msg).toMatch(/^"(?:svc_\w+_)?\[redacted\]"\n$/)
      for (const [, secret] of secrets) {
        for (const [, encode] of [...encodings, ...wrappings]) expect(line).not.toContain(encode(secret).slice(11))
      }
    }
  })
})
