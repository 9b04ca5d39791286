import { create, type DescMethod, type Message } from '@bufbuild/protobuf'
import { Code, ConnectError } from '@connectrpc/connect'
import { createMethodSerializationLookup } from '@connectrpc/connect/protocol'
import { createJsonReaders, readJson } from '../rest/json-message.js'
import { createJsonPrinter } from '../rest/json-printer.js'
import { parseJsonTree } from '../rest/json-text.js'

/** How the messages of one method are read and written. Readers and writers throw a `ConnectError`. */
export interface UnaryCodec {
  readonly json: MessageForm
  readonly binary: MessageForm
}

/** One of the two forms of messages. */
export interface MessageForm {
  readonly contentType: 'application/json' | 'application/proto'
  read(bytes: Uint8Array): Message
  write(message: Message): Uint8Array
}

/** How answers are printed: the options of the stock handlers. */
export const jsonWriteOptions = { alwaysEmitImplicit: true }

/**
 * Binary messages and printed JSON are those of the stock handlers; the JSON of requests is read as strictly as over
 * REST, so that a mistake is told the same over both doors (decisions, section 1).
 */
export function createUnaryCodec(method: DescMethod, maxBytes: number): UnaryCodec {
  const limits = { readMaxBytes: maxBytes, writeMaxBytes: 0xffffffff }
  const stock = createMethodSerializationLookup(method, undefined, jsonWriteOptions, limits)
  const [binaryInput, binaryOutput] = [stock.getI(true), stock.getO(true)]
  const printJson = createJsonPrinter(method.output, jsonWriteOptions)
  const readMessage = createJsonReaders({}).message(method.input)
  return {
    json: {
      contentType: 'application/json',
      read(bytes) {
        const message = create(method.input)
        readJson(readMessage, message, parseJsonTree(bytes), 'body')
        return message
      },
      write(message) {
        try {
          const printed = printJson(message)
          return typeof printed === 'string' ? Buffer.from(printed) : printed
        } catch (error) {
          throw ConnectError.from(error, Code.Internal)
        }
      },
    },
    binary: {
      contentType: 'application/proto',
      read: (bytes) => binaryInput.parse(bytes),
      write: (message) => binaryOutput.serialize(message),
    },
  }
}
