import type { JsonObject } from '@bufbuild/protobuf'
import { createDirectoryUser, type DirectoryWrite, writeDirectoryUser } from '../domain/directory/directory-sync.js'
import { governedFields } from '../domain/profile/field-ownership.js'
import { emailKeyOf } from '../domain/value/email-address.js'
import { notFound } from '../errors.js'
import { userResourceType } from '../store/scim/attributes.js'
import { findScimIdentity, findScimUser, type ScimIdentityRow, type ScimUserRow } from '../store/scim/user.js'
import { ScimError } from './error.js'
import { projectionFromQuery } from './list-request.js'
import { applyPatch } from './patch.js'
import { patchOperationsFrom } from './patch-operation.js'
import { projected } from './projection.js'
import type { ScimAnswer, ScimRequest, ScimRoute } from './request.js'
import { readResource } from './resource-reader.js'
import { documentOf, textIn } from './user-document.js'
import { type UserWrite, userWriteFrom, withFollowingEmail } from './user-mapping.js'
import { locationOfUser, scimUser, versionOfUser } from './user-resource.js'
import { isKnownVersion, requireVersion } from './version.js'

/** The operations on one user. */
export const userRoutes: readonly ScimRoute[] = [
  { method: 'POST', path: '/Users', operation: 'Users/Create', handle: createUser },
  { method: 'GET', path: '/Users/{id}', operation: 'Users/Get', handle: getUser },
  { method: 'PUT', path: '/Users/{id}', operation: 'Users/Replace', handle: replaceUser },
  { method: 'PATCH', path: '/Users/{id}', operation: 'Users/Patch', handle: patchUser },
  { method: 'DELETE', path: '/Users/{id}', operation: 'Users/Delete', handle: deleteUser },
]

async function getUser(request: ScimRequest): Promise<ScimAnswer> {
  const { database, directory, parameters, ifNoneMatch } = request
  const userId = parameters['id'] ?? ''
  const user = await findScimUser(database, { organizationId: directory.organizationId, userId })
  if (user === undefined) throw notFound('user', userId)
  const version = versionOfUser(user)
  if (isKnownVersion(ifNoneMatch, version)) return { status: 304, headers: { etag: version } }
  return userAnswer(request, user, 200)
}

/**
 * Adds a user. A person who was deactivated or deleted comes back under the same id: who has the externalId, or, if the
 * request or that user has none, the userName.
 */
async function createUser(request: ScimRequest): Promise<ScimAnswer> {
  const { database, directory, context, body } = request
  const document = readResource(body, userResourceType)
  const write = userWriteFrom(document)
  const externalId = textIn(document, 'externalId') ?? null
  const identity = { organizationId: directory.organizationId, externalId, userNameKey: userNameKeyOf(document) }
  const known = await findScimIdentity(database, identity)
  const returning = returningUser(known, externalId)
  if (returning === undefined) {
    const { member, managerName } = await createDirectoryUser(database, directory, write, context)
    return userAnswer(request, Object.assign({ groups: [], managerName }, member), 201)
  }
  const restore = (user: ScimUserRow): DirectoryWrite => {
    if (!isGone(user)) throw userTaken(user.userId)
    return { ...userWriteFrom(withKeptId(document, body, user), user), active: write.active ?? true }
  }
  const { user } = await writeDirectoryUser(database, directory, returning, restore, context)
  return userAnswer(request, user, 201)
}

function userNameKeyOf(document: JsonObject): string {
  return emailKeyOf(textIn(document, 'userName')?.trim() ?? '')
}

function isGone({ deactivatedAt, directoryDeletedAt }: Pick<ScimIdentityRow, 'deactivatedAt' | 'directoryDeletedAt'>) {
  return deactivatedAt !== null || directoryDeletedAt !== null
}

/** Who comes back; undefined for somebody new. Throws `uniqueness` if an active user has one of the names. */
function returningUser(known: readonly ScimIdentityRow[], externalId: string | null): ScimIdentityRow | undefined {
  const [first] = known
  if (first === undefined) return undefined
  const comesBack = first.hasExternalId || externalId === null || first.directoryExternalId === null
  const taken = known.find((user) => !isGone(user)) ?? (comesBack ? undefined : first)
  if (taken !== undefined) throw userTaken(taken.userId)
  return first
}

function userTaken(userId: string): ScimError {
  const advice = 'update that user, or send another userName and externalId'
  return new ScimError(409, 'uniqueness', `user ${userId} already has this userName or externalId: ${advice}`)
}

async function replaceUser(request: ScimRequest): Promise<ScimAnswer> {
  const document = readResource(request.body, userResourceType)
  return writeUser(request, (user) => userWriteFrom(withKeptId(document, request.body, user), user))
}

/** The document with the externalId of the user, if the body does not have one: without it, the user would be lost. */
function withKeptId(document: JsonObject, body: JsonObject, { directoryExternalId }: ScimUserRow): JsonObject {
  const isGiven = Object.keys(body).some((name) => name.toLowerCase() === 'externalid')
  return isGiven || directoryExternalId === null ? document : { ...document, externalId: directoryExternalId }
}

async function patchUser(request: ScimRequest): Promise<ScimAnswer> {
  const operations = patchOperationsFrom(request.body)
  return writeUser(request, (user) => {
    const before = documentOf(user)
    const after = applyPatch(before, operations, userResourceType)
    return userWriteFrom(withFollowingEmail(after, before, user), user)
  })
}

async function writeUser(request: ScimRequest, write: (user: ScimUserRow) => UserWrite): Promise<ScimAnswer> {
  const { database, directory, context } = request
  const userId = request.parameters['id'] ?? ''
  const decide = (user: ScimUserRow) => {
    requireUser(request, user)
    return write(user)
  }
  const { user } = await writeDirectoryUser(database, directory, userId, decide, context)
  return userAnswer(request, user, 200)
}

/** Deactivates the user and hides it from the directory until it is added again. */
async function deleteUser(request: ScimRequest): Promise<ScimAnswer> {
  const { database, directory, context } = request
  const decide = (user: ScimUserRow): DirectoryWrite => {
    requireUser(request, user)
    const standing = { directoryDeletedAt: context.runtime.now() }
    return { supplied: {}, withdrawn: new Set(governedFields), active: false, standing }
  }
  await writeDirectoryUser(database, directory, request.parameters['id'] ?? '', decide, context)
  return { status: 204 }
}

/** Throws 404 for a user whom the directory has deleted, and 412 for one in another version. */
function requireUser({ context }: ScimRequest, user: ScimUserRow): void {
  const { userId } = user
  if (user.directoryDeletedAt !== null) throw notFound('user', userId)
  requireVersion(context, versionOfUser(user), { resourceType: 'user', resourceId: userId })
}

function userAnswer({ baseUrl, query }: ScimRequest, user: ScimUserRow, status: number): ScimAnswer {
  return {
    status,
    body: projected(scimUser(user, baseUrl), projectionFromQuery(query), userResourceType),
    headers: {
      etag: versionOfUser(user),
      [status === 201 ? 'location' : 'content-location']: locationOfUser(user, baseUrl),
    },
  }
}
