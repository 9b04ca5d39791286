import type { JsonObject } from '@bufbuild/protobuf'
import {
  deleteDirectoryUser,
  readDirectoryUser,
  requireVersion,
  syncDirectoryUser,
  writerOf,
} from '../domain/directory/directory-sync.js'
import { findNamedMembers, type NamedMember } from '../domain/directory/named-member.js'
import { lockMembers, valueFault } from '../domain/user/lock.js'
import { memberTransaction } from '../domain/user/write.js'
import { emailKeyOf } from '../domain/value/email-address.js'
import { notFound, ServiceError } from '../errors.js'
import { searchedMembers } from '../store/directory/member-search.js'
import { type DirectoryUserRow, lockDirectoryUser } from '../store/directory/user.js'
import { memberFrom } from '../store/member.js'
import type { OwnedField } from '../store/owned-column.js'
import { readPage } from '../store/search-page.js'
import { deactivates, isInactive } from './deactivation.js'
import { ScimError } from './error.js'
import { memberOf, textIn } from './json.js'
import { applyPatch } from './patch.js'
import { patchChangesFrom } from './patch-operation.js'
import { readResource } from './read.js'
import type { ScimRequest } from './request.js'
import type { ResourceOperations } from './resource-routes.js'
import { userType } from './resource-types.js'
import { userNameOf } from './user-attributes.js'
import {
  addressIn,
  documentOf,
  readUser,
  type SaidOfUser,
  shownLists,
  userWriteFrom,
  wantedChangeOf,
  withFollowingEmail,
} from './user-write.js'

export const userOperations: ResourceOperations<DirectoryUserRow> = {
  async get({ context, id }) {
    const user = await readDirectoryUser(context, id)
    if (user.directoryDeletedAt !== null) throw notFound('user', id)
    return user
  },

  /** Adds a user. A person who was deactivated or deleted comes back under the same id. */
  async create(request) {
    const { context, body, report } = request
    report.isAbout(textIn(body, 'userName'), textIn(body, 'externalId'))
    const document = readResource(body, userType, report)
    const userName = textIn(document, 'userName')
    const names = { userName, email: addressIn(document) ?? userName, externalId: textIn(document, 'externalId') }
    const known = await findNamedMembers(context.tables, context.organizationId, names)
    return writeUser(request, returningUser(known, names.externalId)?.userId, () => (user) => {
      if (user === undefined) return readUser(document)
      if (!isGone(user)) throw userTaken(user.userId)
      const said = readUser(withKeptId(document, body, user), user)
      return { ...said, active: said.active ?? true }
    })
  },

  replace(request) {
    const { body, report, id } = request
    const read = () => {
      report.isAbout(textIn(body, 'userName'), textIn(body, 'externalId'))
      const document = readResource(body, userType, report)
      return (found: DirectoryUserRow | undefined) => {
        const user = userOf(request, found)
        return readUser(withKeptId(document, body, user), user, staysActive(user, document))
      }
    }
    return writeUser(request, id, read, isInactive(body))
  },

  patch(request) {
    const { body, report, id } = request
    const read = () => {
      const changes = patchChangesFrom(body, userType, report)
      return (found: DirectoryUserRow | undefined) => {
        const user = userOf(request, found)
        const before = documentOf(user)
        const after = applyPatch(before, changes, report, shownLists(user))
        const isRenamed = emailKeyOf(textIn(after, 'userName') ?? '') !== emailKeyOf(userNameOf(user))
        const follows = staysActive(user, after)
        return readUser(follows ? withFollowingEmail(after, before, user) : after, user, follows && isRenamed)
      }
    }
    return writeUser(request, id, read, deactivates(body))
  },

  /** Deactivates the user, frees the phone number, and hides the user from the directory until it is added again. */
  async remove(request) {
    const { context, id } = request
    await memberTransaction(context.tables, async (tables) => {
      const user = await lockDirectoryUser(tables, { organizationId: context.organizationId, userId: id })
      await deleteDirectoryUser({ ...context, tables }, userOf(request, user))
    })
    return undefined
  },

  async list({ context }, selection, range) {
    const { rows, total } = await readPage(context.tables, searchedMembers, selection, range)
    return { rows: rows.map(memberFrom), total }
  },
}

/**
 * Brings a member, or without an id a new one, to the state that a request asks for, as far as the values are free.
 * `read` reads the request, and returns a function that applies it to the locked member. If a request that deactivates
 * the user is refused, the user is deactivated all the same and the refusal reported: a person who has left must not
 * keep access because of another value in the request.
 */
