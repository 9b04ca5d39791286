import { type DescMethod, getOption, hasOption } from '@bufbuild/protobuf'
import { http } from '../../gen/google/api/annotations_pb.js'

/** The REST route of a method. */
export interface HttpRoute {
  /** In lower case, as OpenAPI spells it. */
  readonly httpMethod: string
  readonly path: string
  /** `*` or empty. */
  readonly body: string
}

/** The `google.api.http` rule of a method; undefined without one. Throws for what this API does not use. */
export function httpRouteOf(method: DescMethod): HttpRoute | undefined {
  if (!hasOption(method, http)) return undefined
  const { pattern, body, additionalBindings, responseBody } = getOption(method, http)
  const plain = (body === '' || body === '*') && responseBody === '' && additionalBindings.length === 0
  if (!plain || pattern.case === undefined || pattern.case === 'custom' || pattern.value.includes('=')) {
    throw new Error(`the http rule of ${method.parent.typeName}.${method.name} has no place in the documents`)
  }
  return { httpMethod: pattern.case, path: pattern.value, body }
}
