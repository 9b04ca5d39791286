import { create, type DescMessage, mergeFromJson, type Registry } from '@bufbuild/protobuf'
import { type Any, anyPack, hasCustomJsonRepresentation, isWrapperDesc } from '@bufbuild/protobuf/wkt'
import { quoted, ValueFault } from './invalid.js'
import type { JsonReaderOptions, JsonReaders, MessageReader } from './json-field.js'
import { describeJson, expectList, expectObject, type JsonTree, plainJson, refuseDeeper } from './json-tree.js'
import { textForms } from './known-type-text.js'
import { createRequiredSearch } from './required-fields.js'

/** The reader of a well-known type whose JSON is not an object of its fields; undefined for every other type. */
export function createKnownTypeReader(
  desc: DescMessage,
  readers: JsonReaders,
  { registry, snakeMasks = false }: JsonReaderOptions,
): MessageReader | undefined {
  const [wrapped] = isWrapperDesc(desc) ? desc.fields : []
  if (wrapped !== undefined) return readers.field(wrapped)
  const fieldsFromText = textForms.get(desc.typeName)
  if (fieldsFromText !== undefined) {
    return (message, json) => {
      if (typeof json !== 'string') throw new ValueFault(`expected a string, got ${describeJson(json)}`)
      Object.assign(message, fieldsFromText(json, snakeMasks))
    }
  }
  switch (desc.typeName) {
    case 'google.protobuf.Struct':
      return freeReader(desc, expectObject)
    case 'google.protobuf.ListValue':
      return freeReader(desc, expectList)
    case 'google.protobuf.Value':
      return freeReader(desc, (json) => json)
    case 'google.protobuf.Any':
      return anyReader(readers, registry)
    default:
      return undefined
  }
}

/** The reader of a type whose JSON no schema describes; `expect` throws for what the type cannot be. */
function freeReader(desc: DescMessage, expect: (json: JsonTree) => JsonTree): MessageReader {
  return (message, json, { maxFreeDepth }) => {
    refuseDeeper(json, maxFreeDepth)
    const recursionLimit = Number.POSITIVE_INFINITY
    mergeFromJson(desc, message, plainJson(expect(json), Number), { recursionLimit })
  }
}

// {"@type": "type.googleapis.com/a.B", …fields of a.B} or, for a type with JSON of its own, {"@type": …, "value": …}.
function anyReader(readers: JsonReaders, registry: Registry | undefined): MessageReader {
  const missingField = createRequiredSearch()
  return (message, json, cursor) => {
    refuseDeeper(json, cursor.maxFreeDepth)
    const { '@type': typeUrl, ...rest } = expectObject(json)
    if (typeUrl === undefined && Object.keys(rest).length === 0) return
    if (typeof typeUrl !== 'string') throw new ValueFault('"@type" is missing or not a string')
    const name = typeUrl.slice(typeUrl.lastIndexOf('/') + 1)
    const desc = registry?.getMessage(name)
    if (desc === undefined) throw new ValueFault(`${quoted(typeUrl)} is not a known type`)
    const content = create(desc)
    const read = readers.message(desc)
    // Some printers give an Empty its "value", others do not.
    const isEmptyValue = name === 'google.protobuf.Empty' && Object.hasOwn(rest, 'value')
    if (hasCustomJsonRepresentation(desc) || isEmptyValue) {
      const { value, ...others } = rest
      if (value === undefined || Object.keys(others).length > 0) {
        throw new ValueFault(`${name} in Any takes only "@type" and "value"`)
      }
      cursor.path.push('value')
      read(content, value, cursor)
      cursor.path.pop()
    } else {
      read(content, rest, cursor)
    }
    const missing = missingField(desc, content)
    if (missing !== undefined) {
      cursor.path.push(...missing)
      throw new ValueFault('is required')
    }
    anyPack(desc, content, message as Any)
    Object.assign(message, { typeUrl })
  }
}
