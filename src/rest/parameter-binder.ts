import type { DescField, DescMessage } from '@bufbuild/protobuf'
import type { ReflectMessage } from '@bufbuild/protobuf/reflect'
import { invalidArgument, quoted } from '../protojson/invalid.js'
import { type FieldHint, findByName } from '../protojson/json-message.js'
import { type FieldPath, fieldPathToString, resolveFieldPath, startsWithPath } from './field-path.js'
import { setFromText } from './field-setter.js'
import { decodeAnyFormText, decodeFormText, isFormText } from './percent.js'

/** The rules for pairs of names and values, in a query or a form. */
export interface ParameterRules {
  /** The name of a pair in errors. */
  readonly kind: 'query parameter' | 'form field'
  /** Field paths that bind nothing here because something else, which is named, binds them. Default none. */
  readonly taken?: readonly { readonly fields: FieldPath; readonly by: string }[]
  /** Why no field at all can be given here. Default: some can. */
  readonly closed?: string | undefined
  /** Whether pairs whose name binds nothing are ignored, those that cannot be decoded included. */
  readonly ignoreUnknown: boolean
  /** Whether a singular field may be repeated with the same value. Default false. */
  readonly mergeEqual?: boolean | undefined
  /** Whether the values of a form can be any bytes, instead of percent-encoded UTF-8. Default false. */
  readonly anyText?: boolean | undefined
  /** Names that are always ignored. Default none. */
  readonly allowed?: ReadonlySet<string>
  readonly hint?: FieldHint | undefined
  /** The most pairs that are accepted, including those that bind nothing. */
  readonly maxPairs: number
}

/**
 * Binds the pairs of a query or a form, `a=1&b.c=2`, into a message. Names are JSON names or proto names, `.` leads into
 * messages, a repeated field is given by repeating it, a singular one at most once, however it is spelled, unless equal
 * values are merged. Throws `invalid_argument`, naming the pair.
 */
export function bindParameters(message: ReflectMessage, encoded: string, rules: ParameterRules): void {
  const { kind, ignoreUnknown, mergeEqual = false, anyText = false, allowed, maxPairs } = rules
  const seen = new Map<string, string>()
  let count = 0
  for (const [rawName, raw] of pairs(encoded)) {
    if (++count > maxPairs) throw invalidArgument('', `there are more than ${maxPairs} ${kind}s`)
    if (ignoreUnknown && !isFormText(rawName)) continue
    const name = decodeFormText(rawName, kind)
    if (allowed?.has(name)) continue
    const path = pathOf(name, message.desc, rules)
    if (typeof path === 'string') {
      if (ignoreUnknown) continue
      throw invalidArgument(name, `${kind} ${quoted(name)} ${path}`)
    }
    const value = anyText ? decodeAnyFormText(raw) : decodeFormText(raw, name)
    if (path.at(-1)?.fieldKind !== 'list') {
      const field = fieldPathToString(path)
      const earlier = seen.get(field)
      if (earlier !== undefined) {
        if (mergeEqual && earlier === value) continue
        throw invalidArgument(name, `${kind} ${quoted(name)} is given more than once`)
      }
      seen.set(field, value)
    }
    setFromText(message, path, value, name)
  }
}

/** The fields to which a name leads, or why it binds nothing. */
function pathOf(name: string, desc: DescMessage, { taken = [], closed, hint }: ParameterRules): FieldPath | string {
  const takenBy = (path: readonly DescField[]) => taken.find(({ fields }) => startsWithPath(path, fields))
  const isOpen = (path: readonly DescField[]) => takenBy(path) === undefined
  const resolve = (text: string) => resolveFieldPath(desc, text.split('.'), findByName, { hint, isOpen })
  const fields = resolve(name)
  if (closed !== undefined) return typeof fields === 'string' ? `is unknown, and ${closed}` : closed
  if (typeof fields === 'string') return `is unknown: ${bracketAdvice(name, resolve) ?? fields}`
  const other = takenBy(fields)
  return other === undefined ? fields : `is not accepted: it belongs in ${other.by}`
}

/** What to write instead of the brackets that other servers read in names, `a[]=1` and `a[b]=1`. */
function bracketAdvice(name: string, resolve: (name: string) => FieldPath | string): string | undefined {
  const plain = name.replace(/\[\d*\]/g, '').replace(/\[([^[\]]*)\]/g, '.$1')
  const fields = plain === name ? undefined : resolve(plain)
  if (fields === undefined || typeof fields === 'string') return undefined
  const often = fields.at(-1)?.fieldKind === 'list' ? ', once for each value' : ''
  return `write ${quoted(plain)} without brackets${often}`
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
