import { inspectApiKeySecret } from '../domain/auth/api-key-secret.js'
import { ACCESS_TOKEN_PREFIX, isWholeTokenBody, USER_TOKEN_PREFIX } from '../domain/auth/bearer-token.js'

/** How to send a credential; contains no part of one. */
export const howToSend = 'send Authorization: Bearer <token>, with the token of an API key or of a user'

const JWT = /^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]*$/
/** An encrypted token (RFC 7516): what some issuers give whoever names no audience. */
const JWE = /^eyJ[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]*){4}$/
/** `$TOKEN`, `${TOKEN}`, `{{token}}`, `<token>`, `%TOKEN%`, and the names that placeholders have. */
const PLACEHOLDER = /^(?:[$<{%[]|(?:your|my|the)?[_-]?(?:access|bearer|api|user|auth)?[_-]?(?:token|key)$)/i
const UNSET = /^(?:undefined|null|none|nil|nan|\[object object\])$/i

/**
 * What was sent as a bearer token, if its form alone shows that it cannot be one, and what to send instead; undefined
 * for every text that could be a token. Says nothing about what is valid, and repeats no part of the text.
 */
export function credentialFormFault(token: string, takesJwt: boolean): string | undefined {
  if (token === '') return `the token is empty: ${howToSend}`
  if (token.startsWith('svc_secret_')) return secretAdvice(token)
  if (PLACEHOLDER.test(token)) {
    return 'this is a placeholder, not a token: replace it with the token (a shell expands variables only in double quotes)'
  }
  if (UNSET.test(token)) return `the variable that holds the token is not set: ${howToSend}`
  if (/^["'`\u201c\u2018]/.test(token)) return 'the token is in quotation marks: send it without them'
  for (const prefix of [ACCESS_TOKEN_PREFIX, USER_TOKEN_PREFIX]) {
    if (!token.startsWith(prefix)) continue
    const isWhole = isWholeTokenBody(token.slice(prefix.length))
    return isWhole ? undefined : `the token is incomplete or altered: 86 or more characters follow ${prefix}`
  }
  const ours = `access tokens begin with ${ACCESS_TOKEN_PREFIX}, user tokens with ${USER_TOKEN_PREFIX}`
  if (JWT.test(token)) return takesJwt ? undefined : `this service does not accept JWTs: ${ours}`
  if (takesJwt && JWE.test(token)) {
    return 'this is an encrypted token, which only its issuer can read: ask the issuer for one with the audience of this service'
  }
  return `this is not a token of this service: ${ours}`
}

function secretAdvice(text: string): string {
  const inspected = inspectApiKeySecret(text)
  if (inspected.ok && inspected.kind === 'mk')
    return 'this is the secret of a management key, which this method does not accept'
  return 'this is the secret of an API key: exchange it for an access token at POST /v2/auth/token, and send that'
}
