import * as oauth from 'oauth4webapi'
import type { SignInConfig } from './console-config.js'
import { type Credential, claimsOf } from './session.js'

/** What survives the way to the issuer and back: nothing that signs anybody in. */
interface Attempt {
  readonly verifier: string
  readonly state: string
  readonly nonce: string
  /** The address in the console to come back to. */
  readonly returnTo: string
  /** Whether the issuer may ask the person anything. */
  readonly silent: boolean
}

const ATTEMPT = 'svc-console-sign-in'
/** Set while the person has signed out, so that a reload does not sign them in again. */
const SIGNED_OUT = 'svc-console-signed-out'

/** What came of a sign-in: a credential, the issuer's refusal in words, or none of both: nothing was tried. */
export interface SignInResult {
  readonly credential?: Credential
  readonly failure?: string
}

/** Signs people in with an issuer by code and PKCE; the page goes there and comes back. */
export interface OidcSignIn {
  /** Leaves the page. A silent sign-in asks the person nothing, and fails where the issuer would have to. */
  begin(silent: boolean): Promise<void>
  /** Completes a sign-in whose answer is in the address, which it cleans. */
  complete(): Promise<SignInResult>
  /** Whether a reload is to try a silent sign-in. */
  mayTrySilently(): boolean
  /** Ends the session of the issuer where it has a way, for which the page is left. */
  end(): Promise<void>
}

/** Creates the sign-in of a console whose first page is `home`, the address that the issuer knows. */
export function createOidcSignIn(config: SignInConfig, home: string): OidcSignIn {
  const issuer = new URL(config.issuer)
  const client = { client_id: config.clientId }
  const insecure = { [oauth.allowInsecureRequests]: issuer.protocol === 'http:' }
  // An audience that is a URI is a resource of the issuer (RFC 8707).
  const resource: Record<string, string> = URL.canParse(config.audience) ? { resource: config.audience } : {}
  const isOffline = config.scopes.split(' ').includes('offline_access')
  const options = { ...insecure, additionalParameters: resource }
  let discovered: Promise<oauth.AuthorizationServer> | undefined
  const discover = () => {
    discovered ??= oauth
      .discoveryRequest(issuer, insecure)
      .then((response) => oauth.processDiscoveryResponse(issuer, response))
    return discovered
  }
  const credentialFrom = (answer: oauth.TokenEndpointResponse): Credential => {
    const tokens = [answer.access_token, answer.id_token ?? '']
    const { refresh_token: refreshToken } = answer
    return {
      token: tokens.find((token) => isFor(token, config.audience)) ?? answer.access_token,
      holder: tokens.map(addressIn).find((address) => address !== undefined) ?? 'somebody without an address',
      renew: refreshToken === undefined ? undefined : () => refresh(refreshToken),
    }
  }
  const refresh = async (refreshToken: string): Promise<Credential> => {
    const server = await discover()
    const response = await oauth.refreshTokenGrantRequest(server, client, oauth.None(), refreshToken, options)
    const answer = await oauth.processRefreshTokenResponse(server, client, response)
    return credentialFrom({ refresh_token: refreshToken, ...answer })
  }
  return {
    begin: async (silent) => {
      const { authorization_endpoint: endpoint } = await discover()
      if (endpoint === undefined) throw new Error(`${config.issuer} names no authorization endpoint`)
      const attempt: Attempt = {
        verifier: oauth.generateRandomCodeVerifier(),
        state: oauth.generateRandomState(),
        nonce: oauth.generateRandomNonce(),
        returnTo: location.pathname + location.search,
        silent,
      }
      // Whoever has signed out may be somebody else now, also where the issuer's own session goes on.
      const hasSignedOut = sessionStorage.getItem(SIGNED_OUT) !== null
      // Issuers give refresh tokens only where the person consents (OpenID Connect Core, section 11).
      const prompts = silent ? ['none'] : [hasSignedOut ? 'login' : [], isOffline ? 'consent' : []].flat()
      sessionStorage.setItem(ATTEMPT, JSON.stringify(attempt))
      sessionStorage.removeItem(SIGNED_OUT)
      const address = new URL(endpoint)
      const parameters = {
        ...client,
        redirect_uri: home,
        response_type: 'code',
        scope: config.scopes,
        state: attempt.state,
        nonce: attempt.nonce,
        code_challenge: await oauth.calculatePKCECodeChallenge(attempt.verifier),
        code_challenge_method: 'S256',
        ...resource,
        ...(prompts.length > 0 && { prompt: prompts.join(' ') }),
      }
      for (const [name, value] of Object.entries(parameters)) address.searchParams.set(name, value)
      location.assign(address)
    },
    complete: async () => {
      const text = sessionStorage.getItem(ATTEMPT)
      const answer = new URL(location.href)
      if (text === null || !answer.searchParams.has('state')) return {}
      sessionStorage.removeItem(ATTEMPT)
      const attempt: Attempt = JSON.parse(text)
      history.replaceState(null, '', attempt.returnTo)
      try {
        const server = await discover()
        const parameters = oauth.validateAuthResponse(server, client, answer, attempt.state)
        const response = await oauth.authorizationCodeGrantRequest(
          server,
          client,
          oauth.None(),
          parameters,
          home,
          attempt.verifier,
          options,
        )
        const tokens = await oauth.processAuthorizationCodeResponse(server, client, response, {
          expectedNonce: attempt.nonce,
        })
        return { credential: credentialFrom(tokens) }
      } catch (error) {
        return { failure: attempt.silent ? '' : wordsOf(error) }
      }
    },
    mayTrySilently: () => sessionStorage.getItem(SIGNED_OUT) === null,
    end: async () => {
      sessionStorage.setItem(SIGNED_OUT, 'yes')
      const { end_session_endpoint: endpoint } = await discover()
      if (endpoint === undefined) return
      const address = new URL(endpoint)
      // The issuer asks the person, because no token is put into an address as a hint.
      address.searchParams.set('client_id', config.clientId)
      address.searchParams.set('post_logout_redirect_uri', home)
      location.assign(address)
    },
  }
}

/** Whether a token is a JWT for an audience. */
function isFor(token: string, audience: string): boolean {
  return [claimsOf(token)['aud']].flat().includes(audience)
}

/** The address in a JWT, or the name by which the issuer knows the person. */
function addressIn(token: string): string | undefined {
  const claims = claimsOf(token)
  const named = ['email', 'preferred_username', 'upn'].map((claim) => claims[claim])
  return named.find((name): name is string => typeof name === 'string' && name !== '')
}

function wordsOf(error: unknown): string {
  if (error instanceof oauth.AuthorizationResponseError || error instanceof oauth.ResponseBodyError) {
    return error.error_description ?? error.error
  }
  return error instanceof Error ? error.message : String(error)
}
