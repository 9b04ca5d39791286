import {
  create,
  type DescField,
  type DescMessage,
  type Message,
  type MessageShape,
  mergeFromJson,
} from '@bufbuild/protobuf'
import { isWrapperDesc } from '@bufbuild/protobuf/wkt'
import { invalidArgument } from './invalid.js'
import { createKnownTypeReader } from './json-known-type.js'
import {
  cursorToString,
  type JsonCursor,
  type JsonReaderOptions,
  type JsonReaders,
  type MessageReader,
  type ValueReader,
} from './json-reader.js'
import { mapKeyFromText, scalarFromJson } from './json-scalar.js'
import { parseJsonTree } from './json-text.js'
import {
  describeJson,
  expectObject,
  type JsonTree,
  MAX_JSON_DEPTH,
  plainJson,
  plainNumbers,
  setKey,
} from './json-tree.js'
import { enumFromNumber, enumNumberByName, ValueFault } from './scalar-text.js'

/** A value that was given and is passed over: an unknown enum name under `ignoreUnknownFields`. */
const PASSED_OVER = Symbol('passed over')

/** Creates readers by the ProtoJSON mapping, strict: exact integers, no duplicate spelling, no unknown field. */
export function createJsonReaders(options: JsonReaderOptions): JsonReaders {
  const compiled = new Map<DescMessage, MessageReader>()
  const readers: JsonReaders = { message, field: compileField }

  function message(desc: DescMessage): MessageReader {
    const held = compiled.get(desc)
    if (held !== undefined) return held
    let read: MessageReader | undefined
    // Compiled on first use, so that a recursive type ends.
    const late: MessageReader = (target, json, cursor) => {
      read ??= createKnownTypeReader(desc, readers, options) ?? compileMessage(desc)
      if (++cursor.depth > MAX_JSON_DEPTH) throw new ValueFault(`messages nest more than ${MAX_JSON_DEPTH} levels deep`)
      read(target, json, cursor)
      cursor.depth--
    }
    compiled.set(desc, late)
    return late
  }

  function compileMessage(desc: DescMessage): MessageReader {
    const fields = new Map<string, { field: DescField; read: MessageReader }>()
    for (const field of desc.fields) {
      const entry = { field, read: compileField(field) }
      fields.set(field.jsonName, entry)
    }
    // A JSON name wins over a proto name that is the same.
    for (const entry of [...fields.values()]) {
      if (!fields.has(entry.field.name)) fields.set(entry.field.name, entry)
    }
    return (target, json, cursor) => {
      const object = expectObject(json)
      const seen = new Set<unknown>()
      for (const key of Object.keys(object)) {
        const entry = fields.get(key)
        cursor.path.push(key)
        if (entry !== undefined) {
          if (seen.has(entry)) throw new ValueFault(`given twice, as ${entry.field.jsonName} and ${entry.field.name}`)
          seen.add(entry)
          const given = object[key]
          if (given !== undefined) {
            const oneof = given === null && !takesNull(entry.field) ? undefined : entry.field.oneof
            if (oneof !== undefined && seen.has(oneof)) {
              throw new ValueFault(`another member of the oneof ${oneof.name} is given`)
            }
            if (oneof !== undefined) seen.add(oneof)
            entry.read(target, given, cursor)
          }
        } else if (!readExtension(desc, target, key, object[key] ?? null) && options.ignoreUnknownFields !== true) {
          throw new ValueFault(`no such field in ${desc.typeName}`)
        }
        cursor.path.pop()
      }
    }
  }

  // Extensions, `"[package.name]"`, are rare: they are left to protobuf-es.
  function readExtension(desc: DescMessage, target: Message, key: string, json: JsonTree): boolean {
    const { registry } = options
    const extension = key.startsWith('[') && key.endsWith(']') ? registry?.getExtension(key.slice(1, -1)) : undefined
    if (registry === undefined || extension?.extendee.typeName !== desc.typeName) return false
    try {
      mergeFromJson(desc, target, { [key]: plainJson(json) }, { registry })
    } catch (error) {
      throw new ValueFault(error instanceof Error ? error.message : String(error))
    }
    return true
  }

  function compileField(field: DescField): MessageReader {
    const { localName } = field
    const oneof = field.oneof?.localName
    if (field.fieldKind === 'list') return compileList(field)
    if (field.fieldKind === 'map') return compileMap(field)
    const read = compileValue(field)
    const keepNull = takesNull(field)
    return (target, json, cursor) => {
      if (json === null && !keepNull) return
      const value = read(json, cursor)
      if (value === PASSED_OVER) return
      const slots = slotsOf(target)
      if (oneof === undefined) slots[localName] = value
      else slots[oneof] = { case: localName, value }
    }
  }

  function compileList(field: DescField & { fieldKind: 'list' }): MessageReader {
    const read = compileValue(field)
    const keepNull = takesNull(field)
    return (target, json, cursor) => {
      if (json === null) return
      if (!Array.isArray(json)) throw new ValueFault(`expected an array, got ${describeJson(json)}`)
      const items: unknown[] = []
      for (const [index, item] of json.entries()) {
        cursor.path.push(index)
        if (item === null && !keepNull) throw new ValueFault('null is not allowed in a list')
        const value = read(item, cursor)
        if (value !== PASSED_OVER) items.push(value)
        cursor.path.pop()
      }
      slotsOf(target)[field.localName] = items
    }
  }

  function compileMap(field: DescField & { fieldKind: 'map' }): MessageReader {
    const read = compileValue(field)
    const keepNull = takesNull(field)
    return (target, json, cursor) => {
      if (json === null) return
      const entries: { [key: string]: unknown } = {}
      for (const [text, item] of Object.entries(expectObject(json))) {
        cursor.path.push(text)
        const key = mapKeyFromText(field.mapKey, text)
        if (Object.hasOwn(entries, key)) throw new ValueFault('duplicate key')
        if (item === null && !keepNull) throw new ValueFault('null is not allowed in a map')
        const value = read(item, cursor)
        if (value !== PASSED_OVER) setKey(entries, key, value)
        cursor.path.pop()
      }
      slotsOf(target)[field.localName] = entries
    }
  }

  function compileValue(field: DescField): ValueReader {
    if (field.enum !== undefined) {
      const desc = field.enum
      return (json) => {
        if (json === null) return 0
        if (typeof json === 'number') return enumFromNumber(desc, json)
        const number = typeof json === 'string' ? enumNumberByName(desc, json) : undefined
        if (number !== undefined) return number
        if (typeof json === 'string' && options.ignoreUnknownFields === true) return PASSED_OVER
        throw new ValueFault(`no value ${describeJson(json)} in enum ${desc.typeName}`)
      }
    }
    if (field.message !== undefined) return compileMessageValue(field, field.message)
    if (field.scalar === undefined) throw new Error(`${String(field)} has no scalar type`)
    const { scalar } = field
    const longAsString = field.fieldKind !== 'map' && field.longAsString
    return (json) => scalarFromJson(scalar, json, longAsString)
  }

  function compileMessageValue(field: DescField, desc: DescMessage): ValueReader {
    if (desc.typeName === 'google.protobuf.Struct' && field.parent.typeName !== 'google.protobuf.Value') {
      // Struct fields are kept as plain JSON objects.
      return (json) => plainNumbers(expectObject(json))
    }
    const read = message(desc)
    const bare = field.fieldKind === 'message' && field.oneof === undefined && isWrapperDesc(desc)
    return (json, cursor) => {
      const child = create(desc)
      read(child, json, cursor)
      return bare ? slotsOf(child)['value'] : child
    }
  }

  return readers
}

