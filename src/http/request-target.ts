import { headerOf, isOverTls, type NodeRequest, pathOf } from '../call/node-http.js'
import { isFromProxy, type TrustProxy } from './client-address.js'

const ABSOLUTE = /^https?:\/\/([^/?#]+)/i
/** How much of a path is logged, in characters. */
const MAX_LOGGED = 2048

/**
 * Gives a request in absolute form (`GET http://host/path`) the target and the host that it has in origin form, so that
 * every protocol reads the same; the host of the target overrides the header (RFC 9112 section 3.2.2).
 */
export function useOriginForm(request: NodeRequest): void {
  const target = request.url ?? ''
  if (target.startsWith('/')) return
  const [origin, host] = ABSOLUTE.exec(target) ?? []
  if (origin === undefined) return
  const rest = target.slice(origin.length)
  request.url = rest.startsWith('/') ? rest : `/${rest}`
  request.headers.host = host
}

/** The path of a request for the log. The query is left out: it may contain what people should not have put there. */
export function loggedPath(request: NodeRequest): string {
  const path = pathOf(request)
  return path.length > MAX_LOGGED ? `${path.slice(0, MAX_LOGGED)}…` : path
}

/** A host name or address with an optional port, and nothing that could break out of a URL (RFC 9110 section 7.2). */
const HOST = /^(?:[A-Za-z0-9.-]{1,253}|\[[0-9A-Fa-f:.]{2,45}\])(?::\d{1,5})?$/

/** The address at which clients reach the service, as far as it is known. */
export interface Reached {
  readonly publicUrl?: string | undefined
  readonly trustProxy: TrustProxy
}

/**
 * The base address of the service as the client of this request reaches it, without a slash at the end: `publicUrl` if
 * it is configured, otherwise from the host that the request names and the scheme that it has, or had before a trusted
 * proxy (`X-Forwarded-Proto`). Empty, which is relative, if it names no host.
 */
export function baseUrlFor(request: NodeRequest, { publicUrl, trustProxy }: Reached): string {
  if (publicUrl !== undefined) return /^.*[^/]/.exec(publicUrl)?.[0] ?? ''
  const authority = request.headers[':authority'] ?? request.headers.host
  const forwarded = isFromProxy(trustProxy, request.socket.remoteAddress) ? lastForwardedProto(request) : undefined
  const scheme = forwarded ?? (isOverTls(request) ? 'https' : 'http')
  return typeof authority === 'string' && HOST.test(authority) ? `${scheme}://${authority}` : ''
}

/** The scheme that the nearest proxy was asked over; undefined if it does not say. */
function lastForwardedProto(request: NodeRequest): 'http' | 'https' | undefined {
  const last = headerOf(request, 'x-forwarded-proto')?.split(',').at(-1)?.trim().toLowerCase()
  return last === 'http' || last === 'https' ? last : undefined
}
