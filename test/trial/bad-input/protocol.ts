import type { DescMethod } from '@bufbuild/protobuf'
import type { Headers } from './headers.js'

/** The protocols of the service. */
export const protocolNames = ['REST', 'Connect JSON', 'Connect binary', 'gRPC', 'gRPC-Web', 'SCIM'] as const
/** One of them. */
export type ProtocolName = (typeof protocolNames)[number]

/** A request that may be wrong in many ways. */
export interface BadRequest {
  readonly protocol: ProtocolName
  readonly version: 'HTTP/1.1' | 'HTTP/2'
  readonly method: string
  readonly path: string
  readonly headers: Headers
  readonly body?: Uint8Array
  /** Fields that the path sets: over REST it wins over the body. */
  readonly inPath?: readonly string[]
  /** The method of RPC, and the form of its messages. */
  readonly rpc?: DescMethod
  readonly form?: 'json' | 'binary'
}

/** What came back. */
export interface BadAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly trailers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: Buffer
}
