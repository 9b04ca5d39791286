import { setImmediate as nextTurn } from 'node:timers/promises'
import type { DescMethod, DescService } from '@bufbuild/protobuf'
import { Code, ConnectError, type ContextValues, createContextValues } from '@connectrpc/connect'
import { accessRulesOf } from '../admission/access-rule.js'
import { createAdmission } from '../admission/admission.js'
import { ifMatchOf } from '../call/entity-tag.js'
import { headerOf, type NodeRequest } from '../call/node-http.js'
import type { AdmitCall, CallHooks, CallObserver } from '../call/serve-call.js'
import { admitRevocation } from '../domain/auth/revoke-limiter.js'
import type { FeedSignals } from '../domain/event/feed-signals.js'
import { createPageTokens } from '../domain/value/page-token.js'
import type { WebhookTools } from '../domain/webhook/delivery.js'
import { maskError } from '../failure/error-mapping.js'
import { createRevokeCallCounter, isRevocation } from '../handlers/auth.js'
import { createIdempotency } from '../handlers/idempotency.js'
import { callContextOf, requestContextKey } from '../handlers/request-context.js'
import { createLimits, services } from '../handlers/routes.js'
import type { CallLimit } from '../http/call-limit.js'
import { createClientAddressOf } from '../http/client-address.js'
import { requestIdOf } from '../http/request-handler.js'
import type { LimitCheck } from '../limits/limit-check.js'
import { httpFormOf, onlyReads } from '../limits/method-rules.js'
import { healthService } from '../rpc/health.js'
import { reflectionServices } from '../rpc/reflection.js'
import { Semaphore } from '../runtime/semaphore.js'
import type { Authentication } from './authentication.js'
import type { Lifecycle } from './lifecycle.js'
import type { AppOptions, ServiceTables } from './tables.js'
import { createUnreadShare } from './unread-share.js'

export type Calls = ReturnType<typeof createCalls>

export interface Parts extends AppOptions {
  readonly lifecycle: Lifecycle
  readonly tables: ServiceTables
  readonly authentication: Authentication
  readonly callLimit: CallLimit
  readonly limitCheck: LimitCheck
  readonly feedSignals: FeedSignals
  readonly webhooks: WebhookTools
}

/** The longest body, in bytes, of a method that anyone may call. */
const ANONYMOUS_BODY_BYTES = 16 * 1024

/**
 * How many failed requests are answered in a turn of the event loop. A client that sends nothing else, such as tokens
 * that do not exist, then waits for its like, and does not delay calls that take several turns.
 */
const FAILURES_A_TURN = 4
/** How many wait; any more are answered at once. */
const MAX_FAILURES_WAITING = 1_024

/** Services that are not ours, and open to anyone. */
export const infrastructure: readonly DescService[] = [healthService, ...reflectionServices]

