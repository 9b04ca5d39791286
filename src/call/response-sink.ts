import { type Coding, createCompressor } from './compression.js'
import { cutResponse, isGone, type NodeResponse } from './node-http.js'

/** The body of a response that is sent piece by piece. */
export type Sink = ReturnType<typeof createSink>

/** Makes the sink of a response whose header has been written; with a coding, each piece is compressed and flushed. */
export function createSink(response: NodeResponse, coding: Coding | undefined) {
  const writable = coding === undefined ? undefined : createCompressor(coding)
  let settle = (): void => undefined
  // A broken connection is reported by `close`; writes in the meantime must not crash the process.
  response.on('error', () => undefined).on('close', () => settle())
  writable?.on('error', () => cutResponse(response)).pipe(response as NodeJS.WritableStream)
  /** Fulfilled when more can be written, or when the client is gone. */
  function write(chunk: string | Uint8Array): Promise<void> {
    if (isGone(response)) return Promise.resolve()
    return new Promise((resolve) => {
      settle = resolve
      if (writable !== undefined) writable.write(chunk, () => writable.flush(resolve))
      else if (writeChunk(response, chunk)) resolve()
      else response.once('drain', resolve)
    })
  }
  function end(): void {
    if (isGone(response)) writable?.destroy()
    else if (writable === undefined) response.end()
    else writable.end()
  }
  /** Cuts the response short, after all that was written, so that the client does not take it for complete. */
  function cut(): void {
    const afterRest = () => writeChunk(response, '', () => cutResponse(response))
    if (isGone(response) || writable === undefined) afterRest()
    else writable.flush(afterRest)
  }
  return { write, end, cut }
}

// The two response classes declare overloads of `write` that have no common signature.
function writeChunk(response: NodeResponse, chunk: string | Uint8Array, done?: () => void): boolean {
  return 'stream' in response ? response.write(chunk, done) : response.write(chunk, done)
}
