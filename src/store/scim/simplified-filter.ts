import type { ScimAttribute } from './attribute.js'
import type { Filter } from './filter.js'

/**
 * The same filter without the parts that are the same for all resources, such as `userName pr`: what is left, if
 * anything is, has to be looked at in each of them.
 */
export function simplified(filter: Filter): Filter {
  switch (filter.kind) {
    case 'and':
    case 'or':
      return joined(filter.kind, filter.filters.map(simplified))
    case 'not': {
      const inner = simplified(filter.filter)
      return inner.kind === 'constant' ? constant(!inner.isTrue) : { kind: 'not', filter: inner }
    }
    case 'present':
      return isOfEvery(filter.attribute) ? constant(true) : filter
    case 'compare':
    case 'some':
    case 'constant':
      return filter
  }
}

function joined(kind: 'and' | 'or', filters: readonly Filter[]): Filter {
  const deciding = kind === 'or'
  if (filters.some((each) => each.kind === 'constant' && each.isTrue === deciding)) return constant(deciding)
  const [first, ...others] = filters.filter((each) => each.kind !== 'constant')
  if (first === undefined) return constant(!deciding)
  return others.length === 0 ? first : { kind, filters: [first, ...others] }
}

function constant(isTrue: boolean): Filter {
  return { kind: 'constant', isTrue }
}

function isOfEvery({ source, subAttributes }: ScimAttribute): boolean {
  if (source.kind === 'parts') return subAttributes.some(isOfEvery)
  return source.kind === 'value' && source.ofEvery === true
}
