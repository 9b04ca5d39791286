import type { JsonValue } from '@bufbuild/protobuf'
import type { GroupWrite } from '../domain/directory/group-sync.js'
import { groupResourceType } from '../store/scim/attributes.js'
import type { Filter } from '../store/scim/filter.js'
import { ScimError } from './error.js'
import { isJsonObject } from './json-object.js'
import type { PatchOperation } from './patch-operation.js'
import { type PatchTarget, patchTarget } from './patch-path.js'
import { entryValue } from './user-document.js'
import { readValue, refuseTooMany } from './value-reader.js'

/**
 * What the operations of a PATCH say of a group: not the group after them, because a group can have very many members,
 * of whom they name a few. Throws `invalidPath`, `invalidFilter`, `invalidValue`, `mutability` and `noTarget`.
 */
export function groupWriteFrom(operations: readonly PatchOperation[]): GroupWrite {
  const draft: Draft = { members: { kept: undefined, added: new Set(), removed: new Set() } }
  for (const operation of operations) apply(draft, operation)
  const { kept, added, removed } = draft.members
  return { ...draft, members: { kept: kept && [...kept], added: [...added], removed: [...removed] } }
}

/** A write to which operations are added, one after the other. */
interface Draft extends Omit<GroupWrite, 'members'> {
  name?: string
  externalId?: string | null
  readonly members: DraftMembers
}

interface DraftMembers {
  kept: Set<string> | undefined
  readonly added: Set<string>
  readonly removed: Set<string>
}

function apply(draft: Draft, { op, path, value }: PatchOperation): void {
  if (path === undefined) {
    applyMembers(draft, op, value)
    return
  }
  const target = patchTarget(path, groupResourceType)
  if (target === 'unheld') return
  if ('whole' in target) {
    if (op !== 'remove') applyMembers(draft, op, value)
    return
  }
  const { attribute } = target
  if (attribute.mutability === 'readOnly') throw new ScimError(400, 'mutability', `${path} is read-only`)
  if (attribute.name === 'schemas') return
  if (attribute.name === 'members') {
    changeMembers(draft.members, target, op, value)
    return
  }
  const text = op === 'remove' || value === undefined ? undefined : readValue(attribute, value)
  const given = typeof text === 'string' && text !== '' ? text : undefined
  if (attribute.name === 'externalId') draft.externalId = given ?? null
  else if (given === undefined) throw new ScimError(400, 'invalidValue', `${attribute.name} is required`)
  else draft.name = given
}

/** Each member of the value as an operation of its own; what is no attribute that can be written does not count. */
function applyMembers(draft: Draft, op: PatchOperation['op'], value: JsonValue | undefined): void {
  if (!isJsonObject(value)) throw new ScimError(400, 'invalidValue', 'the value must be an object')
  const known = ['displayname', 'externalid', 'members']
  const named = Object.entries(value).filter(([name]) =>
    known.includes(name.toLowerCase().replace(/^urn:.*:group:|\[.*/gs, '')),
  )
  refuseTooMany(named.length)
  for (const [path, member] of named) apply(draft, { op, path, value: member })
}

function changeMembers(
  members: DraftMembers,
  { filter, subAttribute, attribute }: PatchTarget,
  op: PatchOperation['op'],
  value: JsonValue | undefined,
): void {
  if (filter !== undefined) {
    const userIds = idsOf(filter)
    if (op === 'remove') {
      remove(members, userIds)
      return
    }
    throw new ScimError(400, 'mutability', 'members can be added and removed, but not changed')
  }
  const isEmpty = value === undefined || value === null
  if (op === 'remove' && isEmpty) {
    keep(members, [])
    return
  }
  // Members may also be given by their ids, or at the path members.value.
  const given = subAttribute === undefined || isEmpty ? value : asEntries(value)
  const entries = given === undefined ? undefined : readValue(attribute, given)
  const userIds = (Array.isArray(entries) ? entries : []).flatMap((entry) => entryValue(entry) ?? [])
  const named = Array.isArray(given) ? given.length : 1
  if (userIds.length < named && !isEmpty) throw new ScimError(400, 'invalidValue', 'each member needs a value')
  if (op === 'remove') remove(members, userIds)
  else if (op === 'replace') keep(members, userIds)
  else add(members, userIds)
}

function keep(members: DraftMembers, userIds: readonly string[]): void {
  members.kept = new Set(userIds)
  members.added.clear()
  members.removed.clear()
}

function add({ added, removed }: DraftMembers, userIds: readonly string[]): void {
  for (const userId of userIds) {
    added.add(userId)
    removed.delete(userId)
  }
}

function remove({ kept, added, removed }: DraftMembers, userIds: readonly string[]): void {
  for (const userId of userIds) {
    kept?.delete(userId)
    added.delete(userId)
    removed.add(userId)
  }
}

function asEntries(value: JsonValue): JsonValue {
  return Array.isArray(value) ? value.map((each) => ({ value: each })) : { value }
}

/** The ids that a filter on members names. Throws `invalidFilter` for any other filter. */
function idsOf(filter: Filter): string[] {
  if (filter.kind === 'or') return filter.filters.flatMap(idsOf)
  if (filter.kind === 'compare' && filter.attribute.name === 'value' && filter.comparison === 'eq') {
    return [String(filter.value)]
  }
  throw new ScimError(400, 'invalidFilter', 'members can only be selected by id: members[value eq "id"]')
}