async function writeUser(
  request: ScimRequest,
  userId: string | undefined,
  read: () => (user: DirectoryUserRow | undefined) => SaidOfUser,
  deactivates = false,
): Promise<DirectoryUserRow> {
  const { report } = request
  const write = (saidOf: (user: DirectoryUserRow | undefined) => SaidOfUser) =>
    memberTransaction(request.context.tables, async (tables) => {
      const context = { ...request.context, tables }
      const { organizationId } = context
      const user = userId === undefined ? undefined : await lockDirectoryUser(tables, { organizationId, userId })
      const said = saidOf(user)
      const locked = await lockMembers(
        tables,
        writerOf(context),
        [wantedChangeOf(said, user)],
        user === undefined ? [] : [user],
      )
      const refusalOf = (field: OwnedField, value: string) => {
        const fault = valueFault(locked, user?.userId ?? '', field, value)
        return fault && refusalWords(fault)
      }
      return syncDirectoryUser(context, user, userWriteFrom(said, report, refusalOf, user), locked)
    })
  try {
    return await write(read())
  } catch (error) {
    if (!deactivates || !isAboutContent(error)) throw error
    report.leftOut.set('all but active', error instanceof ScimError ? error.detail : refusalWords(error))
    return write((found) => {
      const user = userOf(request, found)
      return readUser({ ...documentOf(user), active: false }, user, false)
    })
  }
}

/** Whether an error is about what a request says, and not about the state in which it finds the user or the service. */
function isAboutContent(error: unknown): error is ScimError | ServiceError {
  if (error instanceof ScimError) return true
  const codes = ['invalid_argument', 'already_exists', 'failed_precondition']
  return error instanceof ServiceError && codes.includes(error.code)
}

function refusalWords(error: ServiceError): string {
  if (error.reason === 'PHONE_TAKEN') return 'another member of the organization has this number'
  return error.violations[0]?.description ?? error.message
}

/** Whether a user is active before and after a write: Microsoft Entra renames whom it deletes. */
function staysActive({ deactivatedAt }: DirectoryUserRow, { active }: JsonObject): boolean {
  return deactivatedAt === null && active !== false
}

/** The user of a request. Throws 404 without one, or if the directory has deleted it, and 412 in another version. */
function userOf({ context, report, id }: ScimRequest, user: DirectoryUserRow | undefined): DirectoryUserRow {
  if (user === undefined) throw notFound('user', id)
  report.isAbout(userNameOf(user), user.directoryExternalId)
  if (user.directoryDeletedAt !== null) throw notFound('user', id)
  requireVersion(context, user, { resourceType: 'user', resourceId: id })
  return user
}

/** The document with the externalId of the user, if the body does not have one: without it, the user would be lost. */
function withKeptId(document: JsonObject, body: JsonObject, { directoryExternalId }: DirectoryUserRow): JsonObject {
  const isGiven = memberOf(body, 'externalId') !== undefined
  return isGiven || directoryExternalId === null ? document : { ...document, externalId: directoryExternalId }
}

function isGone({ deactivatedAt, directoryDeletedAt }: Pick<NamedMember, 'deactivatedAt' | 'directoryDeletedAt'>) {
  return deactivatedAt !== null || directoryDeletedAt !== null
}

/**
 * The user who comes back, among those who have a name of the request: one whom the directory has deleted, or a
 * deactivated one, by the externalId, or, if the request or that user has none, by another of the names. Undefined if
 * the user is new. Throws `uniqueness` if another user has one of the names.
 */
function returningUser(known: readonly NamedMember[], externalId: string | undefined): NamedMember | undefined {
  const active = known.find((user) => !isGone(user) && (user.has.externalId || user.has.userName))
  if (active !== undefined) throw userTaken(active.userId)
  const gone = known.filter(isGone)
  const ranked = (['externalId', 'userName', 'email'] as const).flatMap((name) => gone.filter(({ has }) => has[name]))
  const returning = ranked.find(({ directoryExternalId, directoryDeletedAt }) => {
    const isSame = externalId === undefined || directoryExternalId === null || directoryExternalId === externalId
    return directoryDeletedAt !== null || isSame
  })
  const other = ranked.find(({ has }) => has.userName)
  if (returning === undefined && other !== undefined) throw userTaken(other.userId)
  return returning
}

function userTaken(userId: string): ScimError {
  const advice = 'update that user, or send another userName and externalId'
  return new ScimError(409, 'uniqueness', `user ${userId} already has this userName or externalId: ${advice}`)
}
