import { setMaxListeners } from 'node:events'
import type { AddressInfo } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import type { DescMethod } from '@bufbuild/protobuf'
import type { ContextValues, HandlerContext } from '@connectrpc/connect'
import type { Logger } from 'pino'
import { anonymousAccessOf, methodAccessOf } from './admission/access-rule.js'
import { createAdmission } from './admission/admission.js'
import type { NodeRequest } from './call/node-http.js'
import { type CallHooks, toldAll } from './call/serve-call.js'
import type { Config } from './config.js'
import type { Database } from './db/database.js'
import { createReadiness } from './db/readiness.js'
import { systemTiming } from './db/transaction.js'
import { createAuthenticator } from './domain/auth/authentication.js'
import { createBearerTokens } from './domain/auth/bearer-token.js'
import { createKeyUses } from './domain/auth/key-use.js'
import { createManagementKeys } from './domain/auth/management-key.js'
import { createOidcSignIn } from './domain/auth/oidc-sign-in.js'
import { createRevokeLimiter } from './domain/auth/revoke-limiter.js'
import { createSecretHasher } from './domain/auth/secret-hash.js'
import { createRefusalRecorder } from './domain/directory/directory-refusal.js'
import { createPageTokens } from './domain/paging/page-token.js'
import { runSweeper } from './domain/sweeper.js'
import { maskError } from './failure/error-mapping.js'
import { addReason } from './failure/error-reason.js'
import { createCallEnds } from './handlers/call-ends.js'
import { fieldHint } from './handlers/field-hint.js'
import { formRulesOf, httpFormOf, maxBodyBytesOf } from './handlers/http-form.js'
import { createIdempotency } from './handlers/idempotency.js'
import { createLimits } from './handlers/limits.js'
import { requestContextOf } from './handlers/request-context.js'
import { createRevokeCallCounter, isRevocation, slowDownBody } from './handlers/revoke-limit.js'
import { createRoutes, services } from './handlers/routes.js'
import { AdmissibleCall } from './http/admissible-call.js'
import { baseUrlFor } from './http/base-url.js'
import { createCallLimit } from './http/call-limit.js'
import { createClientAddressOf } from './http/client-address.js'
import { createCors } from './http/cors.js'
import { withoutCredentials } from './http/credential-redaction.js'
import { oauthErrorBody } from './http/oauth-error.js'
import { createPages } from './http/pages.js'
import { createProbes, type NotReady } from './http/probes.js'
import { createRequestHandler, requestIdOf } from './http/request-handler.js'
import { createHttpServer } from './http/server.js'
import type { TlsIdentity } from './http/tls-identity.js'
import { createLimitCheck } from './limits/limit-check.js'
import { packageRoot, readBuild } from './package.js'
import { type AdmitCall, createRestTranscoder, jsonText, preprintedMessage } from './rest/index.js'
import { createHealthRoutes, healthService, isWatch } from './rpc/health.js'
import { createReflectionRoutes, reflectionServices } from './rpc/reflection.js'
import { createRpcHandler } from './rpc/rpc-handler.js'
import type { Runtime } from './runtime/runtime.js'
import { createScimAdmission } from './scim/admission.js'
import { createScimDoor } from './scim/door.js'
import { scimRoutes } from './scim/routes.js'
import type { Meters } from './telemetry/meters.js'
import type { Tracing } from './telemetry/tracing.js'

/** What the service is made of. */
export interface AppOptions {
  readonly config: Config
  readonly database: Database
  readonly runtime: Runtime
  readonly log: Logger
  /** Told of what happens; absent is nobody. */
  readonly meters?: Meters | undefined
  readonly tracing?: Tracing | undefined
  /** With which certificate to speak TLS; absent is cleartext. */
  readonly tlsIdentity?: TlsIdentity | undefined
}

/** The service, ready to listen. */
export interface App {
  /** Begins to listen and answers the address. */
  listen(port: number, host: string): Promise<AddressInfo>
  /**
   * Reports that it is not ready, still accepts connections for `drainMillis` (default 0) so that a balancer can
   * notice, waits for running calls, and writes what is still to be written.
   */
  close(drainMillis?: number): Promise<void>
  /** How many calls with a credential run. */
  runningCalls(): number
  /** Shows another certificate to connections from now on. Throws if the service speaks cleartext. */
  useTlsIdentity(identity: TlsIdentity): void
}

/** How long the last calls may continue once the port is closed, unless all of them have less. */
const LAST_GRACE_MS = 5_000

