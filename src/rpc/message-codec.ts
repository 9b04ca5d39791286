import { type DescMethod, type Message, toBinary } from '@bufbuild/protobuf'
import type { Interceptor, MethodImplSpec } from '@connectrpc/connect'
import { type Compression, compressionNegotiate } from '@connectrpc/connect/protocol'
import type { BodyTurns } from '../call/body-reader.js'
import { compress, decompress } from '../call/compression.js'
import { headerOf, type NodeRequest } from '../call/node-http.js'
import { fieldHint, maxValuesOf, outputOnlyNames } from '../handlers/method-options.js'
import { answerJsonOptions } from '../handlers/raw-json.js'
import type { IgnoredField } from '../protojson/json-message.js'
import { printJson } from '../protojson/json-printer.js'
import { messageFromJson } from '../protojson/json-reader.js'
import { DEFAULT_JSON_LIMITS } from '../protojson/json-text.js'
import { createBinaryReader } from './binary-reader.js'

export interface RpcMethod {
  readonly spec: MethodImplSpec
  readonly interceptors: readonly Interceptor[]
  readonly codec: MessageCodec
  readonly bodyTurns: BodyTurns
  /** The limit of a message in bytes, before and after decompression. */
  readonly maxBodyBytes: number
  readonly maxTimeoutMs: number | undefined
  /** The verbs of its path. */
  readonly allowed: readonly string[]
}

/** How the messages of one method are read and written, whatever the protocol. */
export type MessageCodec = Readonly<Record<'json' | 'lenientJson' | 'binary', MessageForm>>

export interface MessageForm {
  readonly name: 'json' | 'proto'
  /** Throws `invalid_argument`. */
  read(bytes: Uint8Array): Message
  /** Returns short JSON as text, because Node sends it together with the header. */
  write(message: Message): string | Uint8Array
}

/**
 * Makes the codec of a method, the one place where the bytes of a request become a message. JSON is read as strictly as
 * over REST, so that a mistake gets the same error over all protocols, and both forms have the same limits. Lenient
 * JSON ignores names that no field has.
 */
export function createMessageCodec(method: DescMethod): MessageCodec {
  const limits = { ...DEFAULT_JSON_LIMITS, maxValues: maxValuesOf(method) }
  const json = (ignores: IgnoredField): MessageForm => ({
    name: 'json',
    read: (bytes) => messageFromJson(method.input, bytes, { hint: fieldHint, ignores, limits }),
    write: (message) => printJson(method.output, message, answerJsonOptions),
  })
  return {
    json: json(outputOnlyNames(method)),
    lenientJson: json(() => true),
    binary: {
      name: 'proto',
      read: createBinaryReader(method.input, limits.maxValues),
      write: (message) => toBinary(method.output, message),
    },
  }
}

/**
 * The JSON of a call over Connect. Generated clients name the version of the protocol: one of a newer schema may send
 * fields that this build does not know, which Connect servers ignore. What people write by hand is read strictly.
 */
export function connectJson(codec: MessageCodec, isGenerated: boolean): MessageForm {
  return isGenerated ? codec.lenientJson : codec.json
}

/** The codings of every protocol, as Connect negotiates them. */
const compressions = (['gzip', 'br'] as const).map(
  (name): Compression => ({
    name,
    compress: async (bytes) => new Uint8Array(await compress(name, bytes)),
    decompress: async (bytes, maxBytes) => new Uint8Array(await decompress(name, bytes, maxBytes, 'message')),
  }),
)

/**
 * The codings of a call by its headers; null means none. `requested` is the coding of the request, of which an empty
 * name means none; the error is for an unknown one.
 */
export function negotiateCodings(request: NodeRequest, requested: string | undefined, acceptHeader: string) {
  return compressionNegotiate(compressions, requested || null, headerOf(request, acceptHeader) ?? null, acceptHeader)
}
