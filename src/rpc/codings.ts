import { Code, ConnectError } from '@connectrpc/connect'
import { type Compression, compressionNegotiate } from '@connectrpc/connect/protocol'
import { compressionBrotli, compressionGzip } from '@connectrpc/connect-node'
import { compress } from '../call/compression.js'
import { bodyTooLarge } from '../call/http-failure.js'
import { headerOf, type NodeRequest } from '../call/node-http.js'
import { invalidArgument } from '../protojson/invalid.js'

/** The smallest message that is compressed, in bytes: as in Connect. */
export const COMPRESS_MIN_BYTES = 1024

/** The codings of a call; null means none. The error is for a request in an unknown coding. */
export interface Codings {
  readonly request: Compression | null
  readonly response: Compression | null
  readonly error?: ConnectError | undefined
}

/** The best quality of brotli, which Connect uses, takes seconds for a long list. */
const compressionFastBrotli: Compression = {
  ...compressionBrotli,
  compress: async (bytes) => new Uint8Array(await compress('br', bytes)),
}
const compressions = [compressionGzip, compressionFastBrotli].map(blamingSender)

/** Reports data that is too large or badly coded as faults of the request, as every door does. */
function blamingSender(coding: Compression): Compression {
  return {
    ...coding,
    decompress: async (bytes, maxBytes) => {
      try {
        return await coding.decompress(bytes, maxBytes)
      } catch (cause) {
        const isTooLarge = cause instanceof ConnectError && cause.code === Code.ResourceExhausted
        throw isTooLarge ? bodyTooLarge(maxBytes) : invalidArgument('', `the message is not valid ${coding.name} data`)
      }
    },
  }
}

/** The codings of a call by its headers; an empty name means none. `requested` is the coding of the request. */
export function negotiateCodings(request: NodeRequest, requested: string | undefined, acceptHeader: string): Codings {
  return compressionNegotiate(compressions, requested || null, headerOf(request, acceptHeader) ?? null, acceptHeader)
}
