import { Code, ConnectError } from '@connectrpc/connect'
import { bodyTooLarge } from '../call/http-failure.js'
import type { NodeRequest } from '../call/node-http.js'
import { invalidArgument } from '../protojson/invalid.js'

const EXACT_MAX = Number.MAX_SAFE_INTEGER
const INT64_END = 2 ** 64

/**
 * The bytes of a body that a framework has already read, from the `body` that it left on the request: bytes, text, or,
 * with `isJson`, a value such as that of `express.json()`. Throws if there is none, because the bytes are lost, and if
 * an integer may have lost digits when it was parsed.
 */
export function bytesOfParsedBody(request: NodeRequest, isJson: boolean, maxBytes: number): Uint8Array {
  const body = 'body' in request ? request.body : undefined
  const text =
    isJson && typeof body === 'object' && body !== null && !(body instanceof Uint8Array) ? printed(body) : body
  if (typeof text !== 'string' && !(text instanceof Uint8Array)) {
    throw new ConnectError(
      'the body was read before the transcoder could, and request.body does not have it: mount the transcoder before other readers of bodies',
      Code.Internal,
    )
  }
  const bytes = Buffer.from(text)
  if (bytes.length > maxBytes) throw bodyTooLarge(maxBytes)
  return bytes
}

function printed(body: object): string {
  return JSON.stringify(body, (name, value: unknown) => {
    if (Number.isInteger(value) && Math.abs(Number(value)) > EXACT_MAX && Math.abs(Number(value)) < INT64_END) {
      throw invalidArgument(name, 'is an integer beyond 2^53, which has been rounded on the way: send it as a string')
    }
    return value
  })
}
