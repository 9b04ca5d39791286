import type { JsonValue } from '@bufbuild/protobuf'
import type { GroupWrite } from '../domain/directory/group-sync.js'
import { ScimError } from './error.js'
import type { Filter } from './filter.js'
import { entryValue } from './json.js'
import { changeFrom, type PatchChange, type PatchOperation } from './patch-operation.js'
import { readValue } from './read.js'
import { groupType } from './resource-types.js'

/**
 * What the operations of a PATCH say of a group: not the group after them, because a group can have very many members, of
 * whom they name a few. Throws what `changeFrom` throws, `invalidFilter`, `invalidValue` and `mutability`.
 */
export function groupWriteFrom(operations: readonly PatchOperation[]): GroupWrite {
  let name: string | undefined
  let externalId: string | null | undefined
  const members: DraftMembers = { kept: undefined, added: new Set(), removed: new Set() }
  for (const operation of operations) {
    const change = changeFrom(operation, groupType)
    if (change === undefined) continue
    const { op, attribute, value } = change
    if (attribute.multiValued) {
      changeMembers(members, change)
      continue
    }
    const read = op === 'remove' || value === undefined ? undefined : readValue(attribute, value)
    const text = typeof read === 'string' && read !== '' ? read : undefined
    if (!attribute.required) externalId = text ?? null
    else if (text === undefined) throw new ScimError(400, 'invalidValue', `${attribute.name} is required`)
    else name = text
  }
  const { kept, added, removed } = members
  return { name, externalId, members: { kept: kept && [...kept], added: [...added], removed: [...removed] } }
}

/** A change of members to which others are added, one after the other. */
interface DraftMembers {
  kept: Set<string> | undefined
  readonly added: Set<string>
  readonly removed: Set<string>
}

function changeMembers(
  members: DraftMembers,
  { op, value = null, attribute, subAttribute, filter }: PatchChange,
): void {
  if (filter !== undefined && op !== 'remove') {
    throw new ScimError(400, 'mutability', 'members can be added and removed, but not changed')
  }
  if (op === 'remove' && (filter !== undefined || value !== null)) {
    const userIds = filter === undefined ? idsIn(attribute, subAttribute, value) : idsEqual(filter)
    for (const userId of userIds) {
      members.kept?.delete(userId)
      members.added.delete(userId)
      members.removed.add(userId)
    }
    return
  }
  const userIds = value === null || op === 'remove' ? [] : idsIn(attribute, subAttribute, value)
  if (op !== 'add') {
    members.kept = new Set(userIds)
    members.added.clear()
    members.removed.clear()
    return
  }
  for (const userId of userIds) {
    members.added.add(userId)
    members.removed.delete(userId)
  }
}

/** The ids in a value: of entries, or, at the path of their part, by themselves. Throws `invalidValue`. */
function idsIn(
  attribute: PatchChange['attribute'],
  subAttribute: PatchChange['subAttribute'],
  value: JsonValue,
): readonly string[] {
  const given = Array.isArray(value) ? value : [value]
  const entries = readValue(attribute, subAttribute === undefined ? given : given.map((each) => ({ value: each })))
  const userIds = (Array.isArray(entries) ? entries : []).flatMap((entry) => entryValue(entry) ?? [])
  if (userIds.length < given.length) {
    throw new ScimError(400, 'invalidValue', 'each member needs a value')
  }
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
