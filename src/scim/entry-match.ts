import type { JsonValue } from '@bufbuild/protobuf'
import type { ScimAttribute } from '../store/scim/attribute.js'
import type { Filter } from '../store/scim/filter.js'
import { isJsonObject, memberOf } from './json-object.js'

/** Whether the entry of a multi-valued attribute satisfies a filter: as in the database, but of JSON in a document. */
export function matchesEntry(filter: Filter, entry: JsonValue): boolean {
  switch (filter.kind) {
    case 'and':
      return filter.filters.every((each) => matchesEntry(each, entry))
    case 'or':
      return filter.filters.some((each) => matchesEntry(each, entry))
    case 'not':
      return !matchesEntry(filter.filter, entry)
    case 'present':
      return valueIn(entry, filter.attribute) !== undefined
    case 'compare':
      return compares(filter, valueIn(entry, filter.attribute))
    case 'some':
      return false
    case 'constant':
      return filter.isTrue
  }
}

/** The value of a sub-attribute, whose name the document has in any case; undefined if there is none. */
function valueIn(entry: JsonValue, { name, type }: ScimAttribute): string | boolean | undefined {
  const value = isJsonObject(entry) ? memberOf(entry, name) : undefined
  if (type === 'boolean') return value === true
  return typeof value === 'string' && value !== '' ? value : undefined
}

function compares(
  { attribute, comparison, value }: Extract<Filter, { kind: 'compare' }>,
  held: string | boolean | undefined,
): boolean {
  if (typeof value === 'boolean') return (held === value) === (comparison === 'eq')
  if (typeof held !== 'string') return comparison === 'ne'
  const [left, right] = value instanceof Date ? [Date.parse(held), value.getTime()] : texts(held, value, attribute)
  switch (comparison) {
    case 'eq':
      return left === right
    case 'ne':
      return left !== right
    case 'co':
      return String(left).includes(String(right))
    case 'sw':
      return String(left).startsWith(String(right))
    case 'ew':
      return String(left).endsWith(String(right))
    case 'gt':
      return left > right
    case 'ge':
      return left >= right
    case 'lt':
      return left < right
    case 'le':
      return left <= right
  }
}

function texts(held: string, value: string, { caseExact }: ScimAttribute): readonly [string, string] {
  return caseExact ? [held, value] : [held.toLowerCase(), value.toLowerCase()]
}
