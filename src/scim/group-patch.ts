import type { JsonValue } from '@bufbuild/protobuf'
import type { GroupMembersChange, GroupWrite } from '../domain/directory/group-sync.js'
import { groupResourceType } from '../store/scim/attributes.js'
import type { Filter } from '../store/scim/filter.js'
import { ScimError } from './error.js'
import { isJsonObject } from './json-object.js'
import type { PatchOperation } from './patch-operation.js'
import { type PatchTarget, patchTarget } from './patch-path.js'
import { entryValue } from './user-document.js'
import { readValue } from './value-reader.js'

/**
 * What the operations of a PATCH say of a group: not the group after them, because a group can have very many members,
 * of whom they name a few. Throws `invalidPath`, `invalidFilter`, `invalidValue`, `mutability` and `noTarget`.
 */
export function groupWriteFrom(operations: readonly PatchOperation[]): GroupWrite {
  return operations.reduce(applied, { members: { added: [], removed: [] } })
}

function applied(write: GroupWrite, { op, path, value }: PatchOperation): GroupWrite {
  if (path === undefined) return appliedMembers(write, op, value)
  const target = patchTarget(path, groupResourceType)
  if (target === 'unheld') return write
  if ('whole' in target) return op === 'remove' ? write : appliedMembers(write, op, value)
  const { attribute } = target
  if (attribute.mutability === 'readOnly') throw new ScimError(400, 'mutability', `${path} is read-only`)
  if (attribute.name === 'members') return { ...write, members: changedMembers(write.members, target, op, value) }
  if (attribute.name === 'schemas') return write
  const text = op === 'remove' || value === undefined ? undefined : readValue(attribute, value)
  const given = typeof text === 'string' && text !== '' ? text : undefined
  if (attribute.name === 'externalId') return { ...write, externalId: given ?? null }
  if (given === undefined) throw new ScimError(400, 'invalidValue', `${attribute.name} is required`)
  return { ...write, name: given }
}

/** Each member of the value as an operation of its own; what is no attribute that can be written does not count. */
function appliedMembers(write: GroupWrite, op: PatchOperation['op'], value: JsonValue | undefined): GroupWrite {
  if (!isJsonObject(value)) throw new ScimError(400, 'invalidValue', 'the value must be an object')
  const known = ['displayname', 'externalid', 'members']
  return Object.entries(value)
    .filter(([name]) => known.includes(name.toLowerCase().replace(/^urn:.*:group:|\[.*/gs, '')))
    .reduce((before, [path, member]) => applied(before, { op, path, value: member }), write)
}

function changedMembers(
  change: GroupMembersChange,
  { filter, subAttribute, attribute }: PatchTarget,
  op: PatchOperation['op'],
  value: JsonValue | undefined,
): GroupMembersChange {
  if (filter !== undefined) {
    const userIds = idsOf(filter)
    if (op === 'remove') return without(change, userIds)
    throw new ScimError(400, 'mutability', 'members are added and removed as a whole, and do not change')
  }
  const isEmpty = value === undefined || value === null
  if (op === 'remove' && isEmpty) return { kept: [], added: [], removed: [] }
  // Members may also be given by their ids, or at the path members.value.
  const given = subAttribute === undefined || isEmpty ? value : asEntries(value)
  const entries = given === undefined ? undefined : readValue(attribute, given)
  const userIds = (Array.isArray(entries) ? entries : []).flatMap((entry) => entryValue(entry) ?? [])
  const named = Array.isArray(given) ? given.length : 1
  if (userIds.length < named && !isEmpty) throw new ScimError(400, 'invalidValue', 'each of members needs a value')
  if (op === 'remove') return without(change, userIds)
  if (op === 'replace') return { kept: userIds, added: [], removed: [] }
  const removed = change.removed.filter((userId) => !userIds.includes(userId))
  return { ...change, added: [...change.added, ...userIds], removed }
}

function asEntries(value: JsonValue): JsonValue {
  return Array.isArray(value) ? value.map((each) => ({ value: each })) : { value }
}

function without({ kept, added, removed }: GroupMembersChange, userIds: readonly string[]): GroupMembersChange {
  const gone = new Set(userIds)
  const rest = (ids: readonly string[]) => ids.filter((userId) => !gone.has(userId))
  return { kept: kept && rest(kept), added: rest(added), removed: [...removed, ...userIds] }
}

/** The ids that a filter on members names. Throws `invalidFilter` for any other filter. */
function idsOf(filter: Filter): string[] {
  if (filter.kind === 'or') return filter.filters.flatMap(idsOf)
  if (filter.kind === 'compare' && filter.attribute.name === 'value' && filter.comparison === 'eq') {
    return [String(filter.value)]
  }
  throw new ScimError(400, 'invalidFilter', 'members are found by their ids alone: members[value eq "id"]')
}
