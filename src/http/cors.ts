import { cors as connectCors } from '@connectrpc/connect'
import { endResponse } from '../call/respond.js'
import type { Protocol } from './request-handler.js'

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']
const ownRequestHeaders = [
  'Authorization',
  'Content-Type',
  'Idempotency-Key',
  'If-Match',
  'If-None-Match',
  'Last-Event-ID',
  'Traceparent',
  'Tracestate',
  'X-Request-Id',
]
const ownResponseHeaders = ['ETag', 'Idempotency-Replayed', 'Retry-After', 'WWW-Authenticate', 'X-Request-Id']
const requestHeaders = listOf(connectCors.allowedHeaders, ownRequestHeaders)
const responseHeaders = listOf(connectCors.exposedHeaders, ownResponseHeaders)
/** How long browsers keep the response to a preflight; they take at most two hours. */
const MAX_AGE_SECONDS = 7200

/**
 * Lets pages of the origins call the service, over REST and every RPC protocol of browsers (Fetch standard, CORS
 * protocol): marks answers, and answers preflights. `*` means every origin; an empty list does nothing. Credentials
 * travel in a header that pages set themselves, so cookies are never allowed.
 */
export function createCors(origins: readonly string[]): Protocol {
  if (origins.length === 0) return () => false
  const allowed = new Set(origins)
  const anyOrigin = allowed.has('*')
  return (request, response) => {
    const { origin } = request.headers
    if (!anyOrigin) response.appendHeader('vary', 'origin')
    if (origin === undefined || !(anyOrigin || allowed.has(origin))) return false
    response.setHeader('access-control-allow-origin', anyOrigin ? '*' : origin)
    if (request.method !== 'OPTIONS' || request.headers['access-control-request-method'] === undefined) {
      response.setHeader('access-control-expose-headers', responseHeaders)
      return false
    }
    response.setHeader('access-control-allow-methods', methods.join(', '))
    response.setHeader('access-control-allow-headers', requestHeaders)
    response.setHeader('access-control-max-age', String(MAX_AGE_SECONDS))
    endResponse(request, response, 204, {}, '')
    return true
  }
}

/** Header names are the same in any case. */
function listOf(...names: readonly (readonly string[])[]): string {
  return [...new Map(names.flat().map((name) => [name.toLowerCase(), name])).values()].join(', ')
}
