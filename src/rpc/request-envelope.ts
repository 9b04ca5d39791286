import { Code, ConnectError } from '@connectrpc/connect'
import type { HttpRequest } from './http-message.js'
import { messageTooLarge } from './request-bytes.js'

/** A message of gRPC with its flags. */
export interface Envelope {
  readonly flags: number
  readonly data: Uint8Array
}

/** One byte of flags and four of length stand before a message. */
const PREFIX_BYTES = 5

/**
 * Reads the one message of a unary gRPC request. Refuses with the codes and texts of the stock handlers: one beyond the
 * limit by the length that it declares, none at all, an incomplete one, and more than one.
 */
export function readRequestEnvelope(request: HttpRequest, maxBytes: number): Promise<Envelope> {
  return new Promise((resolve, reject) => {
    let bytes: Buffer = Buffer.alloc(0)
    let expected: number | undefined
    const onData = (chunk: Buffer): void => {
      bytes = bytes.length === 0 ? chunk : Buffer.concat([bytes, chunk])
      if (expected === undefined && bytes.length >= PREFIX_BYTES) {
        const size = bytes.readUInt32BE(1)
        if (size > maxBytes) settle(() => reject(messageTooLarge(maxBytes, size)))
        expected = PREFIX_BYTES + size
      }
      if (expected !== undefined && bytes.length > expected) {
        settle(() => reject(unimplemented('received extra input message for unary method')))
      }
    }
    const onEnd = (): void =>
      settle(() => {
        if (bytes.length === 0) reject(unimplemented('missing input message for unary method'))
        else if (bytes.length !== expected) {
          reject(new ConnectError('protocol error: incomplete envelope', Code.InvalidArgument))
        } else resolve({ flags: bytes.readUInt8(0), data: bytes.subarray(PREFIX_BYTES) })
      })
    const onGone = (): void =>
      settle(() => reject(new ConnectError('the client went away while sending the message', Code.Canceled)))
    const settle = (finish: () => void): void => {
      request.off('data', onData).off('end', onEnd).off('close', onGone)
      finish()
    }
    // It is never taken off: a connection that breaks later must not crash the process.
    request.on('error', onGone)
    request.on('data', onData).on('end', onEnd).on('close', onGone)
  })
}

function unimplemented(text: string): ConnectError {
  return new ConnectError(`protocol error: ${text}`, Code.Unimplemented)
}
