import {
  create,
  type DescExtension,
  type DescField,
  type DescMessage,
  type Message,
  type MessageShape,
  mergeFromJson,
} from '@bufbuild/protobuf'
import { invalidArgument, ValueFault } from './invalid.js'
import { compileFieldReader, takesNull } from './json-field.js'
import { createKnownTypeReader } from './json-known-type.js'
import {
  cursorToString,
  type JsonCursor,
  type JsonReaderOptions,
  type JsonReaders,
  type MessageReader,
} from './json-reader.js'
import { DEFAULT_JSON_LIMITS, type JsonLimits, parseJsonTree } from './json-text.js'
import { expectObject, type JsonTree, type JsonTreeObject, plainJson } from './json-tree.js'
import { suggestion } from './nearest.js'

interface FieldEntry {
  readonly field: DescField
  readonly reader: MessageReader
}

/** Creates readers by the ProtoJSON mapping, strict: exact integers, no duplicate spelling, no unknown field. */
export function createJsonReaders(options: JsonReaderOptions): JsonReaders {
  const compiled = new Map<DescMessage, MessageReader>()
  const readers: JsonReaders = { message, field: (field) => compileFieldReader(field, { message }, options) }

  function message(desc: DescMessage): MessageReader {
    const held = compiled.get(desc)
    if (held !== undefined) return held
    let made: MessageReader | undefined
    // Compiled on first use, so that a recursive type ends.
    const reader = (): MessageReader => {
      made ??= createKnownTypeReader(desc, readers, options) ?? compileMessage(desc)
      return made
    }
    const late: MessageReader = {
      read: (target, json, cursor) => reader().read(target, json, cursor),
    }
    compiled.set(desc, late)
    return late
  }

  function compileMessage(desc: DescMessage): MessageReader {
    const entries = desc.fields.map((field): FieldEntry => ({ field, reader: readers.field(field) }))
    const fields = new Map(entries.map((entry) => [entry.field.name, entry]))
    // A JSON name wins over a proto name that is the same.
    for (const entry of entries) fields.set(entry.field.jsonName, entry)

    const names = desc.fields.map((field) => field.jsonName)

    /** The field that a key means; undefined for an extension, and for a key that is ignored. */
    function entryOf(key: string): FieldEntry | undefined {
      const entry = fields.get(key)
      if (entry !== undefined || options.ignoreUnknownFields === true || extensionOf(desc, key) !== undefined) {
        return entry
      }
      throw new ValueFault(`no such field in ${desc.typeName}: ${options.hint?.(desc, key) ?? suggestion(key, names)}`)
    }

    function read(target: Message, json: JsonTree, cursor: JsonCursor): void {
      const object = expectObject(json)
      const members: DescField[] = []
      for (const key of Object.keys(object)) {
        cursor.path.push(key)
        const given = object[key] ?? null
        const entry = entryOf(key)
        if (entry === undefined) {
          readExtension(desc, target, key, given)
        } else {
          refuseSecondName(entry.field, key, object)
          if (given !== null || takesNull(entry.field)) refuseSecondMember(entry.field, members)
          entry.reader.read(target, given, cursor)
        }
        cursor.path.pop()
      }
    }

    return { read }
  }

  function extensionOf(desc: DescMessage, key: string): DescExtension | undefined {
    if (!key.startsWith('[') || !key.endsWith(']')) return undefined
    const extension = options.registry?.getExtension(key.slice(1, -1))
    return extension?.extendee.typeName === desc.typeName ? extension : undefined
  }

  // Extensions, `"[package.name]"`, are rare: they are left to protobuf-es.
  function readExtension(desc: DescMessage, target: Message, key: string, json: JsonTree): void {
    const { registry } = options
    if (registry === undefined || extensionOf(desc, key) === undefined) return
    try {
      mergeFromJson(desc, target, { [key]: plainJson(json) }, { registry })
    } catch (error) {
      throw new ValueFault(error instanceof Error ? error.message : String(error))
    }
  }

  return readers
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
 * the name of the JSON as a whole.
 */
export function readJson(
  reader: MessageReader,
  message: Message,
  input: string | Uint8Array,
  root: string,
  limits: JsonLimits = DEFAULT_JSON_LIMITS,
): void {
  const cursor: JsonCursor = { path: [], maxFreeDepth: limits.maxFreeDepth }
  try {
    reader.read(message, parseJsonTree(input, limits.maxValues, cursor.path), cursor)
  } catch (error) {
    if (error instanceof ValueFault) throw invalidArgument(cursorToString(cursor, root), error.message)
    throw error
  }
}
