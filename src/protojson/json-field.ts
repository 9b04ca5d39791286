import { create, type DescEnum, type DescField, type DescMessage, type Message } from '@bufbuild/protobuf'
import { isWrapperDesc } from '@bufbuild/protobuf/wkt'
import { ValueFault } from './invalid.js'
import type { JsonReaderOptions, JsonReaders, MessageReader, ValueReader } from './json-reader.js'
import { describeJson, expectList, expectObject, isContainer, plainNumbers, refuseDeeper, setKey } from './json-tree.js'
import { enumFromNumber, enumNumberByName, mapKeyFromText, noSuchValue, scalarFromJson } from './scalar-text.js'

/** A value that was given but is ignored: an unknown enum name under `ignoreUnknownFields`. */
const PASSED_OVER = Symbol('passed over')

/** Compiles the reader that sets a field of a message from its JSON alone. */
export function compileFieldReader(
  field: DescField,
  messages: Pick<JsonReaders, 'message'>,
  options: JsonReaderOptions,
): MessageReader {
  const value = compileValue(field, messages, options)
  if (field.fieldKind === 'list') return listReader(field, value)
  if (field.fieldKind === 'map') return mapReader(field, value)
  return singularReader(field, value)
}

/** Whether `null` is a value of a field, as for Value and NullValue alone; everywhere else it means "not given". */
export function takesNull(field: DescField): boolean {
  return field.message?.typeName === 'google.protobuf.Value' || field.enum?.typeName === 'google.protobuf.NullValue'
}

function singularReader(field: DescField, value: ValueReader): MessageReader {
  const { localName } = field
  const oneof = field.oneof?.localName
  const keepNull = takesNull(field)
  return {
    read(target, json, cursor) {
      if (json === null && !keepNull) return
      const read = value(json, cursor)
      if (read === PASSED_OVER) return
      if (oneof === undefined) slotsOf(target)[localName] = read
      else slotsOf(target)[oneof] = { case: localName, value: read }
    },
  }
}

function listReader(field: DescField, value: ValueReader): MessageReader {
  const keepNull = takesNull(field)
  return {
    read(target, json, cursor) {
      if (json === null) return
      const items: unknown[] = []
      for (const [index, item] of expectList(json).entries()) {
        cursor.path.push(index)
        if (item === null && !keepNull) throw new ValueFault('null is not allowed in a list')
        const read = value(item, cursor)
        if (read !== PASSED_OVER) items.push(read)
        cursor.path.pop()
      }
      slotsOf(target)[field.localName] = items
    },
  }
}

function mapReader(field: DescField & { fieldKind: 'map' }, value: ValueReader): MessageReader {
  const keepNull = takesNull(field)
  return {
    read(target, json, cursor) {
      if (json === null) return
      const entries: { [key: string]: unknown } = {}
      for (const [text, item] of Object.entries(expectObject(json))) {
        cursor.path.push(text)
        const key = mapKeyFromText(field.mapKey, text)
        if (Object.hasOwn(entries, key)) throw new ValueFault('duplicate key')
        if (item === null && !keepNull) throw new ValueFault('null is not allowed in a map')
        const read = value(item, cursor)
        if (read !== PASSED_OVER) setKey(entries, key, read)
        cursor.path.pop()
      }
      slotsOf(target)[field.localName] = entries
    },
  }
}

function compileValue(
  field: DescField,
  messages: Pick<JsonReaders, 'message'>,
  options: JsonReaderOptions,
): ValueReader {
  if (field.enum !== undefined) return enumReader(field.enum, options)
  if (field.message !== undefined) return messageValueReader(field, field.message, messages)
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
  { message }: Pick<JsonReaders, 'message'>,
): ValueReader {
  if (desc.typeName === 'google.protobuf.Struct' && field.parent.typeName !== 'google.protobuf.Value') {
    // Struct fields are kept as plain JSON objects.
    return (json, { maxFreeDepth }) => {
      refuseDeeper(expectObject(json), maxFreeDepth)
      return plainNumbers(json)
    }
  }
  const reader = message(desc)
  const bare = field.fieldKind === 'message' && field.oneof === undefined && isWrapperDesc(desc)
  return (json, cursor) => {
    const child = create(desc)
    reader.read(child, json, cursor)
    return bare ? slotsOf(child)['value'] : child
  }
}

/** A message seen as a record of its local names, which only descriptors know here. */
function slotsOf(message: Message): Record<string, unknown> {
  return message as unknown as Record<string, unknown>
}
