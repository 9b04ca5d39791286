import type { DescField, DescMessage, Message } from '@bufbuild/protobuf'
import { invalidArgument, quoted } from '../protojson/invalid.js'
import type { FieldHint } from '../protojson/json-field.js'
import { type FieldPath, fieldPathToString, findByName, resolveFieldPath, startsWithPath } from './field-path.js'
import { compileFieldSetter, type FieldSetter } from './field-setter.js'
import { decodeFormText, isFormText } from './percent.js'

/** Binds the pairs of a query or a form, `a=1&b.c=2`, into a message; throws `invalid_argument`, naming the pair. */
export type ParameterBinder = (message: Message, encoded: string) => void

/** What a binder needs to know of its place in a route. */
export interface ParameterBinderOptions {
  /** What the pairs are called in errors. */
  readonly kind: 'query parameter' | 'form field'
  /** Field paths that bind nothing here because something else, which is named, binds them. Default none. */
  readonly taken?: readonly { readonly fields: FieldPath; readonly by: string }[]
  /** Why no field at all can be given here. Default: some can. */
  readonly closed?: string | undefined
  /** Whether pairs whose name binds nothing are ignored, those that cannot be decoded included. */
  readonly ignoreUnknown: boolean
  /** Whether a singular field may be repeated with the same value. Default false. */
  readonly mergeEqual?: boolean | undefined
  /** Names that are always ignored. Default none. */
  readonly allowed?: ReadonlySet<string>
  readonly hint?: FieldHint | undefined
  /** The most pairs that are accepted, including those that bind nothing. */
  readonly maxPairs: number
}

/** A parameter that binds a field. */
interface Parameter {
  readonly id: string
  readonly repeated: boolean
  readonly set: FieldSetter
}

const MAX_CACHED_NAMES = 1000

/**
 * Compiles a binder for a message type. Names are JSON names or proto names, `.` leads into messages, a repeated field
 * is given by repeating it, a singular one at most once, however it is spelled, unless equal values are merged.
 */
export function compileParameterBinder(desc: DescMessage, options: ParameterBinderOptions): ParameterBinder {
  const { kind, taken = [], closed, hint, ignoreUnknown, mergeEqual = false, allowed, maxPairs } = options
  const cache = new Map<string, Parameter>()
  const takenBy = (path: readonly DescField[]) => taken.find(({ fields }) => startsWithPath(path, fields))
  const isOpen = (path: readonly DescField[]) => takenBy(path) === undefined

  /** The parameter of a name, or why it binds nothing. */
  function resolve(name: string): Parameter | string {
    const fields = resolveFieldPath(desc, name.split('.'), findByName, { hint, isOpen })
    if (closed !== undefined) return typeof fields === 'string' ? `is unknown, and ${closed}` : closed
    if (typeof fields === 'string') return `is unknown: ${fields}`
    const other = takenBy(fields)
    if (other !== undefined) return `is not accepted: it belongs in ${other.by}`
    const repeated = fields.at(-1)?.fieldKind === 'list'
    const parameter = { id: fieldPathToString(fields), repeated, set: compileFieldSetter(fields) }
    // Only names that bind are kept, so that a caller cannot fill the cache at will.
    if (cache.size < MAX_CACHED_NAMES) cache.set(name, parameter)
    return parameter
  }

  return (message, encoded) => {
    const seen = new Map<string, string>()
    let count = 0
    for (const [rawName, raw] of pairs(encoded)) {
      if (++count > maxPairs) throw invalidArgument('', `there are more than ${maxPairs} ${kind}s`)
      if (ignoreUnknown && !isFormText(rawName)) continue
      const name = decodeFormText(rawName, kind)
      if (allowed?.has(name)) continue
      const parameter = cache.get(name) ?? resolve(name)
      if (typeof parameter === 'string') {
        if (ignoreUnknown) continue
        throw invalidArgument(name, `${kind} ${quoted(name)} ${parameter}`)
      }
      const value = decodeFormText(raw, name)
      if (!parameter.repeated) {
        const earlier = seen.get(parameter.id)
        if (earlier !== undefined) {
          if (mergeEqual && earlier === value) continue
          throw invalidArgument(name, `${kind} ${quoted(name)} is given more than once`)
        }
        seen.set(parameter.id, value)
      }
      parameter.set(message, value, name)
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
