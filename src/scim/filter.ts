import { isCalendarDate } from '../domain/value/timestamp.js'
import { ScimError } from './error.js'
import { lineFrom } from './read.js'
import { type Attribute, findPath, isSameName, isSearchable, named, type Path, type ResourceType } from './schema.js'

/**
 * The comparison operators of filters: how the database compares a value with another one, and how a program compares
 * two texts in the same way. `ne` is the opposite of `eq`.
 */
export const comparisons = {
  eq: { operator: 'equals', matches: (stored: string, value: string) => stored === value },
  co: { operator: 'contains', matches: (stored: string, value: string) => stored.includes(value) },
  sw: { operator: 'startsWith', matches: (stored: string, value: string) => stored.startsWith(value) },
  ew: { operator: 'endsWith', matches: (stored: string, value: string) => stored.endsWith(value) },
  gt: { operator: 'gt', matches: (stored: string, value: string) => stored > value },
  ge: { operator: 'gte', matches: (stored: string, value: string) => stored >= value },
  lt: { operator: 'lt', matches: (stored: string, value: string) => stored < value },
  le: { operator: 'lte', matches: (stored: string, value: string) => stored <= value },
} as const

type Comparison = keyof typeof comparisons

/**
 * A filter whose paths are resolved and whose values fit their attributes. It is true or false of each resource, and
 * never unknown: `not` is the opposite for resources without the value too.
 */
export type Filter =
  | { readonly kind: 'and' | 'or'; readonly filters: readonly Filter[] }
  | { readonly kind: 'not'; readonly filter: Filter }
  | { readonly kind: 'present'; readonly attribute: Attribute }
  /** Of a simple attribute. Texts are compared without regard to case unless the attribute is case-exact. */
  | {
      readonly kind: 'compare'
      readonly attribute: Attribute
      readonly comparison: Comparison
      readonly value: string | boolean | Date
    }
  /** One of the entries of a multi-valued attribute satisfies the filter, in which sub-attributes are compared. */
  | { readonly kind: 'some'; readonly attribute: Attribute; readonly filter: Filter }
  /** True or false for all resources: they have no such attribute. */
  | { readonly kind: 'constant'; readonly isTrue: boolean }

/** Reads a filter on resources (RFC 7644 section 3.4.2.2). Throws `invalidFilter`, naming what is wrong. */
export function parseFilter(text: string, type: ResourceType): Filter {
  const alone = type.extensions.flatMap(({ attributes }) => attributes.filter(({ isKnownAlone }) => isKnownAlone))
  return read(text, (path) => {
    const attribute = alone.find(({ name }) => isSameName(name, path))
    const found = attribute === undefined ? findPath(path, type) : { attribute, subAttribute: undefined }
    if (found === undefined) throw filterFault(`names the unknown attribute ${path}`)
    return found
  })
}

/** Reads what is in the brackets of a value path: a filter on entries of an attribute. Throws `invalidFilter`. */
export function parseEntryFilter(text: string, attribute: Attribute): Filter {
  return read(text, findIn(attribute))
}

/** The longest filter: more than the longest value of any attribute, thirty times over. */
const MAX_CHARACTERS = 8_192
const MAX_DEPTH = 20
const MAX_COMPARISONS = 100

/** A string, even without an end; a bracket, perhaps with a sub-attribute behind it; a word; anything but space. */
const TOKENS = /"(?:[^"\\]|\\.)*"?|[()[]|\](?:\.\w+)?|[-\w][-+\w.:]*|\S/gs

type Found = Pick<Path, 'attribute' | 'subAttribute'> | 'unsupported'
type Find = (path: string) => Found

