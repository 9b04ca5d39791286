import type { ContextValues, Interceptor, MethodImplSpec } from '@connectrpc/connect'
import type { Compression } from '@connectrpc/connect/protocol'
import type { Shutdown } from '../rest/shutdown.js'
import type { HttpRequest, HttpResponse } from './http-message.js'

/** A unary implementation with its method. */
export type UnarySpec = MethodImplSpec & { readonly kind: 'unary' }

/** What is left to do for a request that was admitted, with the context values of its admission. */
export type DirectCall = (values: ContextValues) => Promise<void>

/**
 * Looks at the header of a request for one unary method. Answers the call where the request is of the path's protocol,
 * else undefined: then it belongs to the stock handlers.
 */
export type DirectPath = (request: HttpRequest, response: HttpResponse) => DirectCall | undefined

/** What a direct path shares with the stock handlers. */
export interface DirectOptions {
  readonly interceptors: readonly Interceptor[]
  readonly compressions: Compression[]
  readonly maxBodyBytes: number
  readonly maxTimeoutMs: number
  readonly shutdown: Shutdown
}

/** The least size in bytes of a message that is compressed: that of the stock handlers. */
export const COMPRESS_MIN_BYTES = 1024

/** A header in the form in which the functions of Connect take it. */
export function headerOf(request: HttpRequest, name: string): string | null {
  const value = request.headers[name]
  return Array.isArray(value) ? value.join(', ') : (value ?? null)
}
