import { createContextKey, type HandlerContext } from '@connectrpc/connect'
import type { CallContext, Caller } from '../domain/caller/caller.js'
import { ServiceError } from '../errors.js'

/** The context of a request before its body is read. */
export interface RequestContext extends Omit<CallContext, 'caller'> {
  readonly caller: Caller | undefined
  /** The client address that limits count, as determined by `TRUST_PROXY`. */
  clientAddress(): string
  readonly idempotencyKey: string | undefined
}

export const requestContextKey = createContextKey<RequestContext | undefined>(undefined, {
  description: 'request context',
})

export function requestContextOf(context: Pick<HandlerContext, 'values'>): RequestContext {
  const request = context.values.get(requestContextKey)
  if (request === undefined) throw new Error('the request was not admitted before it was handled')
  return request
}

/** The context of a call, in methods that require a credential. */
export function callContextOf(context: Pick<HandlerContext, 'values'>): CallContext {
  const request = requestContextOf(context)
  if (!hasCaller(request)) throw new ServiceError('CREDENTIAL_MISSING', 'a bearer credential is required')
  return request
}

function hasCaller(request: RequestContext): request is RequestContext & CallContext {
  return request.caller !== undefined
}
