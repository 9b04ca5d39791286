import { ServiceError } from '../errors.js'

const realm = 'Bearer realm="svc"'

/** The error for a request that carries no bearer credential (RFC 6750 section 3). */
export function credentialMissing(): ServiceError {
  return new ServiceError('CREDENTIAL_MISSING', 'this needs a bearer credential', { challenge: realm })
}

/** The error for a bearer credential that is not accepted, whatever the reason: one text, so that it tells nothing. */
export function credentialInvalid(cause?: unknown): ServiceError {
  return new ServiceError('CREDENTIAL_INVALID', 'the bearer credential is not valid', {
    challenge: `${realm}, error="invalid_token"`,
    cause,
  })
}

/** The challenge that tells which permission a caller lacks (RFC 6750 section 3.1). */
export function insufficientScope(permission: string): string {
  return `${realm}, error="insufficient_scope", scope="${permission}"`
}

/** The token of an Authorization header (RFC 6750 section 2.1). Throws where there is none, or none of that form. */
export function bearerTokenFrom(authorization: string | undefined): string {
  if (authorization === undefined || authorization.trim() === '') throw credentialMissing()
  const match = /^bearer +([A-Za-z0-9._~+/-]+=*) *$/i.exec(authorization)
  if (match?.[1] !== undefined) return match[1]
  throw /^bearer\b/i.test(authorization) ? credentialInvalid() : credentialMissing()
}
