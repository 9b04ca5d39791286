import type { JsonObject } from '@bufbuild/protobuf'
import {
  changeDirectoryUser,
  createDirectoryUser,
  type DirectoryWrite,
  holdDirectoryUser,
  readDirectoryUser,
} from '../domain/directory/directory-sync.js'
import { governedFields } from '../domain/profile/field-ownership.js'
import { memberTransaction } from '../domain/user/write.js'
import { emailKeyOf } from '../domain/value/email-address.js'
import { notFound, ServiceError } from '../errors.js'
import { type DirectoryIdentityRow, type DirectoryUserRow, findDirectoryIdentity } from '../store/directory/user.js'
import { ScimError } from './error.js'
import { memberOf, textIn } from './json.js'
import { projectionFromQuery } from './list-request.js'
import { applyPatch } from './patch.js'
import { patchOperationsFrom } from './patch-operation.js'
import { projected, requireVersion, resourceAnswer, unlessKnown } from './print.js'
import { readResource } from './read.js'
import type { ScimReport } from './report.js'
import type { ScimAnswer, ScimRequest, ScimRoute } from './request.js'
import { userType } from './resource-types.js'
import { documentOf, type UserWrite, userWriteFrom, withFollowingEmail } from './user-write.js'

/** The operations on one user. */
export const userRoutes: readonly ScimRoute[] = [
  { method: 'POST', path: '/Users', operation: 'Users/Create', handle: createUser },
  { method: 'GET', path: '/Users/{id}', operation: 'Users/Get', handle: getUser },
  { method: 'PUT', path: '/Users/{id}', operation: 'Users/Replace', handle: replaceUser },
  { method: 'PATCH', path: '/Users/{id}', operation: 'Users/Patch', handle: patchUser },
  { method: 'DELETE', path: '/Users/{id}', operation: 'Users/Delete', handle: deleteUser },
]

async function getUser(request: ScimRequest): Promise<ScimAnswer> {
  const { database, directory, parameters } = request
  const userId = parameters['id'] ?? ''
  const user = await readDirectoryUser(database, directory, userId)
  if (user.directoryDeletedAt !== null) throw notFound('user', userId)
  return unlessKnown(request, userAnswer(request, user, 200))
}

/**
 * Adds a user. A person who was deactivated or deleted comes back under the same id: who has the externalId, or, if the
 * request or that user has none, the userName.
 */
async function createUser(request: ScimRequest): Promise<ScimAnswer> {
  const { database, directory, context, body, report } = request
  report.isAboutBody(body)
  const document = readResource(body, userType, report)
  const write = userWriteFrom(document, { report, takenPhones: new Set() })
  const externalId = textIn(document, 'externalId') ?? null
  const identity = { organizationId: directory.organizationId, externalId, nameKey: userNameKeyOf(document) }
  const known = await findDirectoryIdentity(database, identity)
  const returning = returningUser(known, externalId)
  if (returning === undefined) {
    const created = await withoutTakenPhones(
      (read) => createDirectoryUser(database, directory, read(document), context),
      report,
    )
    return userAnswer(request, created, 201)
  }
  const restored = await writeUser(request, returning.userId, (user, read) => {
    if (!isGone(user)) throw userTaken(user.userId)
    return { ...read(withKeptId(document, body, user), user), active: write.active ?? true }
  })
  return userAnswer(request, restored, 201)
}

/** What a document says of a user, without the phone numbers that others have. */
type ReadUser = (document: JsonObject, user?: DirectoryUserRow) => UserWrite

/** Runs a write again without its phone number, if another member has it. */
async function withoutTakenPhones<Result>(
  run: (read: ReadUser) => Promise<Result>,
  report: ScimReport,
): Promise<Result> {
  const takenPhones = new Set<string>()
  for (;;) {
    let phone: string | undefined
    const read: ReadUser = (document, user) => {
      const write = userWriteFrom(document, { user, report, takenPhones })
      phone = write.supplied.PRIMARY_PHONE
      return write
    }
    try {
      return await run(read)
    } catch (error) {
      if (!(error instanceof ServiceError) || error.reason !== 'PHONE_TAKEN' || phone === undefined) throw error
      takenPhones.add(phone)
    }
  }
}

