import { Code, ConnectError } from '@connectrpc/connect'
import { CODINGS, type Coding, decompress, parseContentEncoding } from './compression.js'
import { bodyTooLarge, unsupportedMediaType } from './http-failure.js'
import { headerOf, type NodeRequest } from './node-http.js'

/**
 * The codings of a request body, judged by its headers before any of it is read: 413 when the declared length is beyond
 * the limit, 415 for a coding that is not known.
 */
export function checkBodyHeaders(request: NodeRequest, maxBytes: number): readonly Coding[] {
  if (Number(headerOf(request, 'content-length') ?? 0) > maxBytes) throw bodyTooLarge(maxBytes)
  const header = headerOf(request, 'content-encoding')
  const codings = parseContentEncoding(header)
  if (codings === undefined) {
    throw unsupportedMediaType(`content-encoding ${String(header)} is not supported`, {
      'accept-encoding': CODINGS.join(', '),
    })
  }
  return codings
}

/**
 * Reads a whole body: 413 as soon as it is beyond the limit, before or after decompression. What is left of a refused
 * body is drained by whoever answers.
 */
export async function readBody(
  request: NodeRequest,
  codings: readonly Coding[],
  maxBytes: number,
): Promise<Uint8Array> {
  let bytes: Uint8Array = await readRaw(request, maxBytes)
  for (const coding of codings.toReversed()) {
    if (bytes.length > 0) bytes = await decompress(coding, bytes, maxBytes)
  }
  if (bytes.length > maxBytes) throw bodyTooLarge(maxBytes)
  return bytes
}

function readRaw(request: NodeRequest, maxBytes: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let length = 0
    const onData = (chunk: Buffer): void => {
      length += chunk.length
      if (length > maxBytes) settle(() => reject(bodyTooLarge(maxBytes)))
      else chunks.push(chunk)
    }
    const onEnd = (): void =>
      settle(() => resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)))
    const onGone = (): void =>
      settle(() => reject(new ConnectError('the client went away while sending the body', Code.Canceled)))
    function settle(finish: () => void): void {
      request.off('data', onData).off('end', onEnd).off('close', onGone).off('error', onGone)
      finish()
    }
    // The last error listener stays: a connection that breaks later must not crash the process.
    request.on('error', () => undefined)
    request.on('data', onData).on('end', onEnd).on('close', onGone).on('error', onGone)
    // A request that is gone already has no event left to tell.
    if (request.destroyed) onGone()
  })
}
