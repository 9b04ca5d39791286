import type { ScimAttribute, ScimResourceType } from '../store/scim/attribute.js'
import type { Comparison, Filter } from '../store/scim/filter.js'
import { enterpriseUserSchema } from '../store/scim/user-attributes.js'
import { attributePath, named } from './attribute-path.js'
import { type FilterText, type FilterValue, filterFault, parseFilterText } from './filter-text.js'
import { schemasFilter } from './schemas-filter.js'

/** Microsoft Entra asks for managers without the URN of the extension; all other attributes need theirs. */
const MANAGER = `${enterpriseUserSchema.id}:manager`

/** Reads a filter on resources (RFC 7644 section 3.4.2.2). Throws `invalidFilter`, naming what is wrong. */
export function parseFilter(text: string, type: ScimResourceType): Filter {
  return resolved(parseFilterText(text), (path) => {
    const found = attributePath(path.toLowerCase() === 'manager' ? MANAGER : path, type)
    if (found === undefined || found === 'unheld') return found
    const { attribute, subAttribute } = found
    if (attribute.name === 'schemas') return { schemas: attribute, schemasOf: type }
    return subAttribute === undefined ? [attribute] : [attribute, subAttribute]
  })
}

/** Reads what is in the brackets of a value path: a filter on entries of an attribute. Throws `invalidFilter`. */
export function parseEntryFilter(text: string, attribute: ScimAttribute): Filter {
  return resolved(parseFilterText(text), findIn(attribute))
}

/** The attribute that a path names, below the one that it is part of. */
type Found = readonly [ScimAttribute, ScimAttribute?] | SchemasFound | 'unheld'

/** The schemas of a resource, which follow from its other attributes. */
interface SchemasFound {
  readonly schemas: ScimAttribute
  readonly schemasOf: ScimResourceType
}

type Find = (path: string) => Found | undefined

/** Finds sub-attributes; a simple attribute with several values has a value alone. */
function findIn({ name, subAttributes }: ScimAttribute): Find {
  return (path) => {
    const found = named(subAttributes, path)
    if (found === undefined) throw filterFault(`names ${path}, which ${name} does not have`)
    return [found]
  }
}

function resolved(filter: FilterText, find: Find): Filter {
  switch (filter.kind) {
    case 'and':
    case 'or':
      return { kind: filter.kind, filters: filter.filters.map((each) => resolved(each, find)) }
    case 'not':
      return { kind: 'not', filter: resolved(filter.filter, find) }
    case 'some': {
      const found = foundIn(filter.path, find)
      if (found === 'unheld') return { kind: 'constant', isTrue: false }
      if ('schemasOf' in found) throw filterFault(`has brackets after ${filter.path}, which has no sub-attributes`)
      const [attribute, subAttribute] = found
      if (attribute.type !== 'complex' || subAttribute !== undefined) {
        throw filterFault(`has brackets after ${filter.path}, which has no sub-attributes`)
      }
      const entry = resolved(filter.filter, findIn(attribute))
      return attribute.multiValued ? { kind: 'some', attribute, filter: entry } : entry
    }
    case 'present': {
      const found = foundIn(filter.path, find)
      if (found === 'unheld') return { kind: 'constant', isTrue: false }
      if ('schemasOf' in found) return { kind: 'constant', isTrue: true }
      const [attribute, subAttribute] = found
      if (subAttribute === undefined) return { kind: 'present', attribute: searchable(attribute, filter.path) }
      return ofEntry(attribute, { kind: 'present', attribute: searchable(subAttribute, filter.path) })
    }
    case 'compare':
      return comparisonFrom(filter, find)
  }
}

function foundIn(path: string, find: Find): Found {
  const found = find(path)
  if (found === undefined) throw filterFault(`names the unknown attribute ${path}`)
  return found
}

function searchable(attribute: ScimAttribute, path: string): ScimAttribute {
  if (attribute.source.kind === 'unsearchable') throw filterFault(`names ${path}, which cannot be searched`)
  return attribute
}

