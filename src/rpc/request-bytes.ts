import { Code, ConnectError } from '@connectrpc/connect'
import type { HttpRequest } from './http-message.js'

/**
 * Reads a whole body. Refuses one beyond the limit with the code and text of the stock handlers: by its declared length
 * before any of it is read, else as soon as it is seen.
 */
export function readRequestBytes(request: HttpRequest, maxBytes: number): Promise<Uint8Array> {
  const declared = request.headers['content-length']
  if (declared !== undefined && Number(declared) > maxBytes)
    return Promise.reject(messageTooLarge(maxBytes, Number(declared)))
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let length = 0
    const onData = (chunk: Buffer): void => {
      length += chunk.length
      if (length <= maxBytes) chunks.push(chunk)
      else settle(() => reject(messageTooLarge(maxBytes)))
    }
    const onEnd = (): void =>
      settle(() => resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)))
    const onGone = (): void =>
      settle(() => reject(new ConnectError('the client went away while sending the body', Code.Canceled)))
    const settle = (finish: () => void): void => {
      request.off('data', onData).off('end', onEnd).off('close', onGone)
      finish()
    }
    // It is never taken off: a connection that breaks later must not crash the process.
    request.on('error', onGone)
    request.on('data', onData).on('end', onEnd).on('close', onGone)
  })
}

/** The error of the stock handlers for a message beyond the limit, with its size where that is known. */
export function messageTooLarge(maxBytes: number, size?: number): ConnectError {
  const known = size === undefined ? '' : `${size} `
  return new ConnectError(
    `message size ${known}is larger than configured readMaxBytes ${maxBytes}`,
    Code.ResourceExhausted,
  )
}
