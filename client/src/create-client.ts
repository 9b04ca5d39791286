import { type Client, createClient as createServiceClient, type Transport } from '@connectrpc/connect'
import { createConnectTransport } from '@connectrpc/connect-web'
import { services } from '../../gen/svc/v2/services.js'
import { type AccessTokens, createAuthorization, createFetchedTokens, createGivenTokens } from './access-token.js'
import { checkOptions } from './check-options.js'
import type { ClientOptions, Credentials } from './client-options.js'
import { createRetries } from './retry.js'
import { type ClientTiming, machineTiming } from './timing.js'
import { createUnreachable } from './unreachable.js'

type ServiceClients = { readonly [Name in keyof typeof services]: Client<(typeof services)[Name]> }

/** The service, one member per resource. Methods throw a `ConnectError`; see `reasonOf`. */
export interface SvcClient extends ServiceClients {
  /** For a generated client of another service on the same address, with the same credentials and retries. */
  readonly transport: Transport
}

const DEFAULT_TIMEOUT_MILLIS = 30_000

/**
 * Creates a client for Node and for browsers. It keeps no connection, so that nothing is to be closed. Throws a
 * `TypeError` for a base address without a scheme and for missing credentials.
 */
export function createClient(options: ClientOptions): SvcClient {
  checkOptions(options)
  const timing = options.timing ?? machineTiming
  const common = {
    baseUrl: options.baseUrl,
    defaultTimeoutMs: options.timeoutMillis ?? DEFAULT_TIMEOUT_MILLIS,
    ...(options.fetch === undefined ? {} : { fetch: options.fetch }),
  }
  const retry = options.retry ?? {}
  const unreachable = createUnreachable(options.baseUrl)
  // An extra token does no harm, so fetching one can always be repeated.
  const anonymous = createConnectTransport({
    ...common,
    interceptors: [createRetries(retry, timing, () => true), unreachable],
  })
  const tokens = accessTokensFrom(options.credentials, anonymous, timing)
  const transport = createConnectTransport({
    ...common,
    interceptors: [createRetries(retry, timing), createAuthorization(tokens), unreachable],
  })
  const clients = Object.entries(services).map(([name, service]) => [name, createServiceClient(service, transport)])
  // Each client has the type of its service, which the compiler cannot see here.
  const members: object = Object.fromEntries(clients)
  return { ...(members as ServiceClients), transport }
}

function accessTokensFrom(credentials: Credentials, anonymous: Transport, timing: ClientTiming): AccessTokens {
  if ('token' in credentials) return createGivenTokens(credentials.token)
  const { clientId, clientSecret } = credentials
  const auth = createServiceClient(services.auth, anonymous)
  return createFetchedTokens(async () => {
    const answer = await auth.createToken({ grantType: 'client_credentials', clientId, clientSecret })
    return { token: answer.accessToken, expiresInSeconds: answer.expiresIn }
  }, timing)
}
