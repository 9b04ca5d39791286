import { performance } from 'node:perf_hooks'
import type { NodeHandler, NodeRequest, NodeResponse } from '../call/node-http.js'
import { refuseAmbiguous } from './ambiguous-request.js'
import { withoutCredentials } from './credential-redaction.js'
import { loggedPath, useOriginForm } from './request-target.js'

/**
 * The parts of the service that answer requests, in the order in which they are asked. `refused` answers ambiguous
 * requests; `preflight` answers those of CORS, and adds its headers to the responses of others; `rest` answers whatever
 * no other part does.
 */
export const protocolNames = ['refused', 'preflight', 'probe', 'rpc', 'page', 'scim', 'rest'] as const

export type ProtocolName = (typeof protocolNames)[number]

/** Observes every request, whatever it asks for. Must not throw. */
export interface RequestObserver {
  begun(): void
  /** The response is sent, or its client is gone. */
  ended(protocol: ProtocolName, status: number): void
}

/** Answers the requests whose path is its own, and returns false for any other. */
export type Protocol = (request: NodeRequest, response: NodeResponse) => boolean

/** The protocols that a service makes. */
export type Protocols = Readonly<
  Record<Exclude<ProtocolName, 'refused' | 'rest'>, Protocol> & Record<'rest', NodeHandler>
>

export interface RequestHandlerOptions {
  readonly protocols: Protocols
  /** Called when a client disconnects before its response is complete. */
  readonly onGone: (request: NodeRequest) => void
  readonly observer?: RequestObserver | undefined
  /** The id of the trace that a request belongs to, for its line in the log. */
  readonly traceIdOf?: ((request: NodeRequest) => string | undefined) | undefined
  /** The id of the key or user that sent a request, for its line in the log. */
  readonly callerIdOf?: ((request: NodeRequest) => string | undefined) | undefined
  readonly newId: () => string
  /** Where requests are logged. A pino logger fits. */
  readonly log: { info(fields: Record<string, unknown>, message: string): void }
}

/** Ids that callers can give to requests, so that both sides' logs can be joined. */
const ACCEPTED_ID = /^[A-Za-z0-9._:-]{1,128}$/

/** The id of a request that has been handed to a protocol. */
export function requestIdOf({ headers }: NodeRequest): string {
  return String(headers['x-request-id'] ?? '')
}

/**
 * Gives each request its id, which is the caller's `X-Request-Id` if that is acceptable, logs its end, and hands it to
 * the protocol whose path it has.
 */
export function createRequestHandler(options: RequestHandlerOptions): NodeHandler {
  const { onGone, observer, traceIdOf, callerIdOf, newId, log } = options
  const { rest, ...others } = options.protocols
  const protocols: Readonly<Partial<Record<ProtocolName, Protocol>>> = { refused: refuseAmbiguous, ...others }
  return (request, response) => {
    useOriginForm(request)
    let protocol: ProtocolName = 'rest'
    observer?.begun()
    const given = requestIdOf(request)
    const requestId = ACCEPTED_ID.test(given) && withoutCredentials(given) === given ? given : newId()
    const start = performance.now()
    request.headers['x-request-id'] = requestId
    response.setHeader('x-request-id', requestId)
    // Pages for everyone say otherwise.
    response.setHeader('cache-control', 'no-store')
    response.setHeader('x-content-type-options', 'nosniff')
    const sink = 'stream' in response ? response.stream : response
    response.once('close', () => {
      if (!sink.writableFinished) onGone(request)
      const durationMs = Math.round((performance.now() - start) * 10) / 10
      const path = loggedPath(request)
      const traceId = traceIdOf?.(request)
      const callerId = callerIdOf?.(request)
      const { method } = request
      const { statusCode: status } = response
      log.info({ requestId, traceId, callerId, method, path, status, durationMs }, 'request')
      observer?.ended(protocol, status)
    })
    protocol = protocolNames.find((name) => protocols[name]?.(request, response)) ?? 'rest'
    if (protocol === 'rest') rest(request, response)
  }
}
