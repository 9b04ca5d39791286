import { ServiceError } from '../errors.js'
import { credentialFormFault, howToSend } from './credential-form.js'

const realm = 'Bearer realm="svc"'

/** The error for a request that carries no bearer credential (RFC 6750 section 3). */
export function credentialMissing(description = howToSend): ServiceError {
  return new ServiceError('CREDENTIAL_MISSING', `a bearer credential is required: ${description}`, { challenge: realm })
}

/**
 * The error for a bearer credential that is not accepted. Only faults in the form of the text get a text of their own:
 * unknown and revoked tokens, and those of deactivated users, all share one.
 */
export function credentialInvalid(fault = 'the bearer credential is invalid: get a new one'): ServiceError {
  return new ServiceError('CREDENTIAL_INVALID', fault, { challenge: `${realm}, error="invalid_token"` })
}

/** The error for a token that was valid, which only its holder sees. */
export function credentialExpired(): ServiceError {
  return credentialInvalid('the token has expired: get a new one')
}

/** The challenge that names the permission that a caller lacks (RFC 6750 section 3.1). */
export function insufficientScope(permission: string): string {
  return `${realm}, error="insufficient_scope", scope="${permission}"`
}

/** The token of an Authorization header (RFC 6750 section 2.1). Throws if there is none, or none of that form. */
export function bearerTokenFrom(authorization: string | undefined): string {
  if (authorization === undefined) throw credentialMissing()
  const match = /^bearer +([A-Za-z0-9._~+/-]+=*) *$/i.exec(authorization)
  if (match?.[1] !== undefined) return match[1]
  const given = /^bearer\b(.*)/is.exec(authorization)?.[1]?.trim()
  if (given === undefined) throw credentialMissing(schemeAdvice(authorization))
  const howTo = 'send Authorization: Bearer <token>'
  if (/^(?::|bearer\s)/i.test(given)) {
    throw credentialInvalid(`the word Bearer stands before the token once, without a colon: ${howTo}`)
  }
  if (/\s/.test(given)) throw credentialInvalid(`the token contains a space: ${howTo}`)
  // What could be a token is not separated by spaces.
  throw credentialInvalid(credentialFormFault(given, true) ?? `a space belongs between Bearer and the token: ${howTo}`)
}

function schemeAdvice(authorization: string): string {
  if (/^basic\b/i.test(authorization)) return `only POST /v2/auth/token accepts Basic; ${howToSend}`
  return /^svc_/.test(authorization) ? 'the word Bearer is missing before the token' : howToSend
}
