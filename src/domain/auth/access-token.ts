import { unescape as percentDecoded } from 'node:querystring'
import { ServiceError } from '../../errors.js'
import { findApiKey, replaceSecretHash } from '../../store/api-key.js'
import { insertApiKeySession } from '../../store/api-key-session.js'
import { ACCESS_TOKEN_PREFIX, type CredentialTools } from './bearer-token.js'

/** How long an access token of a key lasts, in seconds, unless the key ends before. */
const ACCESS_TOKEN_SECONDS = 3600

export interface ClientCredentials {
  readonly clientId: string
  readonly clientSecret: string
}

/**
 * Creates an access token for a live key that can have one, stores its hash as a session of the key, and returns the
 * token with its lifetime in seconds. Throws `CLIENT_CREDENTIALS_INVALID`, always with the same text, for any other id
 * and secret.
 */
export async function createAccessToken(
  options: Omit<CredentialTools, 'runtime'>,
  credentials: ClientCredentials,
): Promise<{ readonly token: string; readonly seconds: number }> {
  const { database, hasher, keyUses, bearerTokens } = options
  const { clientId, clientSecret } = credentials
  if (clientId.includes('\0')) throw clientCredentialsInvalid()
  const key = await findApiKey(database, { id: clientId })
  const candidates = hasher.candidates(clientSecret)
  // Unknown ids and wrong secrets end alike, before anything else is asked of the database.
  if (key === undefined || !candidates.some((hash) => hash.equals(key.secretHash))) throw clientCredentialsInvalid()
  const { organizationId } = key
  const token = await bearerTokens.issue(ACCESS_TOKEN_PREFIX, organizationId)
  const session = { organizationId, keyId: clientId, secretHashes: candidates, tokenHash: hasher.hash(token) }
  const made = await insertApiKeySession(database, { ...session, seconds: ACCESS_TOKEN_SECONDS })
  if (made === undefined) throw clientCredentialsInvalid()
  keyUses.note({ organizationId, id: clientId })
  const [current] = candidates
  if (current !== undefined && !current.equals(key.secretHash)) {
    // Only here is the secret known, so that it can be rehashed with the current pepper.
    await replaceSecretHash(database, key, current)
  }
  return { token, seconds: made.seconds }
}

/**
 * The error for every fault of an id and a secret (RFC 6749 section 5.2, `invalid_client`). Only faults in the form of
 * the request have a text of their own: unknown, wrong and revoked credentials share one.
 */
function clientCredentialsInvalid(
  fault = 'the id and the secret do not belong to a live API key: check both, or create another key',
): ServiceError {
  return new ServiceError('CLIENT_CREDENTIALS_INVALID', fault, { challenge: 'Basic realm="svc"' })
}

/**
 * Reads the client credentials of a token request from the Authorization header or from the body, where absent values
 * are empty (RFC 6749 section 2.3.1). White space around the values is removed, such as the line break at the end of a
 * mounted file. The body may repeat the id of the header (section 3.2.1). A header with another scheme is ignored if
 * the body has credentials: some clients send an old token with every request. Throws `MALFORMED_REQUEST` for two
 * secrets or two different ids, and `CLIENT_CREDENTIALS_INVALID` if the credentials are missing or unreadable.
 */
export function clientCredentialsFrom({
  authorization = '',
  ...given
}: ClientCredentials & { readonly authorization: string | undefined }): ClientCredentials {
  const body = { clientId: given.clientId.trim(), clientSecret: given.clientSecret.trim() }
  if (!/^basic\b/i.test(authorization)) {
    if (body.clientId !== '' && body.clientSecret !== '') return body
    const isOnlyHeader = authorization !== '' && body.clientId + body.clientSecret === ''
    if (isOnlyHeader) throw headerUnreadable()
    throw clientCredentialsInvalid(`the id or the secret of the API key is missing: ${howToSend}`)
  }
  if (body.clientSecret !== '') {
    throw malformed(
      'the secret of the API key is in both the Authorization header and the body: send it in one place, with the id',
    )
  }
  const [, encoded] = /^basic +([A-Za-z0-9+/]+={0,2}) *$/i.exec(authorization) ?? []
  if (encoded === undefined) throw headerUnreadable()
  const text = Buffer.from(encoded, 'base64').toString()
  const colon = text.indexOf(':')
  if (colon < 1) throw headerUnreadable()
  const [clientId = '', clientSecret = ''] = [text.slice(0, colon), text.slice(colon + 1)].map((part) =>
    formDecoded(part).trim(),
  )
  if (body.clientId !== '' && body.clientId !== clientId) {
    throw malformed('client_id is another id than that in the Authorization header: send one of them, or the same')
  }
  return { clientId, clientSecret }
}

function malformed(fault: string): ServiceError {
  return new ServiceError('MALFORMED_REQUEST', fault)
}

const howToSend = 'send Authorization: Basic <base64 of id:secret>, or client_id and client_secret in the body'

function headerUnreadable(): ServiceError {
  return clientCredentialsInvalid(`the Authorization header does not contain an id and a secret: ${howToSend}`)
}

/** Decodes half of Basic credentials (RFC 6749 section 2.3.1). Badly encoded text stays as it is: it matches no key. */
function formDecoded(text: string): string {
  return percentDecoded(text.replaceAll('+', ' '))
}
