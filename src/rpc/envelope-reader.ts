import { Code, ConnectError } from '@connectrpc/connect'
import { readChunks } from '../call/body-reader.js'
import { bodyTooLarge } from '../call/http-failure.js'
import type { NodeRequest } from '../call/node-http.js'
import { invalidArgument } from '../protojson/invalid.js'
import { createBase64Decoder } from './base64-body.js'

/** A message of a stream with its flags. */
export interface Envelope {
  readonly flags: number
  readonly data: Uint8Array
}

/** Reads the envelopes of a request one by one. */
export type EnvelopeReader = ReturnType<typeof createEnvelopeReader>

/** One byte of flags and four of length stand before a message. */
const PREFIX_BYTES = 5
/** How much may wait for a handler before the client has to wait. */
const MAX_WAITING_BYTES = 64 * 1024

/**
 * Makes the reader of a request whose messages are at most `maxBytes` long, by the length that they declare. With
 * `isBase64` the body is in base64.
 */
export function createEnvelopeReader(request: NodeRequest, maxBytes: number, isBase64 = false) {
  const decoder = isBase64 ? createBase64Decoder() : undefined
  let chunks: Buffer[] = []
  let length = 0
  /** How many bytes are waited for; 0 if no one waits. */
  let awaited = 0
  let wake = (): void => undefined
  let hasEnded = false
  let failure: ConnectError | undefined
  const fail = (error: ConnectError): void => {
    failure ??= error
    wake()
  }

  const stopReading = readChunks(request, {
    chunk(received) {
      const chunk = decoder === undefined ? received : decoder.decode(received)
      if (chunk === undefined) return fail(invalidArgument('', 'the body is not base64, which its content type names'))
      chunks.push(chunk)
      length += chunk.length
      if (length < awaited) return
      wake()
      if (length > MAX_WAITING_BYTES) request.pause()
    },
    end() {
      if (decoder?.isComplete() === false) return fail(invalidArgument('', 'the base64 of the body is incomplete'))
      hasEnded = true
      wake()
    },
    gone: (error) => fail(error),
  })
  /** All bytes that have arrived, once they are so many; undefined if the request ends before. */
  const receive = async (count: number): Promise<Buffer | undefined> => {
    if (length < count && !hasEnded && failure === undefined) {
      awaited = count
      if (request.isPaused()) request.resume()
      await new Promise<void>((resolve) => {
        wake = resolve
      })
      awaited = 0
    }
    if (failure !== undefined) throw failure
    if (length < count) return undefined
    const [first = Buffer.alloc(0)] = chunks
    const bytes = chunks.length > 1 ? Buffer.concat(chunks) : first
    chunks = [bytes]
    return bytes
  }
  return {
    /** The next envelope, undefined at the end. Rejects if it is too large or cut off, and if the client is gone. */
    next: async (): Promise<Envelope | undefined> => {
      const prefix = await receive(PREFIX_BYTES)
      if (prefix === undefined && length === 0) return undefined
      const size = prefix?.readUInt32BE(1) ?? 0
      if (size > maxBytes) throw bodyTooLarge(maxBytes)
      const bytes = await receive(PREFIX_BYTES + size)
      if (bytes === undefined) throw invalidArgument('', 'the last message is incomplete')
      const data = bytes.subarray(PREFIX_BYTES, PREFIX_BYTES + size)
      chunks = [bytes.subarray(PREFIX_BYTES + size)]
      length -= PREFIX_BYTES + size
      return { flags: bytes.readUInt8(0), data }
    },
    /** Stops reading, and rejects whoever waits for an envelope. */
    stop() {
      chunks = []
      stopReading()
      fail(new ConnectError('the call has ended', Code.Canceled))
    },
  }
}
