import { type DescField, type DescMessage, type JsonObject, type JsonValue, ScalarType } from '@bufbuild/protobuf'
import { invalidField } from '../errors.js'
import { enumReader, isObject, kindOf, readText, scalarReader, type ValueReader } from './value-reader.js'

/**
 * Brings the proto JSON of a message into its one form: JSON names in the order of the schema, every field without
 * presence printed, enum values by name, absent and computed fields left out. Throws a ServiceError that names the field
 * by its path, for what the proto JSON mapping does not take or the schema does not know.
 */
export type RecordReader = (value: JsonValue, path: string) => JsonObject

/** Makes readers for a message and all in it. `computed` has the full names of fields whose values do not count. */
export function createRecordReader(message: DescMessage, computed: ReadonlySet<string>): RecordReader {
  return messageReader(message, computed, new Map())
}

interface FieldReader {
  readonly field: DescField
  readonly isComputed: boolean
  readonly read: ValueReader
}

function messageReader(
  message: DescMessage,
  computed: ReadonlySet<string>,
  known: Map<string, RecordReader>,
): RecordReader {
  const made = known.get(message.typeName)
  if (made !== undefined) return made
  const names = new Map<string, FieldReader>()
  const fields: FieldReader[] = []
  const reader: RecordReader = (value, path) => readMessage(value, path, names, fields)
  known.set(message.typeName, reader)
  for (const field of message.fields) {
    const isComputed = computed.has(`${message.typeName}.${field.name}`)
    const fieldReader = { field, isComputed, read: fieldValueReader(field, computed, known) }
    fields.push(fieldReader)
    names.set(field.jsonName, fieldReader).set(field.name, fieldReader)
  }
  return reader
}

function readMessage(
  value: JsonValue,
  path: string,
  names: ReadonlyMap<string, FieldReader>,
  fields: readonly FieldReader[],
): JsonObject {
  if (!isObject(value)) throw invalidField(path, `must be an object, not ${kindOf(value)}`)
  const given = new Map<FieldReader, JsonValue>()
  for (const [name, part] of Object.entries(value)) {
    const reader = names.get(name)
    if (reader === undefined) throw invalidField(joined(path, name), 'is not known')
    if (given.has(reader)) throw invalidField(joined(path, name), 'is given twice')
    if (part !== null || isJsonValue(reader.field)) given.set(reader, part)
  }
  requireOneOf(path, given)
  const record: JsonObject = {}
  for (const reader of fields) {
    if (reader.isComputed) continue
    const part = given.get(reader)
    const { jsonName } = reader.field
    if (part !== undefined) record[jsonName] = reader.read(part, joined(path, jsonName))
    else if (isAlwaysPrinted(reader.field)) record[jsonName] = defaultOf(reader.field)
  }
  return record
}

/** Refuses two members of one oneof. */
function requireOneOf(path: string, given: ReadonlyMap<FieldReader, JsonValue>): void {
  const taken = new Map<string, string>()
  for (const { field } of given.keys()) {
    if (field.oneof === undefined) continue
    const other = taken.get(field.oneof.name)
    if (other !== undefined) throw invalidField(joined(path, field.jsonName), `cannot stand beside ${other}`)
    taken.set(field.oneof.name, field.jsonName)
  }
}

function fieldValueReader(
  field: DescField,
  computed: ReadonlySet<string>,
  known: Map<string, RecordReader>,
): ValueReader {
  switch (field.fieldKind) {
    case 'scalar':
      return scalarReader(field.scalar)
    case 'enum':
      return enumReader(field.enum)
    case 'message':
      return isJsonValue(field) ? (value) => value : messageReader(field.message, computed, known)
    case 'list':
      return listReader(
        field.listKind === 'scalar'
          ? scalarReader(field.scalar)
          : field.listKind === 'enum'
            ? enumReader(field.enum)
            : messageReader(field.message, computed, known),
      )
    case 'map':
      if (field.mapKey !== ScalarType.STRING || field.scalar !== ScalarType.STRING) break
      return mapReader
  }
  throw new Error(`records cannot have the field ${field.name} of ${field.parent.typeName}`)
}

function listReader(read: ValueReader): ValueReader {
  return (value, path) => {
    if (!Array.isArray(value)) throw invalidField(path, `must be a list, not ${kindOf(value)}`)
    return value.map((item, index) => read(item, `${path}[${index}]`))
  }
}

function mapReader(value: JsonValue, path: string): JsonObject {
  if (!isObject(value)) throw invalidField(path, `must be an object, not ${kindOf(value)}`)
  const entries = Object.entries(value).map(([key, text]) => [
    readText(key, path),
    readText(text, `${path}[${JSON.stringify(key)}]`),
  ])
  return Object.fromEntries(entries)
}

/** `google.protobuf.Value`, in which null is a value. */
function isJsonValue(field: DescField): boolean {
  return field.fieldKind === 'message' && field.message.typeName === 'google.protobuf.Value'
}

function isAlwaysPrinted(field: DescField): boolean {
  if (field.fieldKind === 'list' || field.fieldKind === 'map') return true
  return field.fieldKind !== 'message' && field.oneof === undefined && !field.proto.proto3Optional
}

function defaultOf(field: DescField): JsonValue {
  switch (field.fieldKind) {
    case 'list':
      return []
    case 'map':
      return {}
    case 'enum':
      return field.enum.values[0]?.name ?? null
    case 'message':
      return null
    case 'scalar':
      return field.scalar === ScalarType.STRING ? '' : field.scalar === ScalarType.BOOL ? false : 0
  }
}

function joined(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`
}
