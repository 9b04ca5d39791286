import { Code, ConnectError } from '@connectrpc/connect'
import { readChunks } from '../call/body-reader.js'
import { bodyTooLarge } from '../call/http-failure.js'
import type { NodeRequest } from '../call/node-http.js'
import { invalidArgument } from '../protojson/invalid.js'

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

/** Makes the reader of a request whose messages are at most `maxBytes` long, by the length that they declare. */
export function createEnvelopeReader(request: NodeRequest, maxBytes: number) {
  let bytes: Buffer[] = []
  let length = 0
  let expected: number | undefined
  let ended = false
  let failure: unknown
  let waiting: { resolve(envelope: Envelope | undefined): void; reject(error: unknown): void } | undefined

  const fail = (error: unknown): void => {
    failure ??= error
    bytes = []
    stopReading()
  }
  const join = (): Buffer => {
    const [first = Buffer.alloc(0)] = bytes
    const joined = bytes.length > 1 ? Buffer.concat(bytes) : first
    bytes = [joined]
    return joined
  }
  const take = (): Envelope | undefined => {
    if (expected === undefined && length >= PREFIX_BYTES) {
      const size = join().readUInt32BE(1)
      if (size > maxBytes) fail(bodyTooLarge(maxBytes))
      expected = PREFIX_BYTES + size
    }
    if (failure !== undefined || expected === undefined || length < expected) return undefined
    const joined = join()
    const envelope = { flags: joined.readUInt8(0), data: joined.subarray(PREFIX_BYTES, expected) }
    bytes = length === expected ? [] : [joined.subarray(expected)]
    length -= expected
    expected = undefined
    return envelope
  }
  const settle = (): void => {
    if (waiting === undefined) return
    const envelope = take()
    if (envelope === undefined && ended && length > 0) fail(invalidArgument('', 'the last message is incomplete'))
    if (envelope === undefined && failure === undefined && !ended) return
    const { resolve, reject } = waiting
    waiting = undefined
    if (failure === undefined) resolve(envelope)
    else reject(failure)
  }
  const stopReading = readChunks(request, {
    chunk(chunk) {
      bytes.push(chunk)
      length += chunk.length
      settle()
      if (waiting === undefined && length > MAX_WAITING_BYTES) request.pause()
    },
    end() {
      ended = true
      settle()
    },
    gone(error) {
      failure ??= error
      settle()
    },
  })
  return {
    /** The next envelope, undefined at the end. Rejects if it exceeds the limit or is cut off, and if the client is gone. */
    next: () =>
      new Promise<Envelope | undefined>((resolve, reject) => {
        waiting = { resolve, reject }
        settle()
        if (waiting !== undefined && request.isPaused()) request.resume()
      }),
    /** Stops reading, and rejects whoever waits for an envelope. */
    stop() {
      fail(new ConnectError('the call has ended', Code.Canceled))
      settle()
    },
  }
}
