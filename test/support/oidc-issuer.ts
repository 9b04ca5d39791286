import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import { exportJWK, generateKeyPair, type JWK } from 'jose'
import Provider from 'oidc-provider'

/** The claims of a test's token, besides those that the issuer adds. */
export type ExtraClaims = Readonly<Record<string, string | boolean | number | null>>

/** A real OpenID Connect issuer on a port of its own. */
export interface OidcIssuer {
  readonly url: string
  /** The private keys that it signs with now. */
  readonly keys: readonly JWK[]
  /** How often its keys were requested. */
  readonly keyFetches: () => number
  /** How often anything was requested. */
  readonly fetches: () => number
  /** Issues a token. */
  issue(audience: string, claims: ExtraClaims): Promise<string>
  /** Replaces its keys, so that nothing that it signed before can be verified any more. */
  rotate(): Promise<void>
  /** Responds with 500 until the next call. */
  fail(isFailing: boolean): void
  stop(): Promise<void>
}

/** An issuer whose key set is defined by the test, byte by byte. */
export interface StaticIssuer {
  readonly url: string
  /** The `traceparent` of each received request. */
  readonly traceparents: readonly unknown[]
  /** Has another key set from now on. */
  replaceKeys(keySet: string): void
  stop(): Promise<void>
}

/** Starts an issuer with a discovery document and the text given as its key set. */
export async function startStaticIssuer(firstKeySet: string): Promise<StaticIssuer> {
  let keySet = firstKeySet
  const traceparents: unknown[] = []
  const server = createServer((request, response) => {
    traceparents.push(request.headers['traceparent'])
    response.setHeader('content-type', 'application/json')
    response.end(request.url === '/jwks' ? keySet : JSON.stringify({ issuer: url, jwks_uri: `${url}/jwks` }))
  })
  const url = await listen(server)
  const replaceKeys = (other: string) => {
    keySet = other
  }
  return { url, traceparents, replaceKeys, stop: () => stop(server) }
}

/** An issuer that accepts requests and does not respond. */
export interface SilentIssuer {
  readonly url: string
  readonly requests: () => number
  /** Closes the waiting connections. */
  hangUp(): void
  stop(): Promise<void>
}

/** Starts an issuer that does not respond. */
export async function startSilentIssuer(): Promise<SilentIssuer> {
  let requests = 0
  const server = createServer(() => requests++)
  const url = await listen(server)
  return { url, requests: () => requests, hangUp: () => server.closeAllConnections(), stop: () => stop(server) }
}

/** Starts an issuer whose key set never ends: a blank at a time. */
export async function startTricklingIssuer(): Promise<Pick<OidcIssuer, 'url' | 'stop'>> {
  let url = ''
  const server = createServer((request, response) => {
    if (request.url !== '/keys') return response.end(JSON.stringify({ issuer: url, jwks_uri: `${url}/keys` }))
    const timer = setInterval(() => response.write(' '), 50)
    return response.on('close', () => clearInterval(timer))
  })
  url = await listen(server)
  return { url, stop: () => stop(server) }
}

async function listen(server: Server): Promise<string> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : address}`
}

async function stop(server: Server): Promise<void> {
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
}

/** How long its tokens last, in seconds. */
export const ISSUED_TOKEN_SECONDS = 600
const client = { client_id: 'test', client_secret: 'the secret of the test client' }

/** Starts the issuer. */
export async function startOidcIssuer(): Promise<OidcIssuer> {
  let answer: RequestListener = (_, response) => response.writeHead(503).end()
  let failing = false
  let fetches = 0
  let keyFetches = 0
  const server = createServer((request, response) => {
    fetches++
    if (request.url?.startsWith('/jwks')) keyFetches++
    if (failing) response.writeHead(500).end()
    else answer(request, response)
  })
  const url = await listen(server)

  let keys: JWK[] = []
  let claims: ExtraClaims = {}
  const rotate = async () => {
    keys = [await newKey()]
    const callback = createProvider(url, keys, () => claims).callback()
    answer = (request, response) => void callback(request, response)
  }
  await rotate()
  return {
    url,
    get keys() {
      return keys
    },
    keyFetches: () => keyFetches,
    fetches: () => fetches,
    issue: async (audience, extra) => {
      claims = extra
      const body = new URLSearchParams({ grant_type: 'client_credentials', resource: `urn:test:${audience}` })
      const authorization = `Basic ${Buffer.from(Object.values(client).map(encodeURIComponent).join(':')).toString('base64')}`
      const response = await fetch(`${url}/token`, { method: 'POST', body, headers: { authorization } })
      const text = await response.text()
      const token = /"access_token":"([^"]+)"/.exec(text)?.[1]
      if (token === undefined) throw new Error(`the issuer answers ${response.status}: ${text}`)
      return token
    },
    rotate,
    fail: (isFailing) => {
      failing = isFailing
    },
    stop: () => stop(server),
  }
}

function createProvider(issuer: string, keys: JWK[], claims: () => ExtraClaims): Provider {
  return new Provider(issuer, {
    clients: [{ ...client, grant_types: ['client_credentials'], redirect_uris: [], response_types: [] }],
    jwks: { keys },
    cookies: { keys: ['not used'] },
    extraTokenClaims: () => ({ ...claims() }),
    features: {
      clientCredentials: { enabled: true },
      devInteractions: { enabled: false },
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: (_, resource) => ({
          scope: '',
          audience: resource.replace('urn:test:', ''),
          accessTokenFormat: 'jwt',
          accessTokenTTL: ISSUED_TOKEN_SECONDS,
          jwt: { sign: { alg: 'RS256' } },
        }),
      },
    },
  })
}

async function newKey(): Promise<JWK> {
  const { privateKey } = await generateKeyPair('RS256', { extractable: true })
  return { ...(await exportJWK(privateKey)), use: 'sig', alg: 'RS256', kid: crypto.randomUUID() }
}