/** A condition on a sub-attribute, of one of the entries if the attribute has several. */
function ofEntry(attribute: ScimAttribute, filter: Filter): Filter {
  return attribute.multiValued ? { kind: 'some', attribute, filter } : filter
}

function comparisonFrom({ path, operator, value }: Extract<FilterText, { kind: 'compare' }>, find: Find): Filter {
  const comparison = operator as Comparison
  const found = foundIn(path, find)
  if (found === 'unheld') return { kind: 'constant', isTrue: (comparison === 'ne') !== (value === null) }
  if ('schemasOf' in found) {
    const compared = compareOne(found.schemas, { path, comparison, value })
    if (compared.kind === 'compare') return schemasFilter(found.schemasOf, comparison, String(compared.value))
    // With null, for no value (RFC 7643 section 2.5): every resource has some.
    return { kind: 'constant', isTrue: compared.kind === 'present' }
  }
  const [attribute, subAttribute] = found
  // Of a complex attribute, the value is what is compared (RFC 7643 section 2.4).
  const compared = subAttribute ?? (attribute.type === 'complex' ? named(attribute.subAttributes, 'value') : attribute)
  if (compared === undefined) throw filterFault(`compares ${path}, which is complex: compare one of its sub-attributes`)
  const single = compareOne(searchable(compared, path), { path, comparison, value })
  return compared === attribute ? single : ofEntry(attribute, single)
}

interface Stated {
  readonly path: string
  readonly comparison: Comparison
  readonly value: FilterValue
}

function compareOne(attribute: ScimAttribute, { path, comparison, value }: Stated): Filter {
  if (value === null) {
    const present = { kind: 'present' as const, attribute }
    if (comparison === 'ne') return present
    if (comparison === 'eq') return { kind: 'not', filter: present }
    throw filterFault(`compares ${path} with null: only eq and ne support null`)
  }
  return { kind: 'compare', attribute, comparison, value: valueFor(attribute, { path, comparison, value }) }
}

const OF_TEXTS: readonly Comparison[] = ['co', 'sw', 'ew']

/** The value as the type of the attribute has it. Microsoft Entra writes booleans as strings. */
function valueFor({ type }: ScimAttribute, { path, comparison, value }: Stated): string | boolean | Date {
  if (type === 'boolean') {
    if (comparison !== 'eq' && comparison !== 'ne') {
      throw filterFault(`compares ${path} with ${comparison}: booleans support only eq and ne`)
    }
    const text = String(value).toLowerCase()
    if (text !== 'true' && text !== 'false') {
      throw filterFault(`compares ${path} with something other than true or false`)
    }
    return text === 'true'
  }
  if (type === 'dateTime') {
    if (OF_TEXTS.includes(comparison))
      throw filterFault(`compares ${path} with ${comparison}, which only supports strings`)
    return timeFrom(value, path)
  }
  if (typeof value !== 'string') throw filterFault(`compares ${path}, a string, with ${value}: put it in quotes`)
  return value
}

/** `xsd:dateTime` (RFC 7643 section 2.3.5); without an offset it is in UTC. */
const TIME = /^(\d{4}-\d\d-\d\d)T\d\d:\d\d:\d\d(?:\.\d{1,9})?(Z|[+-]\d\d:\d\d)?$/i

function timeFrom(value: FilterValue, path: string): Date {
  const [, day = '', offset] = (typeof value === 'string' ? TIME.exec(value) : null) ?? []
  const time = new Date(day === '' ? Number.NaN : `${value}${offset === undefined ? 'Z' : ''}`)
  // JavaScript takes 30 February for 1 March.
  const midnight = new Date(`${day}T00:00:00Z`)
  if (Number.isNaN(time.getTime()) || midnight.toISOString().slice(0, day.length) !== day) {
    throw filterFault(`compares ${path} with an invalid time: send one such as "2026-01-31T09:05:00Z"`)
  }
  return time
}
