import { unescape as percentDecoded } from 'node:querystring'
import { ServiceError } from '../../errors.js'
import { type ClientCredentials, clientCredentialsInvalid } from './access-token.js'

/** The parts of a token request that name the client. */
export interface ClientAuthentication {
  /** The Authorization header, if there is one. */
  readonly authorization: string | undefined
  /** `client_id` of the body, empty if absent. */
  readonly clientId: string
  /** `client_secret` of the body, empty if absent. */
  readonly clientSecret: string
}

/**
 * The credentials of a token request, from the header or from the body (RFC 6749 section 2.3.1). Throws
 * `MALFORMED_REQUEST` if they are in both, and `CLIENT_CREDENTIALS_INVALID` if they are missing or unreadable.
 */
export function clientCredentialsFrom(request: ClientAuthentication): ClientCredentials {
  const { authorization, clientId, clientSecret } = request
  if (authorization === undefined || authorization === '') {
    if (clientId === '' || clientSecret === '') {
      throw clientCredentialsInvalid(`the id or the secret of the API key is missing: ${howToSend}`)
    }
    return { clientId, clientSecret }
  }
  if (clientId !== '' || clientSecret !== '') {
    throw new ServiceError(
      'MALFORMED_REQUEST',
      'the id and the secret of the API key are in both the Authorization header and the body: send them in one place',
    )
  }
  const [, encoded] = /^basic +([A-Za-z0-9+/]+={0,2}) *$/i.exec(authorization) ?? []
  if (encoded === undefined) throw headerUnreadable()
  const text = Buffer.from(encoded, 'base64').toString()
  const colon = text.indexOf(':')
  if (colon < 1) throw headerUnreadable()
  return { clientId: formDecoded(text.slice(0, colon)), clientSecret: formDecoded(text.slice(colon + 1)) }
}

const howToSend = 'send Authorization: Basic <base64 of id:secret>, or client_id and client_secret in the body'

function headerUnreadable(): ServiceError {
  return clientCredentialsInvalid(`the Authorization header does not contain an id and a secret: ${howToSend}`)
}

/** Both halves are form-encoded before they are joined. Badly encoded text is left unchanged, and matches no key. */
function formDecoded(text: string): string {
  return percentDecoded(text.replaceAll('+', ' '))
}
