import {
  create,
  type DescExtension,
  type DescField,
  type DescMessage,
  type Message,
  type MessageShape,
  mergeFromJson,
  type Registry,
} from '@bufbuild/protobuf'
import { isWrapperDesc } from '@bufbuild/protobuf/wkt'
import { invalidArgument, ValueFault } from './invalid.js'
import {
  compileFieldReader,
  compileValue,
  type JsonCursor,
  type JsonReaderOptions,
  type JsonReaders,
  type MessageReader,
  takesNull,
} from './json-field.js'
import { createKnownTypeReader } from './json-known-type.js'
import { DEFAULT_JSON_LIMITS, type JsonLimits, parseJsonLines, parseJsonTree } from './json-text.js'
import { expectObject, type JsonTree, type JsonTreeObject, plainJson } from './json-tree.js'
import { suggestion } from './nearest.js'
import { enumJsonFromText, jsonFromText } from './scalar-text.js'

/** Creates readers by the ProtoJSON mapping, strict: exact integers, no duplicate spelling, no unknown field. */
export function createJsonReaders(options: JsonReaderOptions): JsonReaders {
  const compiled = new Map<DescMessage, MessageReader>()
  const readers: JsonReaders = { message, field: (field) => compileFieldReader(field, message, options) }

  function message(desc: DescMessage): MessageReader {
    const held = compiled.get(desc)
    if (held !== undefined) return held
    let made: MessageReader | undefined
    // Compiled on first use, so that a recursive type ends.
    const reader: MessageReader = (target, json, cursor) => {
      made ??= createKnownTypeReader(desc, readers, options) ?? compileMessage(desc)
      made(target, json, cursor)
    }
    compiled.set(desc, reader)
    return reader
  }

  function compileMessage(desc: DescMessage): MessageReader {
    const entries = desc.fields.map((field) => ({ field, read: readers.field(field) }))
    const byProtoName = entries.map((entry) => [entry.field.name, entry] as const)
    // A JSON name wins over a proto name that is the same.
    const byName = new Map([...byProtoName, ...entries.map((entry) => [entry.field.jsonName, entry] as const)])
    const names = desc.fields.map((field) => field.jsonName)
    return (target, json, cursor) => {
      const object = expectObject(json)
      const members: DescField[] = []
      for (const key of Object.keys(object)) {
        cursor.path.push(key)
        const given = object[key] ?? null
        const entry = byName.get(key)
        if (entry !== undefined) {
          refuseSecondName(entry.field, key, object)
          if (given !== null || takesNull(entry.field)) refuseSecondMember(entry.field, members)
          entry.read(target, given, cursor)
        } else if (!readExtension(desc, target, key, given) && options.ignoreUnknownFields !== true) {
          const advice = options.hint?.(desc, key) ?? suggestion(key, names)
          throw new ValueFault(`no such field in ${desc.typeName}: ${advice}`)
        }
        cursor.path.pop()
      }
    }
  }

  // Extensions, `"[package.name]"`, are rare: they are left to protobuf-es.
  function readExtension(desc: DescMessage, target: Message, key: string, json: JsonTree): boolean {
    const { registry } = options
    if (registry === undefined || extensionOf(desc, key, registry) === undefined) return false
    try {
      mergeFromJson(desc, target, { [key]: plainJson(json) }, { registry })
    } catch (error) {
      throw new ValueFault(error instanceof Error ? error.message : String(error))
    }
    return true
  }

  return readers
}

/**
 * Compiles the reader of URL text as one value of a field, of an item if it is repeated, in the form in which
 * protobuf-es keeps it. The field must be a scalar, an enum or a message with a text form. Throws `ValueFault`.
 */
export function compileTextReader(field: DescField): (text: string) => unknown {
  const read = compileValue(field, createJsonReaders({ snakeMasks: true }).message, {})
  const [single = field] = field.message !== undefined && isWrapperDesc(field.message) ? field.message.fields : []
  const { enum: desc, scalar } = single
  const cursor: JsonCursor = { path: [], maxFreeDepth: 0 }
  return (text) => read(desc === undefined ? jsonFromText(scalar, text) : enumJsonFromText(desc, text), cursor)
}

function extensionOf(desc: DescMessage, key: string, registry: Registry): DescExtension | undefined {
  if (!key.startsWith('[') || !key.endsWith(']')) return undefined
  const extension = registry.getExtension(key.slice(1, -1))
  return extension?.extendee.typeName === desc.typeName ? extension : undefined
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

/**
 * Reads strict JSON into a message of the type; throws `invalid_argument` that names the field or the position. It
 * compiles its reader each time: to read many messages, keep a `createJsonReaders` and use `readJson`.
 */
export function messageFromJson<Desc extends DescMessage>(
  desc: Desc,
  input: string | Uint8Array,
  options: JsonReaderOptions = {},
): MessageShape<Desc> {
  const message = create(desc)
  readJson(createJsonReaders(options).message(desc), message, input, 'body')
  return message
}

/**
 * Reads strict JSON, and turns what the reader refuses into `invalid_argument` with the path of the field; `root` is
 * the name of the JSON as a whole. `isLines`: the items of a list are on lines of their own.
 */
export function readJson(
  read: MessageReader,
  message: Message,
  input: string | Uint8Array,
  root: string,
  limits: JsonLimits = DEFAULT_JSON_LIMITS,
  isLines = false,
): void {
  const cursor: JsonCursor = { path: [], maxFreeDepth: limits.maxFreeDepth }
  const parse = isLines ? parseJsonLines : parseJsonTree
  try {
    read(message, parse(input, limits.maxValues, cursor.path), cursor)
  } catch (error) {
    if (error instanceof ValueFault) throw invalidArgument(pathToString(cursor.path, root), error.message)
    throw error
  }
}

/** A path as clients write it: `stages[2].steps[0].id`, or with its root: `root[0].id`, `root`. */
export function pathToString(path: readonly (string | number)[], root: string): string {
  let text = typeof path[0] === 'string' ? '' : root
  for (const part of path) {
    if (typeof part === 'number') text += `[${part}]`
    else text += text === '' ? part : `.${part}`
  }
  return text
}
