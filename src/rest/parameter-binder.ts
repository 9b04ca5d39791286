import type { DescField, DescMessage, Message } from '@bufbuild/protobuf'
import { invalidArgument, quoted } from '../protojson/invalid.js'
import type { FieldHint } from '../protojson/json-field.js'
import {
  createNameFinder,
  type FieldFinder,
  type FieldPath,
  fieldPathToString,
  resolveFieldPath,
  startsWithPath,
} from './field-path.js'
import { compileFieldSetter, type FieldSetter } from './field-setter.js'
import { decodeFormText, isFormText } from './percent.js'

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
  /** Whether pairs whose name binds nothing are ignored, those that cannot be decoded included. */
  readonly ignoreUnknown: boolean
  /** Whether a singular field may be repeated with the same value. Default false. */
  readonly mergeEqual?: boolean | undefined
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
 * is given by repeating it, a singular one at most once, however it is spelled, unless equal values are merged.
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
    let seen: Map<string, string> | undefined
    let count = 0
    for (const [rawName, raw] of pairs(encoded)) {
      if (++count > options.maxPairs)
        throw invalidArgument('', `there are more than ${options.maxPairs} ${options.kind}s`)
      if (options.ignoreUnknown && !isFormText(rawName)) continue
      const name = decodeFormText(rawName, options.kind)
      if (options.allowed.has(name)) continue
      const target = parameter(name)
      if (!target.ok) {
        if (options.ignoreUnknown) continue
        throw invalidArgument(name, `${options.kind} ${quoted(name)} ${target.reason}`)
      }
      const value = decodeFormText(raw, name)
      if (!target.repeated) {
        const earlier = seen?.get(target.id)
        if (earlier !== undefined) {
          if (options.mergeEqual === true && earlier === value) continue
          throw invalidArgument(name, `${options.kind} ${quoted(name)} is given more than once`)
        }
        seen = (seen ?? new Map<string, string>()).set(target.id, value)
      }
      target.set(message, value, name)
    }
  }
}

function* pairs(encoded: string): Generator<[rawName: string, rawValue: string]> {
  let start = 0
  while (start <= encoded.length) {
    let end = encoded.indexOf('&', start)
    if (end < 0) end = encoded.length
    if (end > start) {
      // Searched in the pair alone: searching all that follows would take quadratic time for pairs without one.
      const pair = encoded.slice(start, end)
      const equals = pair.indexOf('=')
      yield equals < 0 ? [pair, ''] : [pair.slice(0, equals), pair.slice(equals + 1)]
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
  const takenBy = (path: readonly DescField[]) => options.taken.find(({ fields }) => startsWithPath(path, fields))
  const isOpen = (path: readonly DescField[]) => takenBy(path) === undefined
  const resolved = resolveFieldPath(desc, name.split('.'), find, { hint: options.hint, isOpen })
  if (options.closed !== undefined) {
    return { ok: false, reason: resolved.ok ? options.closed : `is unknown, and ${options.closed}` }
  }
  if (!resolved.ok) return { ok: false, reason: `is unknown: ${resolved.reason}` }
  const { fields } = resolved
  const taken = takenBy(fields)
  if (taken !== undefined) return { ok: false, reason: `is not accepted: it belongs in ${taken.by}` }
  const repeated = fields.at(-1)?.fieldKind === 'list'
  return { ok: true, id: fieldPathToString(fields), repeated, set: compileFieldSetter(fields) }
}
