import type { JsonObject } from '@bufbuild/protobuf'
import {
  type DirectoryContext,
  deleteDirectoryUser,
  lockDirectoryUser,
  readDirectoryUser,
  requireVersion,
  syncDirectoryUser,
  writerOf,
} from '../domain/directory/directory-sync.js'
import { findNamedMembers, type NamedMember } from '../domain/directory/named-member.js'
import { lockValues, valueFault } from '../domain/user/lock.js'
import { memberTransaction } from '../domain/user/write.js'
import { emailKeyOf } from '../domain/value/email-address.js'
import { notFound, ServiceError } from '../errors.js'
import { searchedMembers } from '../store/directory/member-search.js'
import type { DirectoryUserRow } from '../store/directory/user.js'
import { memberFrom } from '../store/member.js'
import type { OwnedField } from '../store/owned-column.js'
import { readPage } from '../store/search-page.js'
import { deactivates, isInactive } from './deactivation.js'
import { ScimError } from './error.js'
import { memberOf, textIn } from './json.js'
import { applyPatch } from './patch.js'
import { patchChangesFrom } from './patch-operation.js'
import { readResource } from './read.js'
import type { ScimReport, ScimRequest } from './request.js'
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

/** The operations on users. */
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
    const returning = returningUser(known, names.externalId)
    if (returning === undefined) {
      return memberTransaction(context.tables, (tables) => write({ ...context, tables }, report, readUser(document)))
    }
    return writeUser(request, returning.userId, (user) => {
      if (!isGone(user)) throw userTaken(user.userId)
      const said = readUser(withKeptId(document, body, user), user)
      return { ...said, active: said.active ?? true }
    })
  },

  replace(request) {
    const { body, report, id } = request
    return deactivating(request, isInactive(body), async () => {
      report.isAbout(textIn(body, 'userName'), textIn(body, 'externalId'))
      const document = readResource(body, userType, report)
      return writeUser(request, id, (user) => {
        requireUser(request, user)
        return readUser(withKeptId(document, body, user), user, staysActive(user, document))
      })
    })
  },

  patch(request) {
    const { body, report, id } = request
    return deactivating(request, deactivates(body), async () => {
      const changes = patchChangesFrom(body, userType, report)
      return writeUser(request, id, (user) => {
        requireUser(request, user)
        const before = documentOf(user)
        const after = applyPatch(before, changes, report, shownLists(user))
        const isRenamed = emailKeyOf(textIn(after, 'userName') ?? '') !== emailKeyOf(userNameOf(user))
        const follows = staysActive(user, after)
        return readUser(follows ? withFollowingEmail(after, before, user) : after, user, follows && isRenamed)
      })
    })
  },

  /** Deactivates the user, whose number others can have, and hides it from the directory until it is added again. */
  async remove(request) {
    const { context, id } = request
    await memberTransaction(context.tables, async (tables) => {
      const within = { ...context, tables }
      const user = await lockDirectoryUser(within, id)
      requireUser(request, user)
      await deleteDirectoryUser(within, user)
    })
    return undefined
  },

  async list({ context }, selection, range) {
    const { rows, total } = await readPage(context.tables, searchedMembers, selection, range)
    return { rows: rows.map(memberFrom), total }
  },
}

/**
 * Runs a write of a user. If what it says is refused, and it deactivates, the user is deactivated all the same, and the
 * refusal reported: whoever has left must not stay because of what stands beside it.
 */
async function deactivating(
  request: ScimRequest,
  isDeactivation: boolean,
  write: () => Promise<DirectoryUserRow>,
): Promise<DirectoryUserRow> {
  try {
    return await write()
  } catch (error) {
    if (!isDeactivation || !isAboutContent(error)) throw error
    const { report, id } = request
    report.leftOut.set('all but active', error instanceof ScimError ? error.detail : refusalWords(error))
    return writeUser(request, id, (user) => {
      requireUser(request, user)
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

/** Makes a user what is said of it, which may depend on the user, who is locked. */
function writeUser(
  { context, report }: ScimRequest,
  userId: string,
  saidOf: (user: DirectoryUserRow) => SaidOfUser,
): Promise<DirectoryUserRow> {
  return memberTransaction(context.tables, async (tables) => {
    const within = { ...context, tables }
    const user = await lockDirectoryUser(within, userId)
    return write(within, report, saidOf(user), user)
  })
}

/** Makes a locked user, or a new one, what is said of it, as far as the user can have the values. */
async function write(
  context: DirectoryContext,
  report: ScimReport,
  said: SaidOfUser,
  user?: DirectoryUserRow,
): Promise<DirectoryUserRow> {
  const rows = user === undefined ? [] : [user]
  const locked = await lockValues(context.tables, writerOf(context), [wantedChangeOf(said, user)], rows)
  const refusalOf = (field: OwnedField, value: string) => {
    const fault = valueFault(locked, user?.userId ?? '', field, value)
    return fault && refusalWords(fault)
  }
  return syncDirectoryUser(context, user, userWriteFrom(said, report, refusalOf, user), locked)
}

/** Whether a user is active before and after a write: Microsoft Entra renames whom it deletes. */
function staysActive({ deactivatedAt }: DirectoryUserRow, { active }: JsonObject): boolean {
  return deactivatedAt === null && active !== false
}

/** Throws 404 for a user whom the directory has deleted, and 412 for one in another version. */
function requireUser({ context, report }: ScimRequest, user: DirectoryUserRow): void {
  report.isAbout(userNameOf(user), user.directoryExternalId)
  if (user.directoryDeletedAt !== null) throw notFound('user', user.userId)
  requireVersion(context, user, { resourceType: 'user', resourceId: user.userId })
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
 * Who comes back, of those who have the names in a request: whom the directory has deleted, or a deactivated user, who
 * has the externalId, or, if the request or that user has none, another of the names. Undefined for somebody new.
 * Throws `uniqueness` if another user has one of the names.
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
