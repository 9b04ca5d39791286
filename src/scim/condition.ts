import { all, any, type Compared, type Condition, compare, constant, not, someEntry } from '../store/search.js'
import { comparisons, type Filter } from './filter.js'
import { type Attribute, presenceOf } from './schema.js'

export function conditionOf(filter: Filter): Condition {
  switch (filter.kind) {
    case 'and':
      return all(filter.filters.map(conditionOf))
    case 'or':
      return any(filter.filters.map(conditionOf))
    case 'not':
      return not(conditionOf(filter.filter))
    case 'present':
      return presenceOf(filter.attribute)
    case 'compare':
      return compare(comparedIn(filter.attribute), comparisons[filter.comparison].operator, filter.value)
    case 'some': {
      const { name, entries } = filter.attribute
      if (entries === undefined) throw new Error(`${name} has no entries`)
      return someEntry(entries, conditionOf(filter.filter), equalValue(filter.filter))
    }
    case 'constant':
      return constant(filter.isTrue)
  }
}

/** The value of an attribute as rows are compared and ordered by it. */
export function comparedIn({ name, search: value, type, caseExact }: Attribute): Compared {
  if (value === undefined) throw new Error(`${name} cannot be compared`)
  const isText = type === 'string' || type === 'reference'
  return { value, text: isText ? (caseExact ? 'exact' : 'folded') : undefined }
}

/** The text that the value of an entry must equal for the filter to be true. */
function equalValue(filter: Filter): string | undefined {
  if (filter.kind === 'and') return filter.filters.map(equalValue).find((text) => text !== undefined)
  const isEquality = filter.kind === 'compare' && filter.comparison === 'eq' && filter.attribute.name === 'value'
  return isEquality && typeof filter.value === 'string' ? filter.value : undefined
}
