import type { OutgoingHttpHeaders } from 'node:http'
import { headerOf, type NodeRequest } from '../call/node-http.js'

/**
 * Whether a GET or HEAD asks, by `If-None-Match`, for something else than what it would be answered, whose `ETag` the
 * headers have (RFC 9110, 13.1.2). The comparison is weak: who has the same in another form needs it no more.
 */
export function isNotModified(request: NodeRequest, headers: OutgoingHttpHeaders): boolean {
  const { etag } = headers
  if (typeof etag !== 'string' || (request.method !== 'GET' && request.method !== 'HEAD')) return false
  const known = headerOf(request, 'if-none-match')
  if (known === undefined) return false
  if (known.trim() === '*') return true
  const tags: readonly string[] = known.match(OPAQUE_TAG) ?? []
  return tags.includes(etag.replace(/^W\//, ''))
}

const OPAQUE_TAG = /"[!#-~\x80-\xff]*"/g
