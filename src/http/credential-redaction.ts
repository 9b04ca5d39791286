/**
 * A character as callers may write it: itself, percent-encoded any number of times (`%73`, `%2573`, …), or as a JSON
 * escape (`\u0073`), which a log line or another text around it may escape again. Repetitions are bounded where another
 * match could begin inside them, so that the time grows only with the length of the text.
 */
function written(character: string): string {
  const codes = [...new Set([character.toLowerCase(), character.toUpperCase()])]
    .map((each) => each.charCodeAt(0).toString(16))
    .join('|')
  const percent = '%(?:25){0,8}'
  return `(?:${character}|${percent}(?:${codes})|(?:\\\\|${percent}5c){1,16}u00(?:${codes}))`
}

const kinds = ['secret', 'token', 'user']
const spelled = (text: string) => Array.from(text, written).join('')

/** Secrets and tokens of this service, up to quotes and backslashes: everything after the prefix is removed. */
const credential = new RegExp(
  `${spelled('svc_')}(?:${kinds.map((kind) => `(${spelled(kind)})`).join('|')})${spelled('_')}(?:[^\\s"'&?/,;\\\\]|\\\\{1,16}u[0-9a-f]{4})*`,
  'gi',
)

/**
 * JSON Web Tokens: a header that is a JSON object, and, captured, claims and a signature. A run of letters that is no
 * header matches too, so that no other match begins inside it.
 */
const jsonWebToken = /(?<![A-Za-z])eyJ[\w-]+((?:\.|%(?:25)*2[eE])[\w-]+(?:(?:\.|%(?:25)*2[eE])[\w-]*)?)?/g

/** A prefix in hexadecimal, and in base64 what no neighbour changes, for each offset at which it can begin. */
const encoded = new RegExp(
  kinds
    .map((kind) => `svc_${kind}_`)
    .flatMap((prefix) => [...[0, 1, 2].map((shift) => base64Core(prefix, shift)), hexOf(prefix)])
    .join('|'),
)
const encodedText = /(?:[\w+/=-]|%(?:25)*(?:2b|2f|3d))+/gi

/**
 * The text without the secrets and tokens in it, for logging what a caller wrote. They are recognized in plain text,
 * percent-encoded to any depth, with escapes of JSON, in base64 and base64url (as `Basic` credentials are), and in
 * hexadecimal.
 */
export function withoutCredentials(text: string): string {
  const plain = text
    .replace(credential, placeholder)
    .replace(jsonWebToken, (run, claims) => (claims === undefined ? run : 'jwt_[redacted]'))
  if (!encoded.test(plain)) return plain
  return plain.replace(encodedText, (run) => (encoded.test(run) ? '[redacted]' : run))
}

function placeholder(_: string, ...groups: (string | undefined)[]): string {
  return `svc_${kinds.find((_, index) => groups[index] !== undefined)}_[redacted]`
}

/** The characters of the base64 of a text that do not depend on what precedes and follows it. */
function base64Core(text: string, shift: number): string {
  const bits = (shift + text.length) * 8
  return Buffer.from(`${'\0'.repeat(shift)}${text}`)
    .toString('base64')
    .slice(Math.ceil((shift * 8) / 6), Math.floor(bits / 6))
}

/** The bytes in hexadecimal, in either case. */
function hexOf(text: string): string {
  return Buffer.from(text)
    .toString('hex')
    .replace(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`)
}
