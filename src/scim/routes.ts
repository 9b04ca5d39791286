import { create, createFileRegistry, type DescMethod } from '@bufbuild/protobuf'
import { FileDescriptorProtoSchema } from '@bufbuild/protobuf/wkt'
import { methodNotAllowed, pathNotFound } from '../call/http-failure.js'
import { discoveryRoutes } from './discovery.js'
import { ScimError } from './error.js'
import { groupOperations } from './groups.js'
import type { ScimRoute } from './request.js'
import { listRoutes, resourceRoutes } from './resource-routes.js'
import { groupType, userType } from './resource-types.js'
import { isSameName } from './schema.js'
import { userOperations } from './users.js'

export const scimRoutes: readonly ScimRoute[] = [
  ...resourceRoutes(userType, userOperations),
  ...resourceRoutes(groupType, groupOperations),
  ...listRoutes(userType, userOperations),
  ...listRoutes(groupType, groupOperations),
  ...discoveryRoutes,
]

export interface ScimMatch {
  readonly route: ScimRoute
  readonly id: string
}

/** Operations of the protocol that this service does not have (RFC 7644 sections 3.4.3, 3.7 and 3.11). */
const UNSUPPORTED: readonly string[] = ['/.search', '/bulk', '/me']

/**
 * Finds the route of a method and a path below the address of SCIM; for OPTIONS, the methods of the path. Throws 404
 * for a path that no route has, and 405, with the allowed methods, for a method that a path does not have.
 */
export function findRoute(method: string, path: string): ScimMatch | readonly string[] {
  const routesOf = (wanted: string) => scimRoutes.filter((route) => isSameName(route.path, wanted))
  const [, folder = '', id = '', ...more] = path.split('/')
  const literal = routesOf(path)
  const routes = literal.length > 0 || id === '' || more.length > 0 ? literal : routesOf(`/${folder}/{id}`)
  if (routes.length === 0) {
    if (!UNSUPPORTED.includes(path.toLowerCase())) throw pathNotFound(path)
    throw new ScimError(501, undefined, `${path} is not supported: see ServiceProviderConfig`)
  }
  const verbs = routes.map((route) => route.method)
  const allowed = [...new Set([...verbs, ...(verbs.includes('GET') ? ['HEAD'] : []), 'OPTIONS'])].sort()
  if (method === 'OPTIONS') return allowed
  const route = routes.find((each) => each.method === (method === 'HEAD' ? 'GET' : method))
  if (route === undefined) throw methodNotAllowed(method, allowed)
  return { route, id: decoded(id, path) }
}

function decoded(text: string, path: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw pathNotFound(path)
  }
}

const PACKAGE = 'scim.v2'

/**
 * Descriptors of the operations, such as `scim.v2.Users/Get`, so that their calls are bounded, measured and traced as
 * those of methods are. Nothing else of them is used: their messages are empty.
 */
export const methods: ReadonlyMap<string, DescMethod> = new Map(describeOperations())

function describeOperations(): (readonly [operation: string, DescMethod])[] {
  const names = scimRoutes.map(({ operation }) => operation.split('/'))
  const message = `.${PACKAGE}.Resource`
  const file = create(FileDescriptorProtoSchema, {
    name: 'scim/v2/operations.proto',
    package: PACKAGE,
    syntax: 'proto3',
    messageType: [{ name: 'Resource' }],
    service: [...new Set(names.map(([service = '']) => service))].map((service) => ({
      name: service,
      method: names
        .filter(([one]) => one === service)
        .map(([, name = '']) => ({ name, inputType: message, outputType: message })),
    })),
  })
  const services = [...createFileRegistry(file, () => undefined)].filter((type) => type.kind === 'service')
  return services.flatMap(({ name, methods }) => methods.map((method) => [`${name}/${method.name}`, method] as const))
}
