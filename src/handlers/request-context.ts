import { createContextKey, type HandlerContext } from '@connectrpc/connect'
import type { Caller } from '../domain/caller/caller.js'
import { ServiceError } from '../errors.js'

/** What is known about a request before its body is read. */
export interface RequestContext {
  /** The id that the answer and the log carry. */
  readonly requestId: string
  /** The client address that limits count, as determined by `TRUST_PROXY`. */
  readonly clientAddress: string
  /** Who calls; `undefined` if the method is open to anyone. */
  readonly caller: Caller | undefined
  /** What the caller calls the call, as it was sent. */
  readonly idempotencyKey: string | undefined
  /** The `If-Match`, as it was sent. */
  readonly ifMatch: string | undefined
  /** How long the call may still take, in milliseconds; undefined without a deadline. */
  timeoutMillis(): number | undefined
}

/** Where handlers and interceptors find the request's context. */
export const requestContextKey = createContextKey<RequestContext | undefined>(undefined, {
  description: 'request context',
})

/** The context of the request that is being handled. */
export function requestContextOf(context: Pick<HandlerContext, 'values'>): RequestContext {
  const request = context.values.get(requestContextKey)
  if (request === undefined) throw new Error('the request was not admitted before it was handled')
  return request
}

/** Who calls, in methods that need a credential. */
export function callerOf(context: Pick<HandlerContext, 'values'>): Caller {
  const { caller } = requestContextOf(context)
  if (caller === undefined) throw new ServiceError('CREDENTIAL_MISSING', 'a bearer credential is required')
  return caller
}
