import { type Filter as ParsedFilter, parse } from 'scim2-parse-filter'
import { ScimError } from './error.js'

/** A filter as it is written: paths are not looked up yet. */
export type FilterText =
  | { readonly kind: 'and' | 'or'; readonly filters: readonly FilterText[] }
  | { readonly kind: 'not'; readonly filter: FilterText }
  | { readonly kind: 'present'; readonly path: string }
  | { readonly kind: 'compare'; readonly path: string; readonly operator: string; readonly value: FilterValue }
  | { readonly kind: 'some'; readonly path: string; readonly filter: FilterText }

/** A value in a filter. */
export type FilterValue = string | number | boolean | null

/** The longest filter: more than the longest value of any attribute, thirty times over. */
const MAX_CHARACTERS = 8_192
const MAX_DEPTH = 20
const MAX_COMPARISONS = 100

/** A string, and whether it ends: what has no end is a match as well, so that no other match begins inside of it. */
const STRING = /"(?:[^"\\]|\\.)*("?)/g
/** In place of the dot behind a value path, where the parser would join both as if they were about any two entries. */
const SAME_ENTRY = '%'

/**
 * Reads the whole grammar of filters (RFC 7644 section 3.4.2.2), and, as providers send it, a sub-attribute behind a
 * value path (`emails[type eq "work"].value eq "a@example.com"`). Throws `invalidFilter`.
 */
export function parseFilterText(text: string): FilterText {
  if (text.length > MAX_CHARACTERS) throw filterFault(`has more than ${MAX_CHARACTERS} characters`)
  // Strings are read here, since the parser reads escapes of JSON in another way.
  const strings: string[] = []
  const bare = text.replaceAll(STRING, (literal, end) =>
    end === '' ? literal : `"${strings.push(stringOf(literal)) - 1}"`,
  )
  const stray = /[^\w\s.:()[\]"+-]/.exec(bare)
  if (stray !== null) throw filterFault(`has ${JSON.stringify(stray[0])} outside a string`)
  refuseDepth(bare)
  const filter = filterFrom(parsed(bare.replaceAll(/\]\.(\w+)/g, `].$1${SAME_ENTRY}`)), strings)
  if (comparisonsIn(filter) > MAX_COMPARISONS) throw filterFault(`has more than ${MAX_COMPARISONS} comparisons`)
  return filter
}

/** A filter that cannot be used; `detail` goes on from its name. */
export function filterFault(detail: string): ScimError {
  return new ScimError(400, 'invalidFilter', `filter ${detail}`)
}

function stringOf(literal: string): string {
  let text: unknown
  try {
    text = JSON.parse(literal)
  } catch {
    throw filterFault(`has an invalid JSON string: ${literal}`)
  }
  // The database has no texts with it, so nothing could be equal to it.
  if (typeof text !== 'string' || text.includes('\0')) throw filterFault('has a string with U+0000')
  return text
}

/** Parentheses, brackets and negations are read recursively. */
function refuseDepth(bare: string): void {
  let depth = 0
  for (const [word] of bare.matchAll(/[()[\]]/g)) {
    depth += word === '(' || word === '[' ? 1 : -1
    if (depth > MAX_DEPTH) throw filterFault(`nests more than ${MAX_DEPTH} levels deep`)
  }
  if ((bare.match(/\bnot\b/gi) ?? []).length > MAX_COMPARISONS) throw filterFault('has too many negations')
}

function parsed(bare: string): ParsedFilter {
  try {
    return parse(bare)
  } catch {
    throw filterFault('is not a valid filter (RFC 7644), such as userName eq "ada@example.com" and active eq true')
  }
}

const COMPARISONS: readonly string[] = ['eq', 'ne', 'co', 'sw', 'ew', 'gt', 'ge', 'lt', 'le']

/** The parser's tree, in which odd texts leave operators without operands. */
function filterFrom(filter: ParsedFilter, strings: readonly string[]): FilterText {
  const { op } = filter
  if ((op === 'and' || op === 'or') && 'filters' in filter) {
    const [first, second] = filter.filters
    if (first?.op === '[]' && 'valFilter' in first && second !== undefined && isOfSameEntry(second)) {
      const comparison = filterFrom({ ...second, attrPath: subPathOf(second.attrPath) }, strings)
      const both = { kind: 'and' as const, filters: [filterFrom(first.valFilter, strings), comparison] }
      return { kind: 'some', path: first.attrPath, filter: both }
    }
    return { kind: op, filters: filter.filters.map((each) => filterFrom(each, strings)) }
  }
  if (op === 'not' && 'filter' in filter) return { kind: 'not', filter: filterFrom(filter.filter, strings) }
  if (!('attrPath' in filter) || filter.attrPath.includes(SAME_ENTRY)) throw filterFault('has an extra operator')
  const path = filter.attrPath
  if (filter.op === '[]') return { kind: 'some', path, filter: filterFrom(filter.valFilter, strings) }
  if (filter.op === 'pr') return { kind: 'present', path }
  if (!COMPARISONS.includes(filter.op)) throw filterFault(`has the unknown operator ${filter.op}`)
  const { compValue } = filter
  const value = typeof compValue === 'string' ? (strings[Number(compValue)] ?? '') : compValue
  return { kind: 'compare', path, operator: filter.op, value }
}

/** Whether it stood behind a value path, and so is about the same entry. */
function isOfSameEntry(filter: ParsedFilter): filter is Extract<ParsedFilter, { attrPath: string }> {
  return 'attrPath' in filter && filter.attrPath.endsWith(SAME_ENTRY)
}

function subPathOf(path: string): string {
  return path.slice(path.lastIndexOf('.') + 1, -SAME_ENTRY.length)
}

function comparisonsIn(filter: FilterText): number {
  switch (filter.kind) {
    case 'and':
    case 'or':
      return filter.filters.reduce((sum, each) => sum + comparisonsIn(each), 0)
    case 'not':
    case 'some':
      return 1 + comparisonsIn(filter.filter)
    case 'present':
    case 'compare':
      return 1
  }
}
