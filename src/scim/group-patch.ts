import type { JsonValue } from '@bufbuild/protobuf'
import type { GroupWrite } from '../domain/directory/group-sync.js'
import { ScimError } from './error.js'
import type { Filter } from './filter.js'
import { entryValue } from './json.js'
import type { PatchChange } from './patch-operation.js'
import { readValue } from './read.js'

/**
 * What the changes of a PATCH say of a group: not the group after them, because a group can have very many members, of
 * whom they name a few. Throws `invalidFilter`, `invalidValue` and `mutability`.
 */
export function groupWriteFrom(changes: readonly PatchChange[]): GroupWrite {
  let name: string | undefined
  let externalId: string | null | undefined
  let areAll = false
  const isMember = new Map<string, boolean>()
  for (const change of changes) {
    const { op, attribute, value } = change
    if (attribute.multiValued) {
      const userIds = idsIn(change)
      if (userIds === 'all' || op === 'replace') {
        areAll = true
        isMember.clear()
      }
      for (const userId of userIds === 'all' ? [] : userIds) isMember.set(userId, op !== 'remove')
      continue
    }
    const read = op === 'remove' || value === undefined ? undefined : readValue(attribute, value)
    const text = typeof read === 'string' && read !== '' ? read : undefined
    if (!attribute.required) externalId = text ?? null
    else if (text === undefined) throw new ScimError(400, 'invalidValue', `${attribute.name} is required`)
    else name = text
  }
  return { name, externalId, members: { areAll, isMember } }
}

/** The members that a change names; `all` for the removal of all. Throws `invalidFilter`, `invalidValue`, `mutability`. */
function idsIn({ op, value = null, attribute, subAttribute, filter }: PatchChange): readonly string[] | 'all' {
  if (filter !== undefined) {
    if (op === 'remove') return idsEqual(filter)
    throw new ScimError(400, 'mutability', 'members can be added and removed, but not changed')
  }
  if (value === null) return op === 'remove' ? 'all' : []
  const given: readonly JsonValue[] = Array.isArray(value) ? value : [value]
  // At the path of their part, ids are by themselves.
  const entries = readValue(attribute, subAttribute === undefined ? [...given] : given.map((id) => ({ value: id })))
  const userIds = (Array.isArray(entries) ? entries : []).flatMap((entry) => entryValue(entry) ?? [])
  if (userIds.length < given.length) throw new ScimError(400, 'invalidValue', 'each member needs a value')
  return userIds
}

/** The ids that a filter on members names. Throws `invalidFilter` for any other filter. */
function idsEqual(filter: Filter): string[] {
  if (filter.kind === 'or') return filter.filters.flatMap(idsEqual)
  if (filter.kind === 'compare' && filter.attribute.name === 'value' && filter.comparison === 'eq') {
    return [String(filter.value)]
  }
  throw new ScimError(400, 'invalidFilter', 'members can only be selected by id: members[value eq "id"]')
}
