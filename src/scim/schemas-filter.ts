import type { ScimResourceType } from '../store/scim/attribute.js'
import type { Comparison, Filter } from '../store/scim/filter.js'
import { ownershipSchema } from '../store/scim/user-attributes.js'

/**
 * What a comparison with `schemas` asks of a resource. Its schemas follow from its attributes: every resource has the
 * one of its type, every user the one of ownership, and any other goes with a value of one of its attributes.
 */
export function schemasFilter(type: ScimResourceType, comparison: Comparison, value: string): Filter {
  const holds = ({ id }: { readonly id: string }) => comparisons[comparison](id, value)
  if (holds(type.schema)) return { kind: 'constant', isTrue: true }
  const extensions = type.extensions.filter(holds)
  if (extensions.includes(ownershipSchema)) return { kind: 'constant', isTrue: true }
  const attributes = extensions.flatMap((extension) => extension.attributes)
  if (attributes.length === 0) return { kind: 'constant', isTrue: false }
  return { kind: 'or', filters: attributes.map((attribute) => ({ kind: 'present', attribute })) }
}

/** Of texts whose case matters, which URIs of schemas are. */
const comparisons: Readonly<Record<Comparison, (id: string, value: string) => boolean>> = {
  eq: (id, value) => id === value,
  ne: (id, value) => id !== value,
  co: (id, value) => id.includes(value),
  sw: (id, value) => id.startsWith(value),
  ew: (id, value) => id.endsWith(value),
  gt: (id, value) => id > value,
  ge: (id, value) => id >= value,
  lt: (id, value) => id < value,
  le: (id, value) => id <= value,
}
