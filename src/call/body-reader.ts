import { setImmediate as nextTurn } from 'node:timers/promises'
import { Code, ConnectError } from '@connectrpc/connect'
import { CODINGS, type Coding, decompress, parseContentEncoding } from './compression.js'
import { bodyTooLarge, unsupportedMediaType } from './http-failure.js'
import { headerOf, isGone, type NodeRequest } from './node-http.js'

/**
 * The coding of a request body, undefined for none, checked by its headers before any of it is read: 413 if the
 * declared length exceeds the limit, 415 for an unknown coding.
 */
export function checkBodyHeaders(request: NodeRequest, maxBytes: number): Coding | undefined {
  checkDeclaredLength(request, maxBytes)
  const header = headerOf(request, 'content-encoding')
  const coding = parseContentEncoding(header)
  if (coding === 'unsupported') {
    throw unsupportedMediaType(`content-encoding ${String(header)} is not supported`, {
      'accept-encoding': CODINGS.join(', '),
    })
  }
  return coding
}

function checkDeclaredLength(request: NodeRequest, maxBytes: number): void {
  if (Number(headerOf(request, 'content-length') ?? 0) > maxBytes) throw bodyTooLarge(maxBytes)
}

/** Reads a whole body: 413 as soon as it exceeds the limit, compressed or not. Whoever answers drains the rest. */
export async function readBody(
  request: NodeRequest,
  coding: Coding | undefined,
  maxBytes: number,
): Promise<Uint8Array> {
  const bytes = await readBytes(request, maxBytes)
  return coding === undefined || bytes.length === 0 ? bytes : decompress(coding, bytes, maxBytes)
}

/** Whether a body is empty. Bytes that have arrived are discarded. */
export function isEmptyBody(request: NodeRequest): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const stop = readChunks(request, {
      chunk(bytes) {
        if (bytes.length === 0) return
        stop()
        resolve(false)
      },
      end: () => resolve(true),
      gone: reject,
    })
  })
}

/** Reads a whole body as it is: 413 as soon as it, or its declared length, exceeds the limit. */
export async function readBytes(request: NodeRequest, maxBytes: number): Promise<Buffer> {
  checkDeclaredLength(request, maxBytes)
  return new Promise<Buffer>((resolve, reject) => {
    const chunks: Buffer[] = []
    let length = 0
    const stop = readChunks(request, {
      chunk(bytes) {
        length += bytes.length
        if (length <= maxBytes) {
          chunks.push(bytes)
          return
        }
        stop()
        reject(bodyTooLarge(maxBytes))
      },
      end: () => resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)),
      gone: reject,
    })
  })
}

/** Receives a body: its chunks as they arrive, and then, once, either its end or that its client is gone. */
export interface ChunkSink {
  chunk(bytes: Buffer): void
  end(): void
  gone(error: ConnectError): void
}

/** Reads the body of a request until its end, or until the returned function is called. */
export function readChunks(request: NodeRequest, sink: ChunkSink): () => void {
  const onData = (chunk: Buffer): void => sink.chunk(chunk)
  // An HTTP/2 stream that its client resets also ends.
  const onEnd = (): void => (isGone(request) ? onGone() : settle(() => sink.end()))
  const onGone = (): void =>
    settle(() => sink.gone(new ConnectError('the client disconnected while sending the body', Code.Canceled)))
  const stop = (): void => void request.off('data', onData).off('end', onEnd).off('close', onGone).off('error', onGone)
  const settle = (conclude: () => void): void => {
    stop()
    conclude()
  }
  // The last error listener stays: a connection that breaks later must not crash the process.
  request.on('error', () => undefined)
  request.on('data', onData).on('end', onEnd).on('close', onGone).on('error', onGone)
  // A request that is already gone has no event left to emit.
  if (isGone(request)) onGone()
  return stop
}

/** The length in bytes from which a message takes milliseconds to be read and checked. */
export const LONG_BODY = 64 * 1024

/** Waits until a body may be decoded; undefined if it may at once. */
export type BodyTurns = ReturnType<typeof createBodyTurns>

/**
 * Makes the function that spaces out the decoding of long bodies: one in each turn of the event loop. Otherwise those
 * of callers who were admitted together would all be decoded in one turn, and everyone else would wait for it.
 */
export function createBodyTurns() {
  let latest: Promise<void> = Promise.resolve()
  return (bytes: Uint8Array): Promise<void> | undefined => {
    if (bytes.length < LONG_BODY) return undefined
    latest = latest.then(() => nextTurn())
    return latest
  }
}
