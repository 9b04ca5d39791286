import { Code, ConnectError } from '@connectrpc/connect'
import { codeToHttpStatus, errorToJsonBytes } from '@connectrpc/connect/protocol-connect'
import { setTrailerStatus } from '@connectrpc/connect/protocol-grpc'

/** An answer that carries an error before anything of the request was read. */
export interface Refusal {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array | undefined
}

/**
 * The error in the protocol of the request, by its content type: "Trailers-Only" of gRPC and gRPC-Web, or the error
 * body of Connect, which is also what a client without a known protocol gets.
 */
export function refusalFrom(error: ConnectError, contentType: string | undefined): Refusal {
  const grpc = /^application\/grpc(-web)?(-text)?(\+\w+)?/i.exec(contentType ?? '')
  if (grpc !== null) {
    const status = new Headers()
    setTrailerStatus(status, error)
    status.set('content-type', grpc[0].toLowerCase())
    return { status: 200, headers: Object.fromEntries(status), body: undefined }
  }
  return {
    status: codeToHttpStatus(error.code),
    headers: { ...Object.fromEntries(error.metadata), 'content-type': 'application/json' },
    body: errorToJsonBytes(error, undefined),
  }
}

/** The answer of gRPC and gRPC-Web for a method that does not exist; nothing for other protocols. */
export function unknownGrpcMethod(path: string, contentType: string | undefined): Refusal | undefined {
  if (!/^application\/grpc/i.test(contentType ?? '')) return undefined
  return refusalFrom(new ConnectError(`${path} is not a method of this service`, Code.Unimplemented), contentType)
}
