import { create, type DescMessage } from '@bufbuild/protobuf'
import {
  type Any,
  anyPack,
  hasCustomJsonRepresentation,
  isWrapperDesc,
  ListValueSchema,
  NullValue,
  StructSchema,
  type Value,
  ValueSchema,
} from '@bufbuild/protobuf/wkt'
import { quoted } from './invalid.js'
import type { JsonReaderOptions, JsonReaders, MessageReader } from './json-reader.js'
import { anyJson, anyList, anyObject, type JsonShape } from './json-shape.js'
import { describeJson, expectObject, Fraction, type JsonTree, setKey } from './json-tree.js'
import { durationFromText, maskPathsFromText, timestampFromText } from './known-type-text.js'
import { compileRequiredSearch, type RequiredSearch } from './required-fields.js'
import { ValueFault } from './scalar-text.js'

/** The reader of a well-known type whose JSON is not an object of its fields; undefined for every other type. */
export function createKnownTypeReader(
  desc: DescMessage,
  readers: JsonReaders,
  options: JsonReaderOptions,
): MessageReader | undefined {
  if (isWrapperDesc(desc)) return wrapperReader(desc, readers)
  switch (desc.typeName) {
    case 'google.protobuf.Timestamp':
      return textReader(timestampFromText)
    case 'google.protobuf.Duration':
      return textReader(durationFromText)
    case 'google.protobuf.FieldMask':
      return textReader((text) => ({ paths: maskPathsFromText(text, false) }))
    case 'google.protobuf.Struct':
      return structReader
    case 'google.protobuf.ListValue':
      return listReader
    case 'google.protobuf.Value':
      return valueReader
    case 'google.protobuf.Any':
      return anyReader(readers, options)
    default:
      return undefined
  }
}

const textShape: JsonShape = { expected: 'a string' }

function textReader(fieldsFrom: (text: string) => object): MessageReader {
  return {
    shape: textShape,
    read(message, json) {
      if (typeof json !== 'string') throw new ValueFault(`expected a string, got ${describeJson(json)}`)
      Object.assign(message, fieldsFrom(json))
    },
  }
}

function wrapperReader(desc: DescMessage, readers: JsonReaders): MessageReader {
  const value = desc.fields[0]
  if (value === undefined) throw new Error(`${desc.typeName} has no value field`)
  return readers.field(value)
}

const structReader: MessageReader = {
  shape: anyObject,
  read: (message, json) => void Object.assign(message, { fields: structFields(json) }),
}

const listReader: MessageReader = {
  shape: anyList,
  read(message, json) {
    if (!Array.isArray(json)) throw new ValueFault(`expected an array, got ${describeJson(json)}`)
    Object.assign(message, { values: json.map(valueFromTree) })
  },
}

const valueReader: MessageReader = {
  shape: anyJson,
  read: (message, json) => void Object.assign(message, { kind: kindFromTree(json) }),
}

function structFields(json: JsonTree): { [key: string]: Value } {
  const fields: { [key: string]: Value } = {}
  for (const [key, value] of Object.entries(expectObject(json))) setKey(fields, key, valueFromTree(value))
  return fields
}

function valueFromTree(json: JsonTree): Value {
  return create(ValueSchema, { kind: kindFromTree(json) })
}

function kindFromTree(json: JsonTree): Value['kind'] {
  if (json === null) return { case: 'nullValue', value: NullValue.NULL_VALUE }
  if (typeof json === 'string') return { case: 'stringValue', value: json }
  if (typeof json === 'boolean') return { case: 'boolValue', value: json }
  if (typeof json === 'number' || typeof json === 'bigint') return { case: 'numberValue', value: Number(json) }
  if (json instanceof Fraction) return { case: 'numberValue', value: json.value }
  if (Array.isArray(json)) {
    return { case: 'listValue', value: create(ListValueSchema, { values: json.map(valueFromTree) }) }
  }
  const struct = create(StructSchema)
  Object.assign(struct, { fields: structFields(json) })
  return { case: 'structValue', value: struct }
}

// {"@type": "type.googleapis.com/a.B", …fields of a.B} or, for a type with JSON of its own, {"@type": …, "value": …}.
function anyReader(readers: JsonReaders, options: JsonReaderOptions): MessageReader {
  const searches = new Map<DescMessage, RequiredSearch | undefined>()
  const searchOf = (desc: DescMessage): RequiredSearch | undefined => {
    if (!searches.has(desc)) searches.set(desc, compileRequiredSearch(desc))
    return searches.get(desc)
  }
  const read: MessageReader['read'] = (message, json, cursor) => {
    const { '@type': typeUrl, ...rest } = expectObject(json)
    if (typeUrl === undefined && Object.keys(rest).length === 0) return
    if (typeof typeUrl !== 'string') throw new ValueFault('"@type" is missing or not a string')
    const name = typeUrl.slice(typeUrl.lastIndexOf('/') + 1)
    const desc = options.registry?.getMessage(name)
    if (desc === undefined) throw new ValueFault(`${quoted(typeUrl)} is not a known type`)
    const content = create(desc)
    // Some printers give an Empty its "value", others do not.
    const isEmptyValue = name === 'google.protobuf.Empty' && Object.hasOwn(rest, 'value')
    if (hasCustomJsonRepresentation(desc) || isEmptyValue) {
      const { value, ...others } = rest
      const unknown = Object.keys(others)[0]
      if (value === undefined || unknown !== undefined) {
        throw new ValueFault(`${name} in Any takes only "@type" and "value"`)
      }
      cursor.path.push('value')
      readers.message(desc).read(content, value, cursor)
      cursor.path.pop()
    } else {
      readers.message(desc).read(content, rest, cursor)
    }
    const missing = searchOf(desc)?.(content)
    if (missing !== undefined) {
      cursor.path.push(...missing)
      throw new ValueFault('is required')
    }
    anyPack(desc, content, message as Any)
    Object.assign(message, { typeUrl })
  }
  return { shape: anyObject, read }
}
