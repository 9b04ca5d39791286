import { type DescMethod, getOption, type JsonObject } from '@bufbuild/protobuf'
import { MethodOptions_IdempotencyLevel } from '@bufbuild/protobuf/wkt'
import { access } from '../../gen/svc/v2/access_pb.js'
import { http_form } from '../../gen/svc/v2/http_form_pb.js'

/** The headers of requests that several operations take, as components of a document. */
export const parameterComponents = {
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    description:
      'Names the request, so that it is executed once: what comes with the key again within 24 hours gets the same answer. ' +
      'A new one, such as a UUID, for each new request.',
    required: false,
    schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[!-~]+$' },
  },
  IfMatch: {
    name: 'If-Match',
    in: 'header',
    description:
      'The `ETag` that the object had when it was read, a list of them, or `*`: with another one, nothing is changed ' +
      '(`ERROR_REASON_ETAG_MISMATCH`).',
    required: false,
    schema: { type: 'string', minLength: 1 },
  },
  IfNoneMatch: {
    name: 'If-None-Match',
    in: 'header',
    description: 'The `ETag` of what is known already: 304 without a body if it is the same still.',
    required: false,
    schema: { type: 'string', minLength: 1 },
  },
} satisfies JsonObject

/** The headers of answers that several operations give. */
export const headerComponents: JsonObject = {
  IdempotencyReplayed: {
    description: 'There, and `true`, where the request was executed before and this is what it was answered then.',
    schema: { type: 'string', enum: ['true'] },
  },
  ETag: {
    description: 'Names the version of the object in `data`, for `If-Match` and `If-None-Match`.',
    schema: { type: 'string' },
  },
}

/** The headers that a method accepts, as references. */
export function headerParameters(method: DescMethod): JsonObject[] {
  const { entityTag, ifMatch } = getOption(method, http_form)
  return [
    ...(takesIdempotencyKey(method) ? [{ $ref: '#/components/parameters/IdempotencyKey' }] : []),
    ...(ifMatch ? [{ $ref: '#/components/parameters/IfMatch' }] : []),
    ...(entityTag && onlyReads(method) ? [{ $ref: '#/components/parameters/IfNoneMatch' }] : []),
  ]
}

/** The headers of its answers, as references; undefined if there are only those of every answer. */
export function headersOfAnswers(method: DescMethod): JsonObject | undefined {
  const headers: JsonObject = {
    ...(getOption(method, http_form).entityTag && { ETag: { $ref: '#/components/headers/ETag' } }),
    ...(takesIdempotencyKey(method) && {
      'Idempotency-Replayed': { $ref: '#/components/headers/IdempotencyReplayed' },
    }),
  }
  return Object.keys(headers).length === 0 ? undefined : headers
}

/** The answer to who knows the object already, by its status; none for a method without it. */
export function notModified(method: DescMethod): JsonObject {
  if (!getOption(method, http_form).entityTag || !onlyReads(method)) return {}
  const headers = { ETag: { $ref: '#/components/headers/ETag' } }
  return { '304': { description: 'The object still has one of the tags of `If-None-Match`.', headers } }
}

function onlyReads({ idempotency }: DescMethod): boolean {
  return idempotency === MethodOptions_IdempotencyLevel.NO_SIDE_EFFECTS
}

function takesIdempotencyKey(method: DescMethod): boolean {
  return !onlyReads(method) && !getOption(method, access).anonymous
}
