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
import { quoted, ValueFault } from './invalid.js'
import type { JsonReaderOptions, JsonReaders, MessageReader } from './json-reader.js'
import { describeJson, expectList, expectObject, Fraction, type JsonTree, refuseDeeper, setKey } from './json-tree.js'
import { durationFromText, maskPathsFromText, timestampFromText } from './known-type-text.js'
import { compileRequiredSearch, type RequiredSearch } from './required-fields.js'

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
      return freeReader((json) => ({ fields: structFields(json) }))
    case 'google.protobuf.ListValue':
      return freeReader((json) => ({ values: expectList(json).map(valueFromTree) }))
    case 'google.protobuf.Value':
      return freeReader((json) => ({ kind: kindFromTree(json) }))
    case 'google.protobuf.Any':
      return anyReader(readers, options)
    default:
      return undefined
  }
}

function textReader(fieldsFrom: (text: string) => object): MessageReader {
  return {
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

/** The reader of a type whose JSON no schema describes. */
function freeReader(fieldsFrom: (json: JsonTree) => object): MessageReader {
  return {
    read(message, json, { maxFreeDepth }) {
      refuseDeeper(json, maxFreeDepth)
      Object.assign(message, fieldsFrom(json))
    },
  }
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
    refuseDeeper(json, cursor.maxFreeDepth)
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
  return { read }
}
