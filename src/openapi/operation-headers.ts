import { type DescMethod, getOption, type JsonObject } from '@bufbuild/protobuf'
import { MethodOptions_IdempotencyLevel } from '@bufbuild/protobuf/wkt'
import { access } from '../../gen/svc/v2/access_pb.js'

/** The headers of requests that several operations take, as components of a document. */
export const parameterComponents: JsonObject = {
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    description:
      'Names the request, so that it is executed once: what comes with the key again within 24 hours gets the same answer. ' +
      'A new one, such as a UUID, for each new request.',
    required: false,
    schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[!-~]+$' },
  },
}

/** The headers of answers that several operations give. */
export const headerComponents: JsonObject = {
  IdempotencyReplayed: {
    description: 'There, and `true`, where the request was executed before and this is what it was answered then.',
    schema: { type: 'string', enum: ['true'] },
  },
}

/** The headers that a method takes, as references. */
export function headerParameters(method: DescMethod): JsonObject[] {
  return takesIdempotencyKey(method) ? [{ $ref: '#/components/parameters/IdempotencyKey' }] : []
}

/** The headers of its answers, as references; undefined where there are none but those of every answer. */
export function headersOfAnswers(method: DescMethod): JsonObject | undefined {
  if (!takesIdempotencyKey(method)) return undefined
  return { 'Idempotency-Replayed': { $ref: '#/components/headers/IdempotencyReplayed' } }
}

function takesIdempotencyKey(method: DescMethod): boolean {
  return method.idempotency !== MethodOptions_IdempotencyLevel.NO_SIDE_EFFECTS && !getOption(method, access).anonymous
}
