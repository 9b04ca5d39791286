import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import { exportJWK, generateKeyPair } from 'jose'
import Provider from 'oidc-provider'

/** A real OpenID Connect issuer at which people sign in, with any password. */
export interface SignInIssuer {
  readonly url: string
  /** Lets a public client, `console`, send people here and get them back at an address. */
  serve(redirectUri: string): Promise<void>
  stop(): Promise<void>
}

const TOKEN_SECONDS = 600

/** Starts the issuer on a port of its own. Whoever signs in is the person with this address, or of this user name. */
export async function startSignInIssuer(
  audience: string,
  email: string | ((login: string) => string),
): Promise<SignInIssuer> {
  let answer: RequestListener = (_, response) => response.writeHead(503).end()
  const server = createServer((request, response) => answer(request, response)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : address}`
  return {
    url,
    serve: async (redirectUri) => {
      const { privateKey } = await generateKeyPair('RS256', { extractable: true })
      const key = { ...(await exportJWK(privateKey)), use: 'sig', alg: 'RS256', kid: 'test' }
      const callback = createProvider(url, redirectUri, audience, email, key).callback()
      answer = (request, response) => void callback(request, response)
    },
    stop: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function createProvider(
  url: string,
  redirectUri: string,
  audience: string,
  email: string | ((login: string) => string),
  key: object,
): Provider {
  return new Provider(url, {
    clients: [
      {
        client_id: 'console',
        token_endpoint_auth_method: 'none',
        grant_types: ['authorization_code', 'refresh_token'],
        redirect_uris: [redirectUri],
        post_logout_redirect_uris: [redirectUri],
      },
    ],
    jwks: { keys: [key] },
    cookies: { keys: ['of the test'] },
    clientBasedCORS: () => true,
    pkce: { required: () => true },
    scopes: ['openid', 'email', 'offline_access'],
    extraTokenClaims: (_, token) => {
      const login = 'accountId' in token ? token.accountId : ''
      return { email: typeof email === 'string' ? email : email(login), email_verified: true }
    },
    features: {
      devInteractions: { enabled: true },
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: () => ({
          scope: 'email',
          audience,
          accessTokenFormat: 'jwt',
          accessTokenTTL: TOKEN_SECONDS,
          jwt: { sign: { alg: 'RS256' } },
        }),
      },
    },
  })
}
