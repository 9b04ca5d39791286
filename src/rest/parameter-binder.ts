import type { DescMessage, Message } from '@bufbuild/protobuf'
import { invalidArgument, quoted } from '../protojson/invalid.js'
import type { FieldHint } from '../protojson/json-reader.js'
import {
  createNameFinder,
  type FieldFinder,
  type FieldPath,
  fieldPathToString,
  resolveFieldPath,
  startsWithPath,
} from './field-path.js'
import { compileFieldSetter, type FieldSetter } from './field-setter.js'
import { decodeFormText } from './percent.js'

/** Binds the pairs of a query or a form, `a=1&b.c=2`, into a message; throws `invalid_argument`, naming the pair. */
export type ParameterBinder = (message: Message, encoded: string) => void

/** What a binder needs to know of its place in a route. */
export interface ParameterBinderOptions {
  /** What the pairs are called in errors. */
  readonly kind: 'query parameter' | 'form field'
  /** Field paths that bind nothing here because something else, which is named, binds them. */
  readonly taken: readonly { readonly fields: FieldPath; readonly by: string }[]
  /** Why no field at all can be given here, or undefined. */
  readonly closed: string | undefined
  /** Whether names that bind nothing are ignored. */
  readonly ignoreUnknown: boolean
  /** Names that are always ignored. */
  readonly allowed: ReadonlySet<string>
  readonly hint?: FieldHint | undefined
  /** The most pairs that are accepted, including those that bind nothing. */
  readonly maxPairs: number
}

type Parameter =
  | { readonly ok: true; readonly id: string; readonly repeated: boolean; readonly set: FieldSetter }
  | { readonly ok: false; readonly reason: string }

const MAX_CACHED_NAMES = 1000

/**
 * Compiles a binder for a message type. Names are JSON names or proto names, `.` leads into messages, a repeated field
 * is given by repeating it, a singular one at most once, however it is spelled.
 */
export function compileParameterBinder(desc: DescMessage, options: ParameterBinderOptions): ParameterBinder {
  const cache = new Map<string, Parameter>()
  const find = createNameFinder()

  function parameter(name: string): Parameter {
    const held = cache.get(name)
    if (held !== undefined) return held
    const made = resolveParameter(desc, name, find, options)
    // Only names that bind are kept, so that a caller cannot fill the cache at will.
    if (made.ok && cache.size < MAX_CACHED_NAMES) cache.set(name, made)
    return made
  }

  return (message, encoded) => {
    let seen: Set<string> | undefined
    let count = 0
    for (const [name, raw] of pairs(encoded, options.kind)) {
      if (++count > options.maxPairs)
        throw invalidArgument('', `there are more than ${options.maxPairs} ${options.kind}s`)
      if (options.allowed.has(name)) continue
      const target = parameter(name)
      if (!target.ok) {
        if (options.ignoreUnknown) continue
        throw invalidArgument(name, `${options.kind} ${quoted(name)} ${target.reason}`)
      }
      if (!target.repeated) {
        if (seen?.has(target.id) === true) {
          throw invalidArgument(name, `${options.kind} ${quoted(name)} is given more than once`)
        }
        seen = (seen ?? new Set<string>()).add(target.id)
      }
      target.set(message, decodeFormText(raw, name), name)
    }
  }
}

function* pairs(encoded: string, kind: string): Generator<[name: string, rawValue: string]> {
  let start = 0
  while (start <= encoded.length) {
    let end = encoded.indexOf('&', start)
    if (end < 0) end = encoded.length
    if (end > start) {
      // Searched in the pair alone: searching all that follows would take quadratic time for pairs without one.
      const pair = encoded.slice(start, end)
      const equals = pair.indexOf('=')
      const [name, value] = equals < 0 ? [pair, ''] : [pair.slice(0, equals), pair.slice(equals + 1)]
      yield [decodeFormText(name, kind), value]
    }
    start = end + 1
  }
}

function resolveParameter(
  desc: DescMessage,
  name: string,
  find: FieldFinder,
  options: ParameterBinderOptions,
): Parameter {
  const resolved = resolveFieldPath(desc, name.split('.'), find, options.hint)
  if (!resolved.ok) return { ok: false, reason: `is unknown: ${resolved.reason}` }
  if (options.closed !== undefined) return { ok: false, reason: options.closed }
  const { fields } = resolved
  const taken = options.taken.find((other) => startsWithPath(fields, other.fields))
  if (taken !== undefined) return { ok: false, reason: `is not accepted: it belongs in ${taken.by}` }
  const repeated = fields.at(-1)?.fieldKind === 'list'
  return { ok: true, id: fieldPathToString(fields), repeated, set: compileFieldSetter(fields) }
}
