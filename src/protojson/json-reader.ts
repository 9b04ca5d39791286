import type { DescField, DescMessage, Message, Registry } from '@bufbuild/protobuf'
import type { JsonTree } from './json-tree.js'

/**
 * What to do instead of giving a name that is not a field of the request but that people try; undefined for other
 * names.
 */
export type FieldHint = (desc: DescMessage, name: string) => string | undefined

/** How lenient a JSON reader is, and which types it knows for `Any`. */
export interface JsonReaderOptions {
  readonly ignoreUnknownFields?: boolean | undefined
  /** Whether every enum accepts only its declared numbers, as closed ones do: for values that are stored by name. */
  readonly closedEnums?: boolean | undefined
  readonly registry?: Registry | undefined
  readonly hint?: FieldHint | undefined
}

/** Where a reader is, for errors. */
export interface JsonCursor {
  readonly path: (string | number)[]
  /** How deep objects and lists may nest where no schema limits it. */
  readonly maxFreeDepth: number
}

/** Reads the JSON of one type of message, or of one field of it. */
export interface MessageReader {
  /** Fields that were set before stay unless the JSON names them. Throws `ValueFault`. */
  read(message: Message, json: JsonTree, cursor: JsonCursor): void
}

/** Reads JSON into the form in which protobuf-es keeps a field's value; throws `ValueFault`. */
export type ValueReader = (json: JsonTree, cursor: JsonCursor) => unknown

/** Readers of the JSON of messages and fields, compiled once per type. */
export interface JsonReaders {
  message(desc: DescMessage): MessageReader
  /** Sets a field of a message from its JSON alone; `null` leaves it unset. */
  field(field: DescField): MessageReader
}

/** The path of a cursor as clients write it: `stages[2].steps[0].id`, or with its root: `root[0].id`, `root`. */
export function cursorToString({ path }: Pick<JsonCursor, 'path'>, root: string): string {
  let text = typeof path[0] === 'string' ? '' : root
  for (const part of path) {
    if (typeof part === 'number') text += `[${part}]`
    else text += text === '' ? part : `.${part}`
  }
  return text
}
