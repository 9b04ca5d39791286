import { type DescMethod, getOption, type JsonObject } from '@bufbuild/protobuf'
import { MethodOptions_IdempotencyLevel } from '@bufbuild/protobuf/wkt'
import { access } from '../../gen/svc/v2/access_pb.js'
import { http_form } from '../../gen/svc/v2/http_form_pb.js'

/** The headers that a method accepts, as references. */
export function headerParameters(method: DescMethod): JsonObject[] {
  const { entityTag, ifMatch } = getOption(method, http_form)
  return [
    ...(takesIdempotencyKey(method) ? [{ $ref: '#/components/parameters/IdempotencyKey' }] : []),
    ...(ifMatch ? [{ $ref: '#/components/parameters/IfMatch' }] : []),
    ...(entityTag && onlyReads(method) ? [{ $ref: '#/components/parameters/IfNoneMatch' }] : []),
  ]
}

/** The headers of its responses, as references; undefined if there are only those that every response has. */
export function headersOfAnswers(method: DescMethod): JsonObject | undefined {
  const headers: JsonObject = {
    ...(getOption(method, http_form).entityTag && { ETag: { $ref: '#/components/headers/ETag' } }),
    ...(takesIdempotencyKey(method) && {
      'Idempotency-Replayed': { $ref: '#/components/headers/IdempotencyReplayed' },
    }),
  }
  return Object.keys(headers).length === 0 ? undefined : headers
}

/** The 304 response of a method that supports `If-None-Match`; empty for the others. */
export function notModified(method: DescMethod): JsonObject {
  if (!getOption(method, http_form).entityTag || !onlyReads(method)) return {}
  const headers = { ETag: { $ref: '#/components/headers/ETag' } }
  return { '304': { description: 'The object still has one of the tags in `If-None-Match`.', headers } }
}

function onlyReads({ idempotency }: DescMethod): boolean {
  return idempotency === MethodOptions_IdempotencyLevel.NO_SIDE_EFFECTS
}

function takesIdempotencyKey(method: DescMethod): boolean {
  return !onlyReads(method) && !getOption(method, access).anonymous
}