export function createCalls(options: Parts) {
  const { config, database, log, meters, tracing, callLimit, feedSignals } = options
  const clientAddressOf = createClientAddressOf(config.trustProxy)
  const failing = new Semaphore(FAILURES_A_TURN)
  const access = accessRulesOf(services, infrastructure)
  const callerIds = new WeakMap<NodeRequest, string>()
  const unread = createUnreadShare()
  // A call ends with its answer: whether that is read does not matter, as long as it is not too much.
  const observer: CallObserver = {
    begun: (call) => tracing?.calls.begun(call),
    ended: (call) => {
      const { request, response, method, requestMethod, abortReason } = call
      const organizationId = callLimit.end(request)
      if (organizationId !== undefined) unread.add(organizationId, response)
      const isRead = onlyReads(method) || requestMethod === 'GET'
      if (organizationId !== undefined && !isRead) feedSignals.committed(organizationId)
      if (abortReason !== undefined) database.stop(request, abortReason)
      meters?.calls.ended(call)
      tracing?.calls.ended(call)
    },
  }
  /** Notes the id of the key or user that sent a request, also where it is refused. */
  const noteCaller = (request: NodeRequest, id: string) => void callerIds.set(request, id)
  /** The hooks around a call, over any protocol. */
  const hooks: CallHooks = {
    interceptors: [createLimits(options.limitCheck), createIdempotency()],
    admit: createAdmit(options, access, noteCaller, clientAddressOf),
    beforeDecode: createRevokeCallCounter(admitRevocation, meters?.tally),
    beforeFailure: async (request) => {
      // What is kept for those who wait must not grow.
      if (failing.waiting >= MAX_FAILURES_WAITING) return
      const address = () => clientAddressOf(request.socket.remoteAddress, request.headers['x-forwarded-for'])
      await failing.use(nextTurn, { of: callLimit.organizationOf(request) ?? `address ${address()}` })
    },
    beforeAnswer: ({ method, request }) => {
      const organizationId = callLimit.organizationOf(request)
      // The response to a write is always sent.
      if (organizationId !== undefined && onlyReads(method)) unread.requireRoom(organizationId)
    },
    publicError: (cause, { method, request }) =>
      maskError(cause, log, { requestId: requestIdOf(request), method: method.name }),
    observer,
    onError: (err, { request }) => log.error({ err, requestId: requestIdOf(request) }, 'request failed'),
    shutdownSignal: options.lifecycle.shutdown,
  }
  return {
    hooks,
    maxTimeoutMs: config.maxCallSeconds * 1000,
    maxBodyBytes: (method: DescMethod) => {
      const declared = httpFormOf(method).maxBodyBytes || config.maxBodyBytes
      return access.get(method)?.anonymous === true ? Math.min(declared, ANONYMOUS_BODY_BYTES) : declared
    },
    noteCaller,
    callerIdOf: (request: NodeRequest) => callerIds.get(request),
    /** Call when the client disconnects early; cancels the call. */
    onGone: (request: NodeRequest) => {
      callLimit.end(request)
      database.stop(request, new ConnectError('the client disconnected', Code.Canceled))
    },
  }
}

function createAdmit(
  { runtime, tracing, tables, authentication, callLimit }: Parts,
  access: ReturnType<typeof accessRulesOf>,
  noteCaller: (request: NodeRequest, id: string) => void,
  clientAddressOf: ReturnType<typeof createClientAddressOf>,
): (call: AdmitCall) => Promise<ContextValues> {
  const { authenticate, takesJwt } = authentication
  const admission = createAdmission({ access, authenticate, takesJwt })
  const pageTokens = createPageTokens(tables.shared)
  const admit = async (call: AdmitCall): Promise<ContextValues> => {
    const { method, request } = call
    const traced = tracing?.callOf(request)
    // Read now, because it is lost when the connection ends.
    const { remoteAddress } = request.socket
    const stopObserving = traced && tables.lookups?.observe(traced)
    try {
      const requestId = requestIdOf(request)
      const caller = await admission(method, {
        requestId,
        authorization: request.headers.authorization,
        traceparent: traced?.traceparent,
        onCaller: (id) => noteCaller(request, id),
      })
      const clientAddress = () => clientAddressOf(remoteAddress, request.headers['x-forwarded-for'])
      const user = caller === undefined ? { address: clientAddress() } : { organizationId: caller.organizationId }
      const own = isRevocation(method) ? tables.ofRevocation(request, clientAddress()) : tables.ofCall(request, user)
      // Strangers take no place from others, and health checks and revocations work however many calls run.
      if (caller !== undefined) callLimit.begin(request, caller.organizationId)
      return createContextValues().set(requestContextKey, {
        runtime,
        requestId,
        caller,
        clientAddress,
        idempotencyKey: headerOf(request, 'idempotency-key'),
        ifMatch: ifMatchOf(request),
        tables: own,
        reads: own.reads,
        readSnapshot: own.readSnapshot,
        pageTokens,
        release: () => callLimit.end(request),
        reacquire: async () => {
          callLimit.end(request)
          const values = await admit(call)
          // It may have ended while it was admitted.
          if (call.signal.aborted) callLimit.end(request)
          call.signal.throwIfAborted()
          return callContextOf({ values })
        },
      })
    } finally {
      stopObserving?.()
    }
  }
  return admit
}
