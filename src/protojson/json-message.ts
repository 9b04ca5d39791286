import { type DescEnum, type DescField, type DescMessage, mergeFromJson, type Registry } from '@bufbuild/protobuf'
import { type ReflectMessage, reflect, reflectList, reflectMap } from '@bufbuild/protobuf/reflect'
import { type Any, anyPack, hasCustomJsonRepresentation, isWrapperDesc } from '@bufbuild/protobuf/wkt'
import { quoted, ValueFault } from './invalid.js'
import {
  describeJson,
  expectList,
  expectObject,
  isContainer,
  type JsonTree,
  type JsonTreeObject,
  plainJson,
  refuseDeeper,
} from './json-tree.js'
import { textForms } from './known-type-text.js'
import { suggestion } from './nearest.js'
import { createRequiredSearch, type RequiredSearch } from './required-fields.js'
import {
  enumFromNumber,
  enumJsonFromText,
  enumNumberByName,
  jsonFromText,
  noSuchValue,
  scalarFromJson,
  scalarFromText,
} from './scalar-text.js'

/** What to do instead of giving a name that people try and that no field has; undefined for other names. */
export type FieldHint = (desc: DescMessage, name: string) => string | undefined

/** Whether a name that is not a field of a message is ignored nevertheless. */
export type IgnoredField = (desc: DescMessage, name: string) => boolean

/** How lenient reading is, and which types are known for `Any`. */
export interface JsonRules {
  readonly ignoreUnknownFields?: boolean | undefined
  /** Whether every enum accepts only its declared numbers, as closed ones do: for values that are stored by name. */
  readonly closedEnums?: boolean | undefined
  readonly registry?: Registry | undefined
  readonly hint?: FieldHint | undefined
  /** Which unknown names are ignored, if not all are. Default: none. */
  readonly ignores?: IgnoredField | undefined
}

/** The reading of one text: its rules, and where it is, for errors. */
export interface JsonReading extends JsonRules {
  readonly path: (string | number)[]
  /** How deep objects and lists may nest where no schema limits it. */
  readonly maxFreeDepth: number
  /** Whether field masks may be in proto spelling as well, as in URLs. */
  readonly snakeMasks?: boolean
  /** For the messages in `Any`. */
  readonly missingField: RequiredSearch
}

/**
 * Finds a field by its JSON name, otherwise by its proto name, so that a JSON name that is also another field's proto
 * name means what it means in JSON.
 */
export function findByName({ fields }: DescMessage, name: string): DescField | undefined {
  return fields.find((field) => field.jsonName === name) ?? fields.find((field) => field.name === name)
}

/**
 * Reads JSON into a message by the ProtoJSON mapping, strict: exact integers, no duplicate spelling, no unknown field.
 * Fields that were set before stay unless the JSON names them. Throws `ValueFault`.
 */
export function readMessage(target: ReflectMessage, json: JsonTree, reading: JsonReading): void {
  if (readKnownType(target, json, reading)) return
  const { desc } = target
  const object = expectObject(json)
  const members: DescField[] = []
  for (const key of Object.keys(object)) {
    reading.path.push(key)
    const given = object[key] ?? null
    const field = findByName(desc, key)
    if (field !== undefined) {
      refuseSecondName(field, key, object)
      if (given !== null || takesNull(field)) refuseSecondMember(field, members)
      readField(target, field, given, reading)
    } else if (!readExtension(target, key, given, reading) && !isIgnored(desc, key, reading)) {
      const names = desc.fields.map(({ jsonName }) => jsonName)
      throw new ValueFault(`no such field in ${desc.typeName}: ${reading.hint?.(desc, key) ?? suggestion(key, names)}`)
    }
    reading.path.pop()
  }
}

function isIgnored(desc: DescMessage, name: string, { ignoreUnknownFields, ignores }: JsonReading): boolean {
  return ignoreUnknownFields === true || ignores?.(desc, name) === true
}

