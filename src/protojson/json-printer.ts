import { type DescMessage, type Message, toJson } from '@bufbuild/protobuf'
import type { JsonOptions } from './json-options.js'
import { joinPieces } from './json-pieces.js'
import { preprintedJson } from './preprinted-message.js'

/** Prints messages of one type as JSON: as text, or as UTF-8 if it is long. */
export type JsonPrinter = (message: Message) => string | Uint8Array

/**
 * Creates a printer that gives what `toJsonString` gives, and uses the text of a preprinted message as it is. `end` is
 * appended to each text.
 */
export function createJsonPrinter(desc: DescMessage, options: JsonOptions, end = ''): JsonPrinter {
  return (message) => {
    const pieces = preprintedJson(message) ?? [JSON.stringify(toJson(desc, message, options))]
    return joinPieces([...pieces, end])
  }
}

/** The same text, however long it is, of one message. */
export function jsonText(desc: DescMessage, message: Message, options: JsonOptions): string {
  return preprintedJson(message)?.join('') ?? JSON.stringify(toJson(desc, message, options))
}
