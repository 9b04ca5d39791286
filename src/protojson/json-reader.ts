import { create, type DescField, type DescMessage, type MessageShape } from '@bufbuild/protobuf'
import { type ReflectMessage, reflect } from '@bufbuild/protobuf/reflect'
import { invalidArgument, ValueFault } from './invalid.js'
import { type JsonReading, type JsonRules, readField, readMessage } from './json-message.js'
import { DEFAULT_JSON_LIMITS, type JsonLimits, parseJsonTree } from './json-text.js'
import { createRequiredSearch } from './required-fields.js'

export interface JsonReaderOptions extends JsonRules {
  /** Default: `DEFAULT_JSON_LIMITS`. */
  readonly limits?: JsonLimits
  /** The name of the whole JSON in errors. Default: `body`, or the field that it is read as. */
  readonly root?: string
  /** Whether the items of a list are on lines of their own. */
  readonly isLines?: boolean
}

/** Reads strict JSON into a message of the type; throws `invalid_argument` that names the field or the position. */
export function messageFromJson<Desc extends DescMessage>(
  desc: Desc,
  input: string | Uint8Array,
  options: JsonReaderOptions = {},
): MessageShape<Desc> {
  const message = create(desc)
  readJson(reflect(desc, message, false), undefined, input, options)
  return message
}

/** Reads strict JSON into a message or, if it is given, one field of it. Throws as `messageFromJson` does. */
export function readJson(
  target: ReflectMessage,
  field: DescField | undefined,
  input: string | Uint8Array,
  options: JsonReaderOptions,
): void {
  const { limits = DEFAULT_JSON_LIMITS, root = field?.jsonName ?? 'body', isLines = false } = options
  const reading: JsonReading = {
    ...options,
    path: [],
    maxFreeDepth: limits.maxFreeDepth,
    missingField: createRequiredSearch(),
  }
  try {
    const json = parseJsonTree(input, limits.maxValues, reading.path, isLines)
    if (field === undefined) readMessage(target, json, reading)
    else readField(target, field, json, reading)
  } catch (error) {
    if (error instanceof ValueFault) throw invalidArgument(pathToString(reading.path, root), error.message)
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