/** How long looking up the caller may take once the query has begun: longer than anybody waits for a connection. */
const AUTHENTICATION_MS = 2_000
/** How long the last writes may take when the service stops. */
const LAST_WRITES_MS = 500

/** Builds the service once: every pool, cache and clock that it uses is made here or passed in. */
export function createApp(options: AppOptions): App {
  const { config, database, runtime, log, meters, tracing } = options
  const observers = meters === undefined ? [] : [meters.statements]
  const tables = database.tablesFor({ observers })
  const tablesOf = (request: NodeRequest, organizationId: string | undefined, call: object | undefined) => {
    const traced = tracing?.callOf(request)
    return database.tablesFor({ call, organizationId, observers: traced ? [...observers, traced] : observers })
  }
  /** Aborts when the service takes no more calls and begins to stop. */
  const closing = new AbortController()
  /** Aborts when calls that still run must stop. */
  const shutdown = new AbortController()
  // Every running call listens to it.
  setMaxListeners(0, shutdown.signal, closing.signal)
  const callerIds = new WeakMap<NodeRequest, string>()
  const onCaller = (request: NodeRequest) => (id: string) => callerIds.set(request, id)
  const clientAddressOf = createClientAddressOf(config.trustProxy)
  const hasher = createSecretHasher(config.secretPepper)
  const keyUses = createKeyUses({ database: tables, log })
  const lookups = tracing?.createSharedStatements()
  const credentials = database.tablesFor({
    timeoutMillis: AUTHENTICATION_MS,
    observers: lookups ? [...observers, lookups] : observers,
  })
  const bearerTokens = createBearerTokens({ database: credentials, runtime })
  const oidc = config.oidc && createOidcSignIn({ ...config.oidc, database: credentials, runtime, log })
  const authenticate = createAuthenticator({ database: credentials, hasher, keyUses, bearerTokens, oidc })
  const readiness = createReadiness({ database, directUrl: config.databaseDirectUrl, log })
  const notReady = async (): Promise<NotReady> =>
    closing.signal.aborted ? { draining: 'the service is stopping' } : readiness.ask()
  const callLimit = createCallLimit({ maxRunning: config.maxRunningCalls })
  const infrastructure = [healthService, ...reflectionServices]
  const access = new Map([...methodAccessOf(services), ...anonymousAccessOf(infrastructure)])
  const admission = createAdmission({ access, authenticate, runtime, takesJwt: oidc !== undefined })

  const admit = async (call: AdmitCall): Promise<ContextValues> => {
    const { method, request } = call
    const traced = tracing?.callOf(request)
    // A report of a leak is carried out even if nobody waits for the answer.
    const cancelled = isRevocation(method) ? undefined : request
    const tablesFor = (organizationId: string | undefined) => {
      const own = tablesOf(request, organizationId, cancelled)
      return { tables: own, reads: own.reads }
    }
    const requestId = requestIdOf(request)
    const known = new AdmissibleCall(call, requestId, clientAddressOf, onCaller(request), traced?.traceparent)
    const admissible = Object.assign(known, { tablesFor })
    const leave = traced && lookups?.tell(traced)
    try {
      const values = await admission(method, admissible)
      // Strangers take no place from others, and health checks and revocations work however many calls run.
      const { caller } = requestContextOf({ values })
      if (caller !== undefined) callLimit.begin(request, caller.organizationId)
      return values
    } finally {
      leave?.()
    }
  }
  const ends = createCallEnds(database, callLimit.end)
  const onError = (err: unknown, { request }: { readonly request: NodeRequest }) =>
    log.error({ err, requestId: requestIdOf(request) }, 'request failed')

  const countRevokeCall = createRevokeCallCounter(createRevokeLimiter, systemTiming, meters?.tally)
  const limitCheck = createLimitCheck()
  const routes = createRoutes({
    database: tables,
    runtime,
    hasher,
    keyUses,
    bearerTokens,
    timing: systemTiming,
    limitCheck,
    pageTokens: createPageTokens(tables),
    preprintMessage: preprintedMessage,
    tally: meters?.tally,
  })
  const maxBodyBytes = (method: DescMethod): number =>
    maxBodyBytesOf(method, access.get(method)?.anonymous === true, config.maxBodyBytes)
  const jsonOptions = { alwaysEmitImplicit: true }
  const maxTimeoutMs = config.maxCallSeconds * 1000
  const idempotency = createIdempotency({
    preprintMessage: preprintedMessage,
    printMessage: (desc, message) => jsonText(desc, message, jsonOptions),
  })
  const calls: CallHooks = {
    interceptors: [createLimits(limitCheck, services), idempotency],
    admit,
    beforeDecode: ({ method, values }) => countRevokeCall(method, values),
    publicError: (cause, { method, request }) =>
      maskError(cause, log, { requestId: requestIdOf(request), method: method.name }),
    observer: toldAll([ends, meters?.calls, tracing?.calls]),
    onError,
    shutdownSignal: shutdown.signal,
  }
  const rest = createRestTranscoder({
    ...calls,
    routes,
    requestTypes: (method) => (httpFormOf(method).formEncoded ? ['form'] : ['json']),
    formRules: formRulesOf,
    emptyResponse: (method) => httpFormOf(method).emptyResponse,
    maxBodyBytes,
    jsonOptions,
    fieldHint,
    errorBody: (error, context) => slowDownBody(error, context) ?? oauthErrorBody(error, context),
    completeError: addReason,
    maxTimeoutMs,
  })
  const isReady = async () => Object.keys(await notReady()).length === 0
  const addressOf = (context: HandlerContext) => requestContextOf(context).clientAddress()
  const health = createHealthRoutes({ services, closing: closing.signal, isReady, clientAddressOf: addressOf })
  const reflection = createReflectionRoutes([...services, ...infrastructure])
  const rpc = createRpcHandler({
    ...calls,
    routes: (router) => {
      routes(router)
      health(router)
      reflection(router)
    },
    maxBodyBytes,
    maxTimeoutMs: (method) => (isWatch(method) ? undefined : maxTimeoutMs),
  })
  const recordRefusal = createRefusalRecorder({ database: tables, runtime, redact: withoutCredentials, log })
  const findManagementKey = createManagementKeys({ database: credentials, hasher, keyUses })
  const admitDirectory = createScimAdmission({ findManagementKey, authenticate })
  const scim = createScimDoor({
    ...calls,
    routes: scimRoutes,
    admit: (request) => admitDirectory(request.headers.authorization, requestIdOf(request), onCaller(request)),
    begin: callLimit.begin,
    runtime,
    tablesOf: (request, organizationId) => tablesOf(request, organizationId, request),
    requestIdOf,
    baseUrlOf: (request) => baseUrlFor(request, config.publicUrl),
    maxBodyBytes: config.maxBodyBytes,
    maxTimeoutMs,
    onRefusal: ({ directory, ...refusal }) => recordRefusal(directory, refusal),
  })
  const root = packageRoot()
  const build = readBuild(root)
  const pages = createPages({
    ...config,
    root,
    version: build.version,
    onError: (err, request) => onError(err, { request }),
  })
  const cors = createCors(config.corsOrigins)
  const probes = createProbes({ notReady, build })
  const doors = {
    cors,
    probes,
    rpc,
    pages,
    scim,
    rest,
    onGone: ends.onGone,
    observer: meters?.requests,
    traceIdOf: tracing && ((request: NodeRequest) => tracing.callOf(request)?.traceId),
    callerIdOf: (request: NodeRequest) => callerIds.get(request),
    newId: runtime.newId,
    log,
    redact: withoutCredentials,
  }
  const server = createHttpServer(createRequestHandler(doors), {
    idleMillis: config.idleSeconds * 1000,
    headerMillis: config.headerSeconds * 1000,
    requestMillis: config.requestSeconds * 1000,
    maxHeaderBytes: config.maxHeaderBytes,
    maxStreams: config.maxStreams,
    maxConnections: config.maxConnections,
    identity: options.tlsIdentity,
  })
  const { traffic, certificateExpiry } = server
  meters?.watch({ database, callLimit, traffic, certificateExpiry, isReady })
  // The first thing that runs in the background: nothing may throw after it.
  const sweeper = runSweeper({ database: tables, log, runtime, timing: systemTiming, signal: closing.signal })
  return {
    listen: server.listen,
    useTlsIdentity: server.useIdentity,
    runningCalls: () => callLimit.running,
    close: async (drainMillis = 0) => {
      closing.abort()
      const allGraceMillis = config.graceSeconds * 1000
      const graceMillis = Math.max(allGraceMillis, drainMillis + Math.min(LAST_GRACE_MS, allGraceMillis))
      await server.close({ drainMillis, graceMillis, onGraceOver: () => shutdown.abort() })
      const late = wait(LAST_WRITES_MS, undefined, { ref: false }).then(() => {
        throw new Error('the database does not answer')
      })
      const lastWrites = Promise.all([sweeper, keyUses.flush()])
      await Promise.race([lastWrites, late]).catch((err: unknown) =>
        log.warn({ err }, 'the last use of API keys could not be recorded'),
      )
      readiness.close()
    },
  }
}
