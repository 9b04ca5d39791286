import { create, type DescField, type DescMessage, type Message } from '@bufbuild/protobuf'
import { isWrapperDesc } from '@bufbuild/protobuf/wkt'
import { ValueFault } from '../protojson/invalid.js'
import { durationFromText, maskPathsFromText, timestampFromText } from '../protojson/known-type-text.js'
import { enumFromText, scalarFromText } from '../protojson/scalar-text.js'

/** Reads text as one value of a field, in the form in which protobuf-es keeps it; throws `ValueFault`. */
export type TextReader = (text: string) => unknown

/** Compiles the reader of URL text for a field that `hasTextForm` or that is a scalar or enum, singular or repeated. */
export function compileTextReader(field: DescField): TextReader {
  if (field.enum !== undefined) {
    const desc = field.enum
    return (text) => enumFromText(desc, text)
  }
  if (field.message !== undefined) {
    const unwrapped = field.fieldKind === 'message' && field.oneof === undefined && isWrapperDesc(field.message)
    return unwrapped ? wrapperValueReader(field.message) : messageReader(field.message)
  }
  if (field.scalar === undefined) throw new Error(`${String(field)} has no scalar type`)
  const type = field.scalar
  const longAsString = field.fieldKind !== 'map' && field.longAsString
  return (text) => scalarFromText(type, text, longAsString)
}

// Wrapper fields outside lists and oneofs are kept as the bare value.
function wrapperValueReader(desc: DescMessage): TextReader {
  const value = desc.fields[0]
  if (value === undefined) throw new Error(`${desc.typeName} has no value field`)
  return compileTextReader(value)
}

function messageReader(desc: DescMessage): TextReader {
  if (isWrapperDesc(desc)) {
    const read = wrapperValueReader(desc)
    return (text) => createWith(desc, { value: read(text) })
  }
  switch (desc.typeName) {
    case 'google.protobuf.Timestamp':
      return (text) => createWith(desc, timestampFromText(text))
    case 'google.protobuf.Duration':
      return (text) => createWith(desc, durationFromText(text))
    case 'google.protobuf.FieldMask':
      return (text) => createWith(desc, { paths: maskPathsFromText(text, true) })
    default:
      return () => {
        throw new ValueFault(`${desc.typeName} has no text form`)
      }
  }
}

function createWith(desc: DescMessage, fields: object): Message {
  return Object.assign(create(desc), fields)
}
