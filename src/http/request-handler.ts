import { performance } from 'node:perf_hooks'
import type { NodeHandler, NodeRequest, NodeResponse } from '../call/node-http.js'
import { refuseAmbiguous } from './ambiguous-request.js'
import { withoutCredentials } from './credential-redaction.js'
import { loggedPath, useOriginForm } from './request-target.js'

/**
 * Which part of the service has answered a request: `refused` what no one can read in one way alone, `preflight` CORS.
 */
export const doorNames = ['refused', 'preflight', 'probe', 'rpc', 'page', 'scim', 'rest'] as const

/** One of them. */
export type DoorName = (typeof doorNames)[number]

/** Told of every request, whatever it asks for. Nothing of it may throw. */
export interface RequestObserver {
  begun(): void
  /** The response is sent, or its client is gone. */
  ended(door: DoorName, status: number): void
}

/** What answers requests; each is asked whether a request is its own, in this order. */
export interface Doors {
  /** Marks answers for browsers; true if it answered itself. */
  readonly cors: Door
  readonly probes: Door
  /** The methods over Connect, gRPC and gRPC-Web. */
  readonly rpc: Door
  /** Pages and documents. */
  readonly pages: Door
  readonly scim: Door
  /** Answers everything else. */
  readonly rest: NodeHandler
}

/** Answers the requests whose path is its own, and returns false for any other. */
export type Door = (request: NodeRequest, response: NodeResponse) => boolean

/** What is behind the port. */
export interface RequestHandlerOptions {
  readonly doors: Doors
  /** Told that the client of a request has gone before its response was complete. */
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

/** The id of a request that has been handed to a door. */
export function requestIdOf({ headers }: NodeRequest): string {
  return String(headers['x-request-id'] ?? '')
}

/**
 * Gives each request its id, which is the caller's `X-Request-Id` if that is acceptable, logs its end, and hands it to
 * the door whose path it has.
 */
export function createRequestHandler(options: RequestHandlerOptions): NodeHandler {
  const { onGone, observer, traceIdOf, callerIdOf, newId, log } = options
  const { cors, probes, rpc, pages, scim, rest } = options.doors
  const doors = [refuseAmbiguous, cors, probes, rpc, pages, scim]
  return (request, response) => {
    useOriginForm(request)
    let door: DoorName = 'rest'
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
      observer?.ended(door, status)
    })
    const place = doors.findIndex((answers) => answers(request, response))
    if (place < 0) rest(request, response)
    else door = doorNames[place] ?? door
  }
}
