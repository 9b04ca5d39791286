import type { ConnectError } from '@connectrpc/connect'
import { setTrailerStatus } from '@connectrpc/connect/protocol-grpc'

/** Characters that `grpc-message` must encode: `%`, and all but the visible ASCII characters and the space. */
const ENCODED = /[^ -$&-~]+/g

/**
 * The trailers of gRPC and gRPC-Web: those that the handler set, and the status, which is success if nothing failed.
 */
export function grpcStatus(trailer: Headers | undefined, failure: ConnectError | undefined): Headers {
  const status = setTrailerStatus(new Headers(trailer), failure)
  if (failure !== undefined) status.set('grpc-message', encodeGrpcMessage(failure.rawMessage))
  return status
}

/**
 * The value of `grpc-message`: UTF-8, percent-encoded where it must be and nowhere else (gRPC over HTTP/2, Responses).
 * Clients that decode it with `decodeURI` would leave further characters encoded.
 */
export function encodeGrpcMessage(message: string): string {
  return message.toWellFormed().replace(ENCODED, encodeURIComponent)
}
