import type { DescField, DescMessage } from '@bufbuild/protobuf'
import type { ReflectMessage } from '@bufbuild/protobuf/reflect'
import { FeatureSet_FieldPresence } from '@bufbuild/protobuf/wkt'

/** Finds a required field that is not set. */
export type RequiredSearch = ReturnType<typeof createRequiredSearch>

/**
 * Creates the search for a required field (proto2) that is not set in a message or in one that it contains: it returns
 * the path, such as `['items', 2, 'id']`, or undefined. It looks at no message of a type in which no field can be
 * missing, as in all of proto3.
 */
export function createRequiredSearch() {
  const demanding = new Map<DescMessage, boolean>()
  const isDemanding = (desc: DescMessage): boolean => {
    const known = demanding.get(desc) ?? reachableTypes(desc).some(({ fields }) => fields.some(isRequired))
    demanding.set(desc, known)
    return known
  }

  function search(message: ReflectMessage, path: (string | number)[]): (string | number)[] | undefined {
    for (const field of message.fields) {
      if (isRequired(field) && !message.isSet(field)) return [...path, field.jsonName]
      if (field.message === undefined || !isDemanding(field.message) || !message.isSet(field)) continue
      for (const [key, child] of messagesIn(message, field)) {
        const found = search(child, [...path, field.jsonName, ...key])
        if (found !== undefined) return found
      }
    }
    return undefined
  }

  return (message: ReflectMessage) => (isDemanding(message.desc) ? search(message, []) : undefined)
}

function isRequired(field: DescField): boolean {
  return field.presence === FeatureSet_FieldPresence.LEGACY_REQUIRED
}

function reachableTypes(root: DescMessage): DescMessage[] {
  const reached = new Set([root])
  for (const desc of reached) {
    for (const { message } of desc.fields) if (message !== undefined) reached.add(message)
  }
  return [...reached]
}

function* messagesIn(parent: ReflectMessage, field: DescField): Generator<[(string | number)[], ReflectMessage]> {
  if (field.fieldKind === 'message') yield [[], parent.get(field)]
  if (field.fieldKind === 'list' && field.listKind === 'message') {
    for (const [index, item] of [...parent.get(field)].entries()) yield [[index], item as ReflectMessage]
  }
  if (field.fieldKind === 'map' && field.mapKind === 'message') {
    for (const [key, item] of parent.get(field)) yield [[String(key)], item as ReflectMessage]
  }
}
