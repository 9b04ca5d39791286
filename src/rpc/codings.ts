import type { ConnectError } from '@connectrpc/connect'
import { type Compression, compressionNegotiate } from '@connectrpc/connect/protocol'
import { compress, decompress } from '../call/compression.js'
import { headerOf, type NodeRequest } from '../call/node-http.js'

/** The smallest message that is compressed, in bytes: as in Connect. */
export const COMPRESS_MIN_BYTES = 1024

/** The codings of a call; null means none. The error is for a request in an unknown coding. */
export interface Codings {
  readonly request: Compression | null
  readonly response: Compression | null
  readonly error?: ConnectError | undefined
}

/** The codings of every door, as Connect negotiates them. */
const compressions = (['gzip', 'br'] as const).map(
  (name): Compression => ({
    name,
    compress: async (bytes) => new Uint8Array(await compress(name, bytes)),
    decompress: async (bytes, maxBytes) => new Uint8Array(await decompress(name, bytes, maxBytes, 'message')),
  }),
)

/** The codings of a call by its headers; an empty name means none. `requested` is the coding of the request. */
export function negotiateCodings(request: NodeRequest, requested: string | undefined, acceptHeader: string): Codings {
  return compressionNegotiate(compressions, requested || null, headerOf(request, acceptHeader) ?? null, acceptHeader)
}
