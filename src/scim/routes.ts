import { methodNotAllowed, pathNotFound } from '../call/http-failure.js'
import { discoveryRoutes } from './discovery.js'
import { ScimError } from './error.js'
import { groupRoutes } from './groups.js'
import { listRoutes } from './lists.js'
import type { ScimRoute } from './request.js'
import { userRoutes } from './users.js'

/** Every operation of the door. */
export const scimRoutes: readonly ScimRoute[] = [...userRoutes, ...groupRoutes, ...listRoutes, ...discoveryRoutes]

/** A route that a request has, and the variables of its path. */
export interface ScimMatch {
  readonly route: ScimRoute
  readonly parameters: Readonly<Record<string, string>>
}

/** Finds the route of a method and a path below the door; OPTIONS has the methods of the path alone. */
export type FindRoute = (method: string, path: string) => ScimMatch | readonly string[]

/**
 * Makes the look-up. Literal parts go before variables. It throws 404 for a path that no route has, and 405, with the
 * methods that there are, for a method that a path does not have.
 */
export function createRouteTable(routes: readonly ScimRoute[]): FindRoute {
  const table = routes.map((route) => ({ route, parts: route.path.split('/') }))
  return (method, path) => {
    const given = path.split('/')
    const ofPath = table
      .filter(({ parts }) => parts.length === given.length && parts.every((part, index) => fits(part, given[index])))
      .sort((one, other) => variablesOf(one.parts) - variablesOf(other.parts))
    const least = ofPath[0] && variablesOf(ofPath[0].parts)
    const candidates = ofPath.filter(({ parts }) => variablesOf(parts) === least)
    if (candidates.length === 0) throw isUnsupported(path) ? unsupported(path) : pathNotFound(path)
    const verbs = candidates.map(({ route }) => route.method)
    const allowed = [...new Set([...verbs, ...(verbs.includes('GET') ? ['HEAD'] : []), 'OPTIONS'])].sort()
    if (method === 'OPTIONS') return allowed
    const found = candidates.find(({ route }) => route.method === (method === 'HEAD' ? 'GET' : method))
    if (found === undefined) throw methodNotAllowed(method, allowed)
    const parameters = found.parts.flatMap((part, index) => {
      return isVariable(part) ? [[part.slice(1, -1), decoded(given[index] ?? '', path)] as const] : []
    })
    return { route: found.route, parameters: Object.fromEntries(parameters) }
  }
}

/** Operations of the protocol that this service does not have (RFC 7644 sections 3.4.3, 3.7 and 3.11). */
const UNSUPPORTED: readonly string[] = ['/.search', '/bulk', '/me']

function isUnsupported(path: string): boolean {
  return UNSUPPORTED.includes(path.toLowerCase())
}

function unsupported(path: string): ScimError {
  return new ScimError(501, undefined, `${path} is not supported: see ServiceProviderConfig`)
}

function fits(part: string, given = ''): boolean {
  return isVariable(part) ? given !== '' : part.toLowerCase() === given.toLowerCase()
}

function isVariable(part: string): boolean {
  return part.startsWith('{')
}

function variablesOf(parts: readonly string[]): number {
  return parts.filter(isVariable).length
}

function decoded(text: string, path: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw pathNotFound(path)
  }
}
