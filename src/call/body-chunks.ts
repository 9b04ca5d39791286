import { Code, ConnectError } from '@connectrpc/connect'
import { isAborted, type NodeRequest } from './node-http.js'

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
  const onEnd = (): void => (isAborted(request) ? onGone() : settle(() => sink.end()))
  const onGone = (): void =>
    settle(() => sink.gone(new ConnectError('the client went away while sending the body', Code.Canceled)))
  const stop = (): void => void request.off('data', onData).off('end', onEnd).off('close', onGone).off('error', onGone)
  const settle = (tell: () => void): void => {
    stop()
    tell()
  }
  // The last error listener stays: a connection that breaks later must not crash the process.
  request.on('error', () => undefined)
  request.on('data', onData).on('end', onEnd).on('close', onGone).on('error', onGone)
  // A request that is already gone has no event left to emit.
  if (isAborted(request)) onGone()
  return stop
}