function userNameKeyOf(document: JsonObject): string {
  return emailKeyOf(textIn(document, 'userName')?.trim() ?? '')
}

function isGone({
  deactivatedAt,
  directoryDeletedAt,
}: Pick<DirectoryIdentityRow, 'deactivatedAt' | 'directoryDeletedAt'>) {
  return deactivatedAt !== null || directoryDeletedAt !== null
}

/** Who comes back; undefined for somebody new. Throws `uniqueness` if an active user has one of the names. */
function returningUser(
  known: readonly DirectoryIdentityRow[],
  externalId: string | null,
): DirectoryIdentityRow | undefined {
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
  const { body, report, parameters } = request
  report.isAboutBody(body)
  const document = readResource(body, userType, report)
  const user = await writeUser(request, parameters['id'] ?? '', (user, read) => {
    requireUser(request, user)
    return read(withKeptId(document, body, user), user)
  })
  return userAnswer(request, user, 200)
}

/** The document with the externalId of the user, if the body does not have one: without it, the user would be lost. */
function withKeptId(document: JsonObject, body: JsonObject, { directoryExternalId }: DirectoryUserRow): JsonObject {
  const isGiven = memberOf(body, 'externalId') !== undefined
  return isGiven || directoryExternalId === null ? document : { ...document, externalId: directoryExternalId }
}

async function patchUser(request: ScimRequest): Promise<ScimAnswer> {
  const { body, report, parameters } = request
  const operations = patchOperationsFrom(body, userType)
  const user = await writeUser(request, parameters['id'] ?? '', (user, read) => {
    requireUser(request, user)
    const before = documentOf(user)
    const after = applyPatch(before, operations, userType, report)
    return read(withFollowingEmail(after, before, user), user)
  })
  return userAnswer(request, user, 200)
}

/** Deactivates the user and hides it from the directory until it is added again. */
async function deleteUser(request: ScimRequest): Promise<ScimAnswer> {
  const standing = { directoryDeletedAt: request.context.runtime.now() }
  await writeUser(request, request.parameters['id'] ?? '', (user) => {
    requireUser(request, user)
    return { supplied: {}, withdrawn: new Set(governedFields), active: false, standing }
  })
  return { status: 204 }
}

/**
 * Makes a user what the request says, which may depend on the user: it is read once to know what to lock, and again when
 * it is locked.
 */
function writeUser(
  { database, directory, context, report }: ScimRequest,
  userId: string,
  writeFrom: (user: DirectoryUserRow, read: ReadUser) => DirectoryWrite,
): Promise<DirectoryUserRow> {
  return withoutTakenPhones(
    (read) =>
      memberTransaction(database, async (transaction) => {
        const user = await readDirectoryUser(transaction, directory, userId)
        const held = await holdDirectoryUser(transaction, directory, user, writeFrom(user, read), context)
        if (held === undefined) return user
        return changeDirectoryUser(transaction, directory, held, writeFrom(held.user, read), context)
      }),
    report,
  )
}

/** Throws 404 for a user whom the directory has deleted, and 412 for one in another version. */
function requireUser({ context, report }: ScimRequest, user: DirectoryUserRow): void {
  const { userId } = user
  report.isAboutUser(user)
  if (user.directoryDeletedAt !== null) throw notFound('user', userId)
  requireVersion(context, user, { resourceType: 'user', resourceId: userId })
}

function userAnswer({ baseUrl, query }: ScimRequest, row: DirectoryUserRow, status: number): ScimAnswer {
  const shown = projected(userType, projectionFromQuery(query))
  return resourceAnswer(userType, shown, { row, id: row.userId, status, baseUrl })
}