/**
 * Reads strict JSON into a message of the type; throws `invalid_argument` that names the field or the position. It
 * compiles its reader: who reads many messages keeps a `createJsonReaders` and uses `readJson`.
 */
export function messageFromJson<Desc extends DescMessage>(
  desc: Desc,
  input: string | Uint8Array,
  options: JsonReaderOptions = {},
): MessageShape<Desc> {
  const message = create(desc)
  readJson(createJsonReaders(options).message(desc), message, parseJsonTree(input), 'body')
  return message
}

/**
 * Runs a reader from the root, and turns what it refuses into `invalid_argument` with the path of the field; `root` is
 * what the JSON as a whole is called.
 */
export function readJson(read: MessageReader, message: Message, json: JsonTree, root: string): void {
  const cursor: JsonCursor = { path: [], depth: 0 }
  try {
    read(message, json, cursor)
  } catch (error) {
    if (error instanceof ValueFault) throw invalidArgument(cursorToString(cursor, root), error.message)
    throw error
  }
}

// null is a value for Value and NullValue alone; everywhere else it means "not given".
function takesNull(field: DescField): boolean {
  return field.message?.typeName === 'google.protobuf.Value' || field.enum?.typeName === 'google.protobuf.NullValue'
}

function slotsOf(message: Message): Record<string, unknown> {
  return message as unknown as Record<string, unknown>
}
