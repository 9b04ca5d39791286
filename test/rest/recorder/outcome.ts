import { createHash } from 'node:crypto'
import { createFileRegistry, type DescMethod, type JsonValue, type Message, toBinary, toJson } from '@bufbuild/protobuf'
import { Code } from '@connectrpc/connect'
import { image } from '../fixture.js'
import type { TestResponse } from '../http.js'

/** A call as it reached the service. */
export interface ReachedCall {
  readonly method: DescMethod
  readonly message: Message
}

/** What became of a request: the call that was made of it, and the answer or the refusal. */
export interface Outcome {
  /** Not there if the connection was closed without a response. */
  readonly status?: number
  /** The method that was called, and the message that it was given. */
  readonly method?: string
  readonly message?: JsonValue
  /** The body of an answer: its JSON, or its text. */
  readonly answer?: JsonValue
  /** The code of a refusal, where the body names one. */
  readonly code?: string
}

const registry = createFileRegistry(image)
const MAX_LENGTH = 1000

/** Sums up the response to a request, and the call that the service was given meanwhile. */
export function outcomeOf(response: TestResponse | undefined, call: ReachedCall | undefined): Outcome {
  const outcome = call === undefined ? {} : { method: call.method.name, message: shortened(jsonOf(call)) }
  if (response === undefined) return outcome
  const { status } = response
  const body = bodyOf(response)
  if (status >= 200 && status < 300) {
    return { status, ...outcome, ...(body === undefined ? {} : { answer: shortened(body) }) }
  }
  const code = codeOf(body)
  return { status, ...outcome, ...(code === undefined ? {} : { code }) }
}

// A message whose values ProtoJSON does not have is given as its bytes.
function jsonOf({ method, message }: ReachedCall): JsonValue {
  try {
    return toJson(method.input, message, { registry })
  } catch {
    return { unprintable: Buffer.from(toBinary(method.input, message)).toString('base64') }
  }
}

function bodyOf(response: TestResponse): JsonValue | undefined {
  if (response.text === '') return undefined
  try {
    return JSON.parse(response.text) as JsonValue
  } catch {
    return response.text
  }
}

// Connect names a code, google.rpc.Status has its number.
function codeOf(body: JsonValue | undefined): string | undefined {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return undefined
  const code = body['code']
  if (typeof code === 'string') return code
  return typeof code === 'number' ? Code[code]?.replaceAll(/(?<=.)[A-Z]/g, '_$&').toLowerCase() : undefined
}

// Some rows have bodies of megabytes, for which a digest is enough.
function shortened(value: JsonValue): JsonValue {
  const text = stableText(value)
  return text.length <= MAX_LENGTH ? value : { sha256: createHash('sha256').update(text).digest('hex') }
}

/** JSON whose keys are in one order. */
export function stableText(value: unknown): string {
  return JSON.stringify(value, (_key, each: unknown) =>
    typeof each !== 'object' || each === null || Array.isArray(each)
      ? each
      : Object.fromEntries(Object.entries(each).toSorted(([a], [b]) => (a < b ? -1 : 1))),
  )
}
