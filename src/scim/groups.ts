import type { JsonValue } from '@bufbuild/protobuf'
import {
  createDirectoryGroup,
  deleteDirectoryGroup,
  type GroupWrite,
  writeDirectoryGroup,
} from '../domain/directory/group-sync.js'
import { notFound } from '../errors.js'
import { type DirectoryGroupRow, findDirectoryGroup, searchedGroups } from '../store/directory/group.js'
import { readPage } from '../store/search-page.js'
import { ScimError } from './error.js'
import type { Filter } from './filter.js'
import { entriesOf, entryValue, memberOf, textIn } from './json.js'
import { type PatchChange, patchChangesFrom } from './patch-operation.js'
import { readResource, readValue } from './read.js'
import type { ScimRequest } from './request.js'
import type { ResourceOperations } from './resource-routes.js'
import { groupType } from './resource-types.js'
import { named, type ResourceType } from './schema.js'

export const groupOperations: ResourceOperations<DirectoryGroupRow> = {
  get: (request, shown) => readGroup(request, request.id, shown),

  async create(request, shown) {
    return readGroup(request, await createDirectoryGroup(request.context, groupFrom(request)), shown)
  },

  async replace(request, shown) {
    await writeDirectoryGroup(request.context, request.id, groupFrom(request))
    return readGroup(request, request.id, shown)
  },

  /** Answers the group only if the request names attributes (RFC 7644 section 3.5.2): it can have very many members. */
  async patch(request, shown) {
    await writeDirectoryGroup(
      request.context,
      request.id,
      groupWriteFrom(patchChangesFrom(request.body, groupType, request.report)),
    )
    const isWanted = request.query.has('attributes') || request.query.has('excludedAttributes')
    return isWanted ? readGroup(request, request.id, shown) : undefined
  },

  async remove({ context, id }) {
    if (await deleteDirectoryGroup(context, id)) return undefined
    const fault = 'approval procedures use the group as an approver: remove it from them first'
    throw new ScimError(409, undefined, fault)
  },

  list: ({ context }, selection, range, shown) =>
    readPage(context.tables, searchedGroups(showsMembers(shown)), selection, range),
}

function showsMembers({ attributes }: ResourceType): boolean {
  return named(attributes, 'members') !== undefined
}

async function readGroup(
  { context }: ScimRequest,
  groupId: string,
  shown: ResourceType<DirectoryGroupRow>,
): Promise<DirectoryGroupRow> {
  const key = { organizationId: context.organizationId, groupId }
  const group = await findDirectoryGroup(context.tables, key, showsMembers(shown))
  if (group === undefined) throw notFound('group', groupId)
  return group
}

/** Reads a whole group from a body. Throws `invalidValue` if it has no name. */
function groupFrom({ body, report }: ScimRequest): GroupWrite & { readonly name: string } {
  const group = readResource(body, groupType, report)
  const name = textIn(group, 'displayName')?.trim() ?? ''
  if (name === '') throw new ScimError(400, 'invalidValue', 'displayName is required')
  const isGiven = memberOf(body, 'externalId') !== undefined
  const userIds = entriesOf(group, 'members').flatMap((entry) => entryValue(entry) ?? [])
  return {
    name,
    externalId: textIn(group, 'externalId') ?? (isGiven ? null : undefined),
    members: { areAll: true, isMember: new Map(userIds.map((userId) => [userId, true])) },
  }
}

/**
 * The write that the changes of a PATCH ask for, rather than the whole group after them: a group can have very many
 * members, of whom a PATCH names a few. Throws `invalidFilter`, `invalidValue` and `mutability`.
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

/** The members that a change names, or `all`. Throws `invalidFilter`, `invalidValue`, `mutability`. */
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

/** Whether a filter is true of all members: they are users. */
function isOfUsers(filter: Filter): boolean {
  const isType = filter.kind === 'compare' && filter.attribute.name === 'type' && filter.comparison === 'eq'
  return isType && String(filter.value).toLowerCase() === 'user'
}

/** The ids that a filter on members names. Throws `invalidFilter` for any other filter. */
function idsEqual(filter: Filter): string[] {
  if (filter.kind === 'or') return filter.filters.flatMap(idsEqual)
  if (filter.kind === 'and') {
    const [only, ...others] = filter.filters.filter((each) => !isOfUsers(each))
    if (only !== undefined && others.length === 0) return idsEqual(only)
  }
  if (filter.kind === 'compare' && filter.attribute.name === 'value' && filter.comparison === 'eq') {
    return [String(filter.value)]
  }
  throw new ScimError(400, 'invalidFilter', 'members can only be selected by id: members[value eq "id"]')
}
