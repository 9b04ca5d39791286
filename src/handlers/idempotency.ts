import { createHash } from 'node:crypto'
import { type DescMessage, toBinary } from '@bufbuild/protobuf'
import type { Interceptor, UnaryRequest, UnaryResponse } from '@connectrpc/connect'
import type { Tables } from '../db/tables.js'
import { type AnswerOnce, createAnswerOnce, type KeptAnswer, type NamedCall } from '../domain/idempotency.js'
import { invalidField } from '../errors.js'
import { httpFormOf, takesIdempotencyKey } from '../limits/method-rules.js'
import { jsonText, preprintedMessage } from '../protojson/json-printer.js'
import { answerJsonOptions } from './raw-json.js'
import { callContextOf, requestContextKey, requestContextOf } from './request-context.js'

const KEY = /^[!-~]{1,255}$/

/** Answers calls with an `Idempotency-Key` (docs/repeating-calls.md) over every protocol, and passes others on. */
export function createIdempotency(): Interceptor {
  const answerOnce = createAnswerOnce()
  return (next) => (request) => {
    const key = request.contextValues.get(requestContextKey)?.idempotencyKey
    if (key === undefined || request.stream || !takesIdempotencyKey(request.method)) return next(request)
    return answer(answerOnce, next, request, key)
  }
}

async function answer(
  answerOnce: AnswerOnce,
  next: (request: UnaryRequest) => ReturnType<ReturnType<Interceptor>>,
  request: UnaryRequest,
  key: string,
): Promise<UnaryResponse> {
  let executed: UnaryResponse | undefined
  const context = requestContextOf({ values: request.contextValues })
  const execute = async (tables: Tables): Promise<KeptAnswer> => {
    request.contextValues.set(requestContextKey, { ...context, tables })
    const response = await next(request)
    if (response.stream) throw new Error('a unary call returned a stream')
    executed = response
    const json = withoutSecrets(
      response.method.output,
      jsonText(response.method.output, response.message, answerJsonOptions),
    )
    return { json, entityTag: response.header.get('etag') }
  }
  const { json, entityTag, isReplayed } = await answerOnce(
    callContextOf({ values: request.contextValues }),
    namedCall(request, key),
    execute,
  )
  if (executed !== undefined && !isReplayed) return executed
  const { service, method } = request
  const header = new Headers({ 'idempotency-replayed': 'true' })
  if (entityTag !== null) header.set('etag', entityTag)
  return {
    stream: false,
    service,
    method,
    header,
    trailer: new Headers(),
    message: preprintedMessage(method.output, [json]),
  }
}

/** The JSON of a message without its secrets, which are never stored: the fields with `debug_redact`. */
function withoutSecrets({ fields }: DescMessage, json: string): string {
  const secrets = fields.filter(({ proto }) => proto.options?.debugRedact).map(({ jsonName }) => jsonName)
  if (secrets.length === 0) return json
  const members: [string, unknown][] = Object.entries(JSON.parse(json))
  return JSON.stringify(Object.fromEntries(members.filter(([name]) => !secrets.includes(name))))
}

/** The bytes from which a request takes the database 10 ms or more. */
const LONG_REQUEST = 64 * 1024

function namedCall({ contextValues, method, message }: UnaryRequest, key: string): NamedCall {
  if (!KEY.test(key)) {
    throw invalidField('Idempotency-Key', 'must be sent once, with 1 to 255 visible ASCII characters, such as a UUID')
  }
  // Requests are equal if their messages are, over whichever protocol each came.
  const bytes = toBinary(method.input, message, { writeUnknownFields: false })
  const { ifMatch } = requestContextOf({ values: contextValues })
  const hash = createHash('sha256').update(bytes)
  if (ifMatch !== undefined) hash.update(`\nIf-Match: ${ifMatch}`)
  const name = `${method.parent.typeName}.${method.name}`
  const { sendsOut } = httpFormOf(method)
  return { method: name, key, requestHash: hash.digest(), isLong: sendsOut || bytes.length >= LONG_REQUEST, sendsOut }
}
