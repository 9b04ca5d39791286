import { setMaxListeners } from 'node:events'
import type { AddressInfo } from 'node:net'
import type { DescMethod } from '@bufbuild/protobuf'
import type { ContextValues } from '@connectrpc/connect'
import type { Logger } from 'pino'
import type { Config } from './config.js'
import type { Database } from './db/database.js'
import { packageRoot } from './db/package-root.js'
import { packageVersion } from './db/package-version.js'
import { createReadiness } from './db/readiness.js'
import { systemTiming } from './db/transaction.js'
import { createAuthenticator } from './domain/authentication.js'
import { createClientAddressOf } from './domain/client-address.js'
import { withoutCredentials } from './domain/credential-redaction.js'
import { runSweeper } from './domain/credential-sweep.js'
import { createKeyUses } from './domain/key-use.js'
import { createOidcVerifier } from './domain/oidc.js'
import { createPageTokens } from './domain/page-token.js'
import { createRevokeLimiter } from './domain/revoke-limiter.js'
import type { Runtime } from './domain/runtime.js'
import { createSecretHasher } from './domain/secret-hash.js'
import { httpFormOf } from './handlers/http-form.js'
import { requestContextOf } from './handlers/request-context.js'
import { createRevokeCallCounter, slowDownBody } from './handlers/revoke-limit.js'
import { createRoutes, services } from './handlers/routes.js'
import { createCors } from './http/cors.js'
import { createPages } from './http/pages.js'
import { createRequestHandler, type RequestIds } from './http/request-handler.js'
import { createHttpServer } from './http/server.js'
import { anonymousAccessOf, methodAccessOf } from './interceptors/access-rule.js'
import { createAdmission } from './interceptors/admission.js'
import { addReason } from './interceptors/error-reason.js'
import { createErrorMasking, maskError } from './interceptors/mask-errors.js'
import { createRestTranscoder, preprintedList } from './rest/index.js'
import { createHealthRoutes, healthService } from './rpc/health.js'
import type { HttpRequest } from './rpc/http-message.js'
import { createReflectionRoutes, reflectionServices } from './rpc/reflection.js'
import { createRpcHandler } from './rpc/rpc-handler.js'

/** What the service is made of. */
export interface AppOptions {
  readonly config: Config
  readonly database: Database
  readonly runtime: Runtime
  readonly log: Logger
}

/** The service, ready to listen. */
export interface App {
  /** Begins to listen and answers the address. */
  listen(port: number, host: string): Promise<AddressInfo>
  /** Takes no more calls, waits for those that run, and writes what is still to be written. */
  close(): Promise<void>
}

/** How long a call may run, whatever deadline its caller sets. */
const MAX_TIMEOUT_MS = 60_000
/** How long calls may go on when the service stops. */
const GRACE_MS = 10_000

/** Builds the service once: every pool, cache and clock it uses is made here or passed in. */
export function createApp({ config, database, runtime, log }: AppOptions): App {
  /** The service takes no more calls. */
  const closing = new AbortController()
  /** Calls that still run are told to stop. */
  const shutdown = new AbortController()
  // Every running call listens to it.
  setMaxListeners(0, shutdown.signal, closing.signal)
  const requestIds: RequestIds = new WeakMap()
  const clientAddressOf = createClientAddressOf(config.trustProxy)
  const hasher = createSecretHasher(config.secretPepper)
  const keyUses = createKeyUses({ database, log })
  const oidc = config.oidc && createOidcVerifier({ ...config.oidc, runtime })
  const authenticate = createAuthenticator({ database, hasher, keyUses, oidc })
  const ready = createReadiness({ sql: database, log })
  const infrastructure = [healthService, ...reflectionServices]
  const access = new Map([...methodAccessOf(services), ...anonymousAccessOf(infrastructure)])
  const admission = createAdmission({ access, authenticate })

  // What runs before the interceptors do has its errors masked here.
  const masked = async <T>(method: DescMethod, requestId: string, work: () => Promise<T>): Promise<T> => {
    try {
      return await work()
    } catch (error) {
      throw maskError(error, log, { requestId, method: method.name })
    }
  }
  const admit = (method: DescMethod, request: HttpRequest): Promise<ContextValues> => {
    const requestId = requestIds.get(request) ?? ''
    const clientAddress = clientAddressOf(request.socket.remoteAddress, request.headers['x-forwarded-for'])
    const { authorization } = request.headers
    return masked(method, requestId, () => admission(method, { requestId, clientAddress, authorization }))
  }
  const onError = (error: unknown, request: HttpRequest) =>
    log.error({ err: error, requestId: requestIds.get(request) }, 'request failed')

  const countRevokeCall = createRevokeCallCounter(createRevokeLimiter(database), systemTiming)
  const routes = createRoutes({
    database,
    runtime,
    hasher,
    keyUses,
    timing: systemTiming,
    countRevokeCall,
    pageTokens: createPageTokens(database),
    preprintList: preprintedList,
  })
  const interceptors = [createErrorMasking(log)]
  const rest = createRestTranscoder({
    routes,
    interceptors,
    admit: ({ method, request }) => admit(method, request),
    beforeDecode: ({ method, contextValues }) =>
      masked(method, requestContextOf({ values: contextValues }).requestId, () =>
        countRevokeCall(method, contextValues),
      ),
    requestTypes: (method) => (httpFormOf(method).formEncoded ? ['form'] : ['json']),
    emptyResponse: (method) => httpFormOf(method).emptyResponse,
    maxBodyBytes: (method) => httpFormOf(method).maxBodyBytes || config.maxBodyBytes,
    jsonOptions: { alwaysEmitImplicit: true },
    errorBody: slowDownBody,
    completeError: addReason,
    maxTimeoutMs: MAX_TIMEOUT_MS,
    shutdownSignal: shutdown.signal,
    onError: (cause, { request }) => onError(cause, request),
  })
  const health = createHealthRoutes({
    services,
    closing: closing.signal,
    isReady: async () => !closing.signal.aborted && (await ready()),
  })
  const reflection = createReflectionRoutes([...services, ...infrastructure])
  const rpc = createRpcHandler({
    routes: (router) => {
      routes(router)
      health(router)
      reflection(router)
    },
    interceptors,
    admit,
    maxBodyBytes: config.maxBodyBytes,
    maxTimeoutMs: MAX_TIMEOUT_MS,
    shutdownSignal: shutdown.signal,
    onError,
  })
  const root = packageRoot()
  const pages = createPages({ ...config, root, version: packageVersion(root), onError })
  const cors = createCors(config.corsOrigins)
  const doors = { cors, rpc, pages, rest, newId: runtime.newId, log, redact: withoutCredentials }
  const server = createHttpServer(createRequestHandler(doors, requestIds))
  // The first thing that runs by itself: nothing may throw after it.
  const sweeper = runSweeper({ database, log, timing: systemTiming, signal: closing.signal })
  return {
    listen: server.listen,
    close: async () => {
      closing.abort()
      await server.close(GRACE_MS, () => shutdown.abort())
      await sweeper
      await keyUses.flush()
    },
  }
}
