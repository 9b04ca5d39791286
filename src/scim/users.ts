import type { JsonObject } from '@bufbuild/protobuf'
import {
  changeDirectoryUser,
  createDirectoryUser,
  type DirectoryWrite,
  holdDirectoryUser,
  readDirectoryUser,
  requireVersion,
} from '../domain/directory/directory-sync.js'
import { memberTransaction } from '../domain/user/write.js'
import { emailKeyOf } from '../domain/value/email-address.js'
import { notFound, ServiceError } from '../errors.js'
import { searchedMembers } from '../store/directory/member-search.js'
import { type DirectoryIdentityRow, type DirectoryUserRow, findDirectoryIdentity } from '../store/directory/user.js'
import { memberFrom } from '../store/member.js'
import { readPage } from '../store/search-page.js'
import { ScimError } from './error.js'
import { memberOf, textIn } from './json.js'
import { applyPatch } from './patch.js'
import { patchChangesFrom } from './patch-operation.js'
import { readResource } from './read.js'
import type { ScimReport, ScimRequest } from './request.js'
import type { ResourceOperations } from './resource-routes.js'
import { userType } from './resource-types.js'
import { userNameOf } from './user-attributes.js'
import { documentOf, type UserWrite, userWriteFrom, withFollowingEmail } from './user-write.js'

/** The operations on users. */
export const userOperations: ResourceOperations<DirectoryUserRow> = {
  async get({ scope, id }) {
    const user = await readDirectoryUser(scope, id)
    if (user.directoryDeletedAt !== null) throw notFound('user', id)
    return user
  },

  /**
   * Adds a user. A person who was deactivated or deleted comes back under the same id: who has the externalId, or, if
   * the request or that user has none, the userName.
   */
  async create(request) {
    const { scope, body, report } = request
    report.isAbout(textIn(body, 'userName'), textIn(body, 'externalId'))
    const document = readResource(body, userType, report)
    const externalId = textIn(document, 'externalId') ?? null
    const nameKey = emailKeyOf(textIn(document, 'userName')?.trim() ?? '')
    const known = await findDirectoryIdentity(scope.tables, scope.organizationId, nameKey, externalId)
    const returning = returningUser(known, externalId)
    if (returning === undefined) {
      return withoutTakenPhones((read) => createDirectoryUser(scope, read(document)), report)
    }
    return writeUser(request, returning.userId, (user, read) => {
      if (!isGone(user)) throw userTaken(user.userId)
      const write = read(withKeptId(document, body, user), user)
      return { ...write, active: write.active ?? true }
    })
  },

  async replace(request) {
    const { body, report, id } = request
    report.isAbout(textIn(body, 'userName'), textIn(body, 'externalId'))
    const document = readResource(body, userType, report)
    return writeUser(request, id, (user, read) => {
      requireUser(request, user)
      return read(withKeptId(document, body, user), user)
    })
  },

  async patch(request) {
    const { body, report, id } = request
    return writeUser(request, id, (user, read) => {
      requireUser(request, user)
      const before = documentOf(user)
      const after = applyPatch(before, patchChangesFrom(body, userType), report)
      return read(withFollowingEmail(after, before, user), user)
    })
  },

  /** Deactivates the user and hides it from the directory until it is added again. */
  async remove(request) {
    const standing = { directoryDeletedAt: request.scope.runtime.now() }
    await writeUser(request, request.id, (user) => {
      requireUser(request, user)
      return { supplied: {}, active: false, standing }
    })
    return undefined
  },

  async list({ scope }, selection, range) {
    const { rows, total } = await readPage(scope.tables, searchedMembers, selection, range)
    return { rows: rows.map(memberFrom), total }
  },
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
      const write = userWriteFrom(document, report, takenPhones, user)
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

/**
 * Makes a user what the request says, which may depend on the user: it is read once to know what to lock, and again
 * when it is locked.
 */
function writeUser(
  { scope, report }: ScimRequest,
  userId: string,
  writeFrom: (user: DirectoryUserRow, read: ReadUser) => DirectoryWrite,
): Promise<DirectoryUserRow> {
  const write = (read: ReadUser) =>
    memberTransaction(scope.tables, async (tables) => {
      const within = { ...scope, tables }
      const user = await readDirectoryUser(within, userId)
      const held = await holdDirectoryUser(within, user, writeFrom(user, read))
      return held === undefined ? user : changeDirectoryUser(within, held, writeFrom(held.user, read))
    })
  return withoutTakenPhones(write, report)
}

/** Throws 404 for a user whom the directory has deleted, and 412 for one in another version. */
function requireUser({ scope, report }: ScimRequest, user: DirectoryUserRow): void {
  report.isAbout(userNameOf(user), user.directoryExternalId)
  if (user.directoryDeletedAt !== null) throw notFound('user', user.userId)
  requireVersion(scope, user, { resourceType: 'user', resourceId: user.userId })
}

/** The document with the externalId of the user, if the body does not have one: without it, the user would be lost. */
function withKeptId(document: JsonObject, body: JsonObject, { directoryExternalId }: DirectoryUserRow): JsonObject {
  const isGiven = memberOf(body, 'externalId') !== undefined
  return isGiven || directoryExternalId === null ? document : { ...document, externalId: directoryExternalId }
}

function isGone({ deactivatedAt, directoryDeletedAt }: DirectoryIdentityRow): boolean {
  return deactivatedAt !== null || directoryDeletedAt !== null
}

/** Who comes back; undefined for somebody new. Throws `uniqueness` if an active user has one of the names. */
function returningUser(
  known: readonly DirectoryIdentityRow[],
  externalId: string | null,
): DirectoryIdentityRow | undefined {
  const first = known.find((user) => externalId !== null && user.directoryExternalId === externalId) ?? known[0]
  if (first === undefined) return undefined
  const comesBack = externalId === null || [externalId, null].includes(first.directoryExternalId)
  const taken = [first, ...known].find((user) => !isGone(user)) ?? (comesBack ? undefined : first)
  if (taken !== undefined) throw userTaken(taken.userId)
  return first
}

function userTaken(userId: string): ScimError {
  const advice = 'update that user, or send another userName and externalId'
  return new ScimError(409, 'uniqueness', `user ${userId} already has this userName or externalId: ${advice}`)
}
