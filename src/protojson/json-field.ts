import {
  create,
  type DescEnum,
  type DescField,
  type DescMessage,
  type Message,
  type Registry,
} from '@bufbuild/protobuf'
import { isWrapperDesc } from '@bufbuild/protobuf/wkt'
import { fieldValue, setFieldValue } from './field-value.js'
import { ValueFault } from './invalid.js'
import {
  describeJson,
  expectList,
  expectObject,
  isContainer,
  type JsonTree,
  plainJson,
  refuseDeeper,
  setKey,
} from './json-tree.js'
import { enumFromNumber, enumNumberByName, noSuchValue, scalarFromJson, scalarFromText } from './scalar-text.js'

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
  /** Whether field masks may be in proto spelling as well, as in URLs. */
  readonly snakeMasks?: boolean | undefined
  readonly registry?: Registry | undefined
  readonly hint?: FieldHint | undefined
}

/** Where a reader is, for errors. */
export interface JsonCursor {
  readonly path: (string | number)[]
  /** How deep objects and lists may nest where no schema limits it. */
  readonly maxFreeDepth: number
}

/**
 * Reads the JSON of one type of message, or of one field of it, into a message. Fields that were set before stay unless
 * the JSON names them. Throws `ValueFault`.
 */
export type MessageReader = (message: Message, json: JsonTree, cursor: JsonCursor) => void

/** Readers of the JSON of messages and fields, compiled once per type. */
export interface JsonReaders {
  message(desc: DescMessage): MessageReader
  /** Sets a field of a message from its JSON alone; `null` leaves it unset. */
  field(field: DescField): MessageReader
}

/** Reads JSON into the form in which protobuf-es keeps a field's value; throws `ValueFault`. */
export type ValueReader = (json: JsonTree, cursor: JsonCursor) => unknown

/** A value that was given but is ignored: an unknown enum name under `ignoreUnknownFields`. */
const PASSED_OVER = Symbol('passed over')

/** Compiles the reader that sets a field of a message from its JSON alone. `readerOf` gives the reader of a message. */
export function compileFieldReader(
  field: DescField,
  readerOf: (desc: DescMessage) => MessageReader,
  options: JsonReaderOptions,
): MessageReader {
  const value = compileValue(field, readerOf, options)
  if (field.fieldKind === 'list') return listReader(field, value)
  if (field.fieldKind === 'map') return mapReader(field, value)
  const keepNull = takesNull(field)
  return (target, json, cursor) => {
    if (json === null && !keepNull) return
    const read = value(json, cursor)
    if (read !== PASSED_OVER) setFieldValue(target, field, read)
  }
}

/** Whether `null` is a value of a field, as for Value and NullValue alone; everywhere else it means "not given". */
export function takesNull(field: DescField): boolean {
  return field.message?.typeName === 'google.protobuf.Value' || field.enum?.typeName === 'google.protobuf.NullValue'
}

function listReader(field: DescField, value: ValueReader): MessageReader {
  const keepNull = takesNull(field)
  return (target, json, cursor) => {
    if (json === null) return
    const items: unknown[] = []
    for (const [index, item] of expectList(json).entries()) {
      cursor.path.push(index)
      if (item === null && !keepNull) throw new ValueFault('null is not allowed in a list')
      const read = value(item, cursor)
      if (read !== PASSED_OVER) items.push(read)
      cursor.path.pop()
    }
    setFieldValue(target, field, items)
  }
}

function mapReader(field: DescField & { fieldKind: 'map' }, value: ValueReader): MessageReader {
  const keepNull = takesNull(field)
  return (target, json, cursor) => {
    if (json === null) return
    const entries: { [key: string]: unknown } = {}
    for (const [text, item] of Object.entries(expectObject(json))) {
      cursor.path.push(text)
      const key = String(scalarFromText(field.mapKey, text, false))
      if (Object.hasOwn(entries, key)) throw new ValueFault('duplicate key')
      if (item === null && !keepNull) throw new ValueFault('null is not allowed in a map')
      const read = value(item, cursor)
      if (read !== PASSED_OVER) setKey(entries, key, read)
      cursor.path.pop()
    }
    setFieldValue(target, field, entries)
  }
}

/** Compiles the reader of one value of a field, of an item if it is repeated, from its JSON. */
export function compileValue(
  field: DescField,
  readerOf: (desc: DescMessage) => MessageReader,
  options: JsonReaderOptions,
): ValueReader {
  if (field.enum !== undefined) return enumReader(field.enum, options)
  if (field.message !== undefined) return messageValueReader(field, field.message, readerOf)
  if (field.scalar === undefined) throw new Error(`${String(field)} has no scalar type`)
  const { scalar } = field
  const longAsString = field.fieldKind !== 'map' && field.longAsString
  return (json) => scalarFromJson(scalar, json, longAsString)
}

function enumReader(desc: DescEnum, options: JsonReaderOptions): ValueReader {
  return (json) => {
    if (json === null) return 0
    if (typeof json === 'number') return enumFromNumber(desc, json, options.closedEnums)
    if (isContainer(json)) throw new ValueFault(`expected a value of enum ${desc.typeName}, got ${describeJson(json)}`)
    const number = typeof json === 'string' ? enumNumberByName(desc, json) : undefined
    if (number !== undefined) return number
    if (typeof json === 'string' && options.ignoreUnknownFields === true) return PASSED_OVER
    throw noSuchValue(desc, describeJson(json))
  }
}

function messageValueReader(
  field: DescField,
  desc: DescMessage,
  readerOf: (desc: DescMessage) => MessageReader,
): ValueReader {
  if (desc.typeName === 'google.protobuf.Struct' && field.parent.typeName !== 'google.protobuf.Value') {
    // Struct fields are kept as plain JSON objects.
    return (json, { maxFreeDepth }) => {
      refuseDeeper(expectObject(json), maxFreeDepth)
      return plainJson(json, Number)
    }
  }
  const read = readerOf(desc)
  // Wrapper fields outside lists and oneofs are kept as the bare value.
  const [bare] = field.fieldKind === 'message' && field.oneof === undefined && isWrapperDesc(desc) ? desc.fields : []
  return (json, cursor) => {
    const child = create(desc)
    read(child, json, cursor)
    return bare === undefined ? child : fieldValue(child, bare)
  }
}