/** Sets a field of a message from its JSON alone; `null` leaves it unset. Throws `ValueFault`. */
export function readField(target: ReflectMessage, field: DescField, json: JsonTree, reading: JsonReading): void {
  if (field.fieldKind === 'list') {
    if (json !== null) target.set(field, listFrom(field, json, reading))
  } else if (field.fieldKind === 'map') {
    if (json !== null) target.set(field, mapFrom(field, json, reading))
  } else if (json !== null || takesNull(field)) {
    const value = valueFrom(field, json, reading)
    if (value !== undefined) target.set(field, value)
  }
}

/**
 * Reads URL text as a value of a field, or of an item if it is repeated, in the form of `ReflectMessage`. The field
 * must be a scalar, an enum or a message with a text form. Throws `ValueFault`.
 */
export function valueFromText(field: DescField, text: string): unknown {
  const [single = field] = field.message !== undefined && isWrapperDesc(field.message) ? field.message.fields : []
  const json = single.enum === undefined ? jsonFromText(single.scalar, text) : enumJsonFromText(single.enum, text)
  return valueFrom(field, json, { path: [], maxFreeDepth: 0, snakeMasks: true, missingField: createRequiredSearch() })
}

/** One value of a field, an item if it is repeated; undefined for one that is ignored. */
function valueFrom(field: DescField, json: JsonTree, reading: JsonReading): unknown {
  if (field.enum !== undefined) return enumFrom(field.enum, json, reading)
  if (field.message !== undefined) {
    const child = reflect(field.message, undefined, false)
    readMessage(child, json, reading)
    return child
  }
  if (field.scalar === undefined) throw new Error(`${String(field)} has no scalar type`)
  return scalarFromJson(field.scalar, json)
}

/** Whether `null` is a value of a field, as for Value and NullValue alone; everywhere else it means "not given". */
function takesNull(field: DescField): boolean {
  return field.message?.typeName === 'google.protobuf.Value' || field.enum?.typeName === 'google.protobuf.NullValue'
}

function listFrom(field: DescField & { fieldKind: 'list' }, json: JsonTree, reading: JsonReading) {
  const list = reflectList(field, undefined, false)
  for (const [index, item] of expectList(json).entries()) {
    reading.path.push(index)
    if (item === null && !takesNull(field)) throw new ValueFault('null is not allowed in a list')
    const value = valueFrom(field, item, reading)
    if (value !== undefined) list.add(value)
    reading.path.pop()
  }
  return list
}

function mapFrom(field: DescField & { fieldKind: 'map' }, json: JsonTree, reading: JsonReading) {
  const map = reflectMap(field, undefined, false)
  for (const [text, item] of Object.entries(expectObject(json))) {
    reading.path.push(text)
    const key = scalarFromText(field.mapKey, text)
    if (map.has(key)) throw new ValueFault('duplicate key')
    if (item === null && !takesNull(field)) throw new ValueFault('null is not allowed in a map')
    const value = valueFrom(field, item, reading)
    if (value !== undefined) map.set(key, value)
    reading.path.pop()
  }
  return map
}

function enumFrom(desc: DescEnum, json: JsonTree, { closedEnums, ignoreUnknownFields }: JsonRules): number | undefined {
  if (json === null) return 0
  if (typeof json === 'number') return enumFromNumber(desc, json, closedEnums)
  if (isContainer(json)) throw new ValueFault(`expected a value of enum ${desc.typeName}, got ${describeJson(json)}`)
  const number = typeof json === 'string' ? enumNumberByName(desc, json) : undefined
  if (number === undefined && !(typeof json === 'string' && ignoreUnknownFields === true)) {
    throw noSuchValue(desc, describeJson(json))
  }
  return number
}

