import { nearestName, shortList } from '../protojson/nearest.js'

/** Longer paths are not compared. */
const MAX_LENGTH = 300
/** Extra slashes, a prefix, or a missing package, before or after a service and a method. */
const SERVICE_AND_METHOD = /(?<![\w.-])([\w.-]+)\/+([\w-]+)\/*$/

/** Where a path that belongs to no method was probably meant to lead. */
export interface NearestMethod {
  /** The path of the method that was probably meant; undefined if no method is near. */
  readonly path?: string
  /** What to tell the caller. */
  readonly hint: string
}

/**
 * Finds the method whose path was probably meant by one that differs in slashes, in a prefix, in case or by a typo, or
 * that names the method with another service; otherwise names the methods of the nearest service, or the services.
 * Undefined: the path is nothing like one of a method.
 */
export function createNearestMethod(paths: Iterable<string>): (path: string) => NearestMethod | undefined {
  const methods = new Map<string, string[]>()
  for (const path of paths) {
    const [, service = '', method = ''] = path.split('/')
    methods.set(service, [...(methods.get(service) ?? []), method])
  }
  const services = [...methods.keys()]
  return (path) => {
    const match = path.length > MAX_LENGTH ? null : SERVICE_AND_METHOD.exec(path)
    if (match === null) return undefined
    const [, givenService = '', givenMethod = ''] = match
    const near = nearestName(givenService, services)
    const names = methods.get(near ?? '') ?? []
    const nearMethod = nearestName(givenMethod, names)
    if (near !== undefined && nearMethod !== undefined) return meant(near, nearMethod)
    const owner = services.find((service) => methods.get(service)?.includes(givenMethod))
    if (owner !== undefined) return meant(owner, givenMethod)
    return near === undefined
      ? { hint: `the services are ${shortList(services)}` }
      : { hint: `${near} has ${shortList(names)}` }
  }
}

function meant(service: string, method: string): NearestMethod {
  const path = `/${service}/${method}`
  return { path, hint: `did you mean ${path}?` }
}
