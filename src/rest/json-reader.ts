import type { DescField, DescMessage, Message, Registry } from '@bufbuild/protobuf'
import type { JsonTree } from './json-tree.js'

/** How lenient a JSON reader is, and which types it knows for `Any`. */
export interface JsonReaderOptions {
  readonly ignoreUnknownFields?: boolean | undefined
  readonly registry?: Registry | undefined
}

/** Where a reader stands, for errors, and how deep. */
export interface JsonCursor {
  readonly path: (string | number)[]
  depth: number
}

/** Reads JSON into a message; what was set before stays unless the JSON names it. Throws `ValueFault`. */
export type MessageReader = (message: Message, json: JsonTree, cursor: JsonCursor) => void

/** Reads JSON into the form in which protobuf-es keeps a field's value. Throws `ValueFault`. */
export type ValueReader = (json: JsonTree, cursor: JsonCursor) => unknown

/** Readers of the JSON of messages and fields, compiled once per type. */
export interface JsonReaders {
  message(desc: DescMessage): MessageReader
  /** Sets a field of a message from its JSON alone; `null` leaves it unset. */
  field(field: DescField): MessageReader
}

/** The path of a cursor as clients write it: `stages[2].steps[0].id`, or with its root: `root[0].id`, `root`. */
export function cursorToString(cursor: Pick<JsonCursor, 'path'>, root: string): string {
  let text = typeof cursor.path[0] === 'string' ? '' : root
  for (const part of cursor.path) {
    if (typeof part === 'number') text += `[${part}]`
    else text += text === '' ? part : `.${part}`
  }
  return text
}