/** Reads a well-known type whose JSON is not an object of its fields; false: it is another type. */
function readKnownType(target: ReflectMessage, json: JsonTree, reading: JsonReading): boolean {
  const { desc, message } = target
  const [wrapped] = isWrapperDesc(desc) ? desc.fields : []
  const fieldsFromText = textForms.get(desc.typeName)
  if (wrapped !== undefined) readField(target, wrapped, json, reading)
  else if (fieldsFromText !== undefined) {
    if (typeof json !== 'string') throw new ValueFault(`expected a string, got ${describeJson(json)}`)
    Object.assign(message, fieldsFromText(json, reading.snakeMasks === true))
  } else if (desc.typeName === 'google.protobuf.Any') readAny(message, json, reading)
  else if (FREE_TYPES.has(desc.typeName)) {
    if (desc.typeName === 'google.protobuf.Struct') expectObject(json)
    if (desc.typeName === 'google.protobuf.ListValue') expectList(json)
    refuseDeeper(json, reading.maxFreeDepth)
    mergeFromJson(desc, message, plainJson(json, Number), { recursionLimit: Number.POSITIVE_INFINITY })
  } else return false
  return true
}

/** The types whose JSON no schema describes. */
const FREE_TYPES = new Set(['google.protobuf.Struct', 'google.protobuf.ListValue', 'google.protobuf.Value'])

// {"@type": "type.googleapis.com/a.B", …fields of a.B} or, for a type with JSON of its own, {"@type": …, "value": …}.
function readAny(message: ReflectMessage['message'], json: JsonTree, reading: JsonReading): void {
  const { path, registry } = reading
  refuseDeeper(json, reading.maxFreeDepth)
  const { '@type': typeUrl, ...rest } = expectObject(json)
  if (typeUrl === undefined && Object.keys(rest).length === 0) return
  if (typeof typeUrl !== 'string') throw new ValueFault('"@type" is missing or not a string')
  const name = typeUrl.slice(typeUrl.lastIndexOf('/') + 1)
  const desc = registry?.getMessage(name)
  if (desc === undefined) throw new ValueFault(`${quoted(typeUrl)} is not a known type`)
  const content = reflect(desc, undefined, false)
  // Some printers give an Empty its "value", others do not.
  const isEmptyValue = name === 'google.protobuf.Empty' && Object.hasOwn(rest, 'value')
  if (hasCustomJsonRepresentation(desc) || isEmptyValue) {
    const { value, ...others } = rest
    if (value === undefined || Object.keys(others).length > 0) {
      throw new ValueFault(`${name} in Any takes only "@type" and "value"`)
    }
    path.push('value')
    readMessage(content, value, reading)
    path.pop()
  } else readMessage(content, rest, reading)
  const missing = reading.missingField(content)
  if (missing !== undefined) {
    path.push(...missing)
    throw new ValueFault('is required')
  }
  anyPack(desc, content.message, message as Any)
  Object.assign(message, { typeUrl })
}

// Extensions, `"[package.name]"`, are rare: they are left to protobuf-es. False: there is no such extension.
function readExtension(
  { desc, message }: ReflectMessage,
  key: string,
  json: JsonTree,
  { registry }: JsonRules,
): boolean {
  const extension = /^\[.*\]$/s.test(key) ? registry?.getExtension(key.slice(1, -1)) : undefined
  if (extension?.extendee.typeName !== desc.typeName) return false
  try {
    mergeFromJson(desc, message, { [key]: plainJson(json) }, { registry })
  } catch (error) {
    throw new ValueFault(error instanceof Error ? error.message : String(error))
  }
  return true
}

// An object has each key only once, so only the two spellings of a field can clash.
function refuseSecondName({ jsonName, name }: DescField, key: string, object: JsonTreeObject): void {
  if (key === jsonName || !Object.hasOwn(object, jsonName)) return
  throw new ValueFault(`given twice, as ${jsonName} and ${name}`)
}

function refuseSecondMember(field: DescField, members: DescField[]): void {
  const { oneof } = field
  if (oneof === undefined) return
  const other = members.find((member) => member.oneof === oneof)
  if (other !== undefined) {
    throw new ValueFault(
      `${other.jsonName} and ${field.jsonName} cannot both be set: set one of them (oneof ${oneof.name})`,
    )
  }
  members.push(field)
}
