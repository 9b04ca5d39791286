import { createRestTranscoder, type RestTranscoderOptions } from '../../src/rest/index.js'
import { type AnyHandler, defineService, routesOf } from './fixture.js'

/** A service with a method that reads, one that writes, and one without a rule. */
export const service = defineService({
  Get: { rule: { get: '/v1/things/{id}' } },
  Create: { rule: { post: '/v1/things', body: '*' } },
  Unmapped: {},
})

/** The header of a request with a body of JSON. */
export const json = { 'content-type': 'application/json' }

/** The transcoder of the service, all of whose methods have one handler. */
export function handlerOf(handler: AnyHandler, options: Partial<RestTranscoderOptions> = {}) {
  return createRestTranscoder({ routes: routesOf(service, handler), ...options })
}

/** Answers what it is asked. */
export const echo: AnyHandler = (message) => message
