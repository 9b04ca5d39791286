import type { DescField, DescMessage, Message } from '@bufbuild/protobuf'
import { type ReflectMessage, reflect } from '@bufbuild/protobuf/reflect'
import { FeatureSet_FieldPresence } from '@bufbuild/protobuf/wkt'

/**
 * Returns the path of a required field (proto2) that is not set, such as `['items', 2, 'id']`; undefined without one.
 */
export type RequiredSearch = (message: Message) => (string | number)[] | undefined

/**
 * Compiles the search for required fields in messages of a type and everything in them; undefined for a type in which
 * none can be missing, which is every type of proto3.
 */
export function compileRequiredSearch(desc: DescMessage): RequiredSearch | undefined {
  const demanding = demandingTypes(desc)
  return demanding.has(desc) ? (message) => search(reflect(desc, message), demanding, []) : undefined
}

function isRequired(field: DescField): boolean {
  return field.presence === FeatureSet_FieldPresence.LEGACY_REQUIRED
}

// The reachable types from which a required field can be reached.
function demandingTypes(root: DescMessage): ReadonlySet<DescMessage> {
  const reached = new Set([root])
  for (const desc of reached) {
    for (const { message } of desc.fields) if (message !== undefined) reached.add(message)
  }
  const demanding = new Set<DescMessage>()
  let before = -1
  while (before < demanding.size) {
    before = demanding.size
    for (const desc of reached) {
      if (desc.fields.some((field) => isRequired(field) || (field.message && demanding.has(field.message)))) {
        demanding.add(desc)
      }
    }
  }
  return demanding
}

function search(
  message: ReflectMessage,
  demanding: ReadonlySet<DescMessage>,
  path: (string | number)[],
): (string | number)[] | undefined {
  for (const field of message.fields) {
    if (isRequired(field) && !message.isSet(field)) return [...path, field.jsonName]
    if (field.message === undefined || !demanding.has(field.message) || !message.isSet(field)) continue
    for (const [key, child] of messagesIn(message, field)) {
      const found = search(child, demanding, [...path, field.jsonName, ...key])
      if (found !== undefined) return found
    }
  }
  return undefined
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
