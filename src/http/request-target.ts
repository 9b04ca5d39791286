import type { NodeRequest } from '../call/node-http.js'

const ABSOLUTE = /^https?:\/\/([^/?#]+)/i
/** How much of a path is logged, in characters. */
const MAX_LOGGED = 2048

/**
 * Gives a request in absolute form (`GET http://host/path`) the target and the host that it has in origin form, so that
 * every door reads the same; the host of the target overrides the header (RFC 9112 section 3.2.2).
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
export function loggedPath({ url }: NodeRequest): string | undefined {
  const path = url?.split('?', 1)[0]
  return path !== undefined && path.length > MAX_LOGGED ? `${path.slice(0, MAX_LOGGED)}…` : path
}