/** Reads the grammar by recursive descent: `or` of `and` of comparisons, negations, brackets. */
function read(text: string, findHere: Find): Filter {
  if (text.length > MAX_CHARACTERS) throw filterFault(`has more than ${MAX_CHARACTERS} characters`)
  const tokens = text.match(TOKENS) ?? []
  const stray = tokens.find((token) => /^[^-\w"()[\].:+]/.test(token))
  if (stray !== undefined) throw filterFault(`has ${JSON.stringify(stray)} outside a string`)
  let at = 0
  let comparisonCount = 0

  const next = () => tokens[at++] ?? ''
  const isNext = (word: string) => {
    const isEqual = tokens[at]?.toLowerCase() === word
    if (isEqual) at += 1
    return isEqual
  }
  const countOne = () => {
    comparisonCount += 1
    if (comparisonCount > MAX_COMPARISONS) throw filterFault(`has more than ${MAX_COMPARISONS} comparisons`)
  }
  const joined = (kind: 'and' | 'or', operand: () => Filter): Filter => {
    const first = operand()
    const filters = [first]
    while (isNext(kind)) filters.push(operand())
    return filters.length === 1 ? first : { kind, filters }
  }
  const filter = (find: Find, depth: number): Filter => joined('or', () => joined('and', () => term(find, depth)))
  const term = (find: Find, depth: number): Filter => {
    if (depth > MAX_DEPTH) throw filterFault(`nests more than ${MAX_DEPTH} levels deep`)
    if (isNext('(')) {
      const inner = filter(find, depth + 1)
      if (!isNext(')')) throw malformed()
      return inner
    }
    if (isNext('not')) {
      countOne()
      return { kind: 'not', filter: term(find, depth) }
    }
    const path = next()
    if (!/^\w/.test(path)) throw malformed()
    return isNext('[') ? valuePath(path, find, depth + 1) : comparison(path, find)
  }
  /** As providers send it, perhaps with a comparison of the same entry behind the brackets. */
  const valuePath = (path: string, find: Find, depth: number): Filter => {
    countOne()
    const found = find(path)
    const isNone = found === 'unsupported'
    if (!isNone && (found.attribute.type !== 'complex' || found.subAttribute !== undefined)) {
      throw filterFault(`has brackets after ${path}, which has no sub-attributes`)
    }
    const findInside: Find = isNone ? () => found : findIn(found.attribute)
    const inside = filter(findInside, depth)
    const end = next()
    if (!end.startsWith(']')) throw malformed()
    // Microsoft's documentation compares the entry itself, which is its value.
    const isCompared = Object.hasOwn(comparisons, tokens[at]?.toLowerCase() ?? '')
    const part = end === ']' && isCompared ? 'value' : end.slice(2)
    const filters = part === '' ? [inside] : [inside, comparison(part, findInside)]
    return isNone ? never : ofEntry(found.attribute, { kind: 'and', filters })
  }
  const comparison = (path: string, find: Find): Filter => {
    countOne()
    const operator = next().toLowerCase()
    if (operator === 'pr') return presence(find(path), path)
    const how = Object.hasOwn(comparisons, operator) ? (operator as Comparison) : undefined
    if (how === undefined && operator !== 'ne') throw malformed()
    const value = valueFrom(next())
    const found = find(path)
    if (found === 'unsupported') return { kind: 'constant', isTrue: (how === undefined) !== (value === null) }
    return compared(found, { path, how: how ?? 'eq', value }, how === undefined)
  }

  const whole = filter(findHere, 0)
  if (at < tokens.length) throw malformed()
  return whole
}

const never: Filter = { kind: 'constant', isTrue: false }

/** A filter that cannot be used; `detail` goes on from its name. */
function filterFault(detail: string): ScimError {
  return new ScimError(400, 'invalidFilter', `filter ${detail}`)
}

function malformed(): ScimError {
  return filterFault('is not a valid filter (RFC 7644), such as userName eq "ada@example.com" and active eq true')
}

type FilterValue = string | number | boolean | null

/** The value that a token is. Words without quotes are texts, as in the examples of Microsoft's documentation. */
function valueFrom(token: string): FilterValue {
  const isString = /^".*"$/s.test(token)
  if (!isString && !/^(?:true|false|null|-?\d+(?:\.\d+)?)$/.test(token)) {
    if (!/^\w[-+\w.:]*$/.test(token)) throw malformed()
    return token
  }
  try {
    const value = JSON.parse(token) as FilterValue
    // The database has no texts with it, so nothing could be equal to it.
    if (typeof value === 'string' && value.includes('\0')) throw filterFault('has a string with U+0000')
    return value
  } catch (cause) {
    if (!(cause instanceof SyntaxError)) throw cause
    throw isString ? filterFault(`has an invalid JSON string: ${token}`) : malformed()
  }
}

function findIn({ name, subAttributes }: Attribute): Find {
  return (path) => {
    const attribute = named(subAttributes, path)
    if (attribute === undefined) throw filterFault(`names ${path}, which ${name} does not have`)
    return { attribute, subAttribute: undefined }
  }
}

function presence(found: Found, path: string): Filter {
  if (found === 'unsupported') return never
  const { attribute, subAttribute } = found
  const wanted = { kind: 'present', attribute: searchable(subAttribute ?? attribute, path) } as const
  return subAttribute === undefined ? wanted : ofEntry(attribute, wanted)
}

function searchable(attribute: Attribute, path: string): Attribute {
  if (!isSearchable(attribute)) throw filterFault(`names ${path}, which cannot be searched`)
  return attribute
}

/** A condition on a sub-attribute, of one of the entries if the attribute has several. */
function ofEntry(attribute: Attribute, filter: Filter): Filter {
  return attribute.multiValued ? { kind: 'some', attribute, filter } : filter
}

interface Stated {
  readonly path: string
  readonly how: Comparison
  readonly value: FilterValue
}

function compared({ attribute, subAttribute }: Exclude<Found, 'unsupported'>, stated: Stated, isOpposite: boolean) {
  const { path, how, value } = stated
  // Of a complex attribute, the value is what is compared (RFC 7643 section 2.4).
  const simple = subAttribute ?? (attribute.type === 'complex' ? named(attribute.subAttributes, 'value') : attribute)
  if (simple === undefined) throw filterFault(`compares ${path}, which is complex: compare one of its sub-attributes`)
  searchable(simple, path)
  if (value === null && how !== 'eq') throw filterFault(`compares ${path} with null: only eq and ne support null`)
  const single: Filter =
    value === null
      ? { kind: 'present', attribute: simple }
      : { kind: 'compare', attribute: simple, comparison: how, value: fittingValue(simple, stated) }
  // What equals null is not present.
  const isNegated = isOpposite !== (value === null)
  return ofEntry(attribute, isNegated ? { kind: 'not', filter: single } : single)
}

/** The value as the type of the attribute has it. Microsoft Entra writes booleans as strings. */
function fittingValue({ type }: Attribute, { path, how, value }: Stated): string | boolean | Date {
  if (type === 'boolean') {
    if (how !== 'eq') throw filterFault(`compares ${path} with ${how}: booleans support only eq and ne`)
    const text = String(value).toLowerCase()
    if (text === 'true' || text === 'false') return text === 'true'
    throw filterFault(`compares ${path} with something other than true or false`)
  }
  if (type === 'dateTime') {
    if (['co', 'sw', 'ew'].includes(how)) {
      throw filterFault(`compares ${path} with ${how}, which only supports strings`)
    }
    return timeFrom(value, path)
  }
  if (typeof value !== 'string') throw filterFault(`compares ${path}, a string, with ${value}: put it in quotes`)
  // Texts are stored so.
  return how === 'eq' ? lineFrom(value) : value
}

/** `xsd:dateTime` (RFC 7643 section 2.3.5); without an offset it is in UTC. */
const TIME = /^(\d{4}-\d\d-\d\d)T\d\d:\d\d:\d\d(?:\.\d{1,9})?(Z|[+-]\d\d:\d\d)?$/i

function timeFrom(value: FilterValue, path: string): Date {
  const [, day = '', offset] = (typeof value === 'string' ? TIME.exec(value) : null) ?? []
  const time = new Date(day === '' ? Number.NaN : `${value}${offset === undefined ? 'Z' : ''}`)
  if (Number.isNaN(time.getTime()) || !isCalendarDate(day)) {
    throw filterFault(`compares ${path} with an invalid time: send one such as "2026-01-31T09:05:00Z"`)
  }
  return time
}
