import {
  createDirectoryGroup,
  deleteDirectoryGroup,
  type GroupGuard,
  type GroupWrite,
  writeDirectoryGroup,
} from '../domain/directory/group-sync.js'
import { notFound } from '../errors.js'
import { findDirectoryGroup } from '../store/directory/group.js'
import { ScimError } from './error.js'
import { groupWriteFrom } from './group-patch.js'
import { entriesOf, entryValue, memberOf, textIn } from './json.js'
import { projectionFromQuery } from './list-request.js'
import { showsMembers } from './lists.js'
import { patchOperationsFrom } from './patch-operation.js'
import { projected, requireVersion, resourceAnswer, unlessKnown } from './print.js'
import { readResource } from './read.js'
import type { ScimAnswer, ScimRequest, ScimRoute } from './request.js'
import { groupType } from './resource-types.js'

/** The operations on one group. */
export const groupRoutes: readonly ScimRoute[] = [
  { method: 'POST', path: '/Groups', operation: 'Groups/Create', handle: createGroup },
  { method: 'GET', path: '/Groups/{id}', operation: 'Groups/Get', handle: getGroup },
  { method: 'PUT', path: '/Groups/{id}', operation: 'Groups/Replace', handle: replaceGroup },
  { method: 'PATCH', path: '/Groups/{id}', operation: 'Groups/Patch', handle: patchGroup },
  { method: 'DELETE', path: '/Groups/{id}', operation: 'Groups/Delete', handle: deleteGroup },
]

async function getGroup(request: ScimRequest): Promise<ScimAnswer> {
  return unlessKnown(request, await groupAnswer(request, idOf(request), 200))
}

async function createGroup(request: ScimRequest): Promise<ScimAnswer> {
  const { database, directory, context } = request
  const write = groupFrom(request)
  const id = await createDirectoryGroup(database, directory, write, context)
  return groupAnswer(request, id, 201)
}

async function replaceGroup(request: ScimRequest): Promise<ScimAnswer> {
  await writeGroup(request, groupFrom(request))
  return groupAnswer(request, idOf(request), 200)
}

/** Answers the group only if the request names attributes (RFC 7644 section 3.5.2): it can have very many members. */
async function patchGroup(request: ScimRequest): Promise<ScimAnswer> {
  await writeGroup(request, groupWriteFrom(patchOperationsFrom(request.body, groupType)))
  const isWanted = request.query.has('attributes') || request.query.has('excludedAttributes')
  return isWanted ? groupAnswer(request, idOf(request), 200) : { status: 204 }
}

async function deleteGroup(request: ScimRequest): Promise<ScimAnswer> {
  const { database, directory, context } = request
  const guard = guardOf(request)
  if (await deleteDirectoryGroup(database, directory, idOf(request), { guard, context })) return { status: 204 }
  const advice = 'remove it from them first'
  throw new ScimError(409, undefined, `approval procedures use the group as an approver: ${advice}`)
}

async function writeGroup(request: ScimRequest, write: GroupWrite): Promise<void> {
  const { database, directory, context } = request
  await writeDirectoryGroup(database, directory, idOf(request), { ...write, guard: guardOf(request) }, context)
}

/** What a body says of a group as a whole. Throws `invalidValue` if it has no name. */
function groupFrom({ body, report }: ScimRequest): GroupWrite & { readonly name: string } {
  const group = readResource(body, groupType, report)
  const name = textIn(group, 'displayName')?.trim() ?? ''
  if (name === '') throw new ScimError(400, 'invalidValue', 'displayName is required')
  const externalId = textIn(group, 'externalId')
  const isGiven = memberOf(body, 'externalId') !== undefined
  const kept = entriesOf(group, 'members').flatMap((entry) => entryValue(entry) ?? [])
  return {
    name,
    externalId: externalId ?? (isGiven ? null : undefined),
    members: { kept, added: [], removed: [] },
  }
}

function idOf({ parameters }: ScimRequest): string {
  return parameters['id'] ?? ''
}

/** Throws 412 for a group in another version than the request expects. */
function guardOf({ context }: ScimRequest): GroupGuard {
  return (group) => requireVersion(context, group, { resourceType: 'group', resourceId: group.id })
}

async function groupAnswer(request: ScimRequest, id: string, status: number): Promise<ScimAnswer> {
  const { database, directory, baseUrl, query } = request
  const shown = projected(groupType, projectionFromQuery(query))
  const key = { organizationId: directory.organizationId, groupId: id }
  const row = await findDirectoryGroup(database, key, showsMembers(shown))
  if (row === undefined) throw notFound('group', id)
  return resourceAnswer(groupType, shown, { row, id, status, baseUrl })
}
