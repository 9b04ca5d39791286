import { isDeepStrictEqual } from 'node:util'
import type { JsonObject } from '@bufbuild/protobuf'
import type { DirectoryWrite } from '../domain/directory/directory-sync.js'
import { fieldsNotSupplied } from '../domain/directory/directory-sync.js'
import { emailAddressFault, emailKeyOf } from '../domain/value/email-address.js'
import type { ScimUserRow } from '../store/scim/user.js'
import { ScimError } from './error.js'
import { optionalValuesOf } from './optional-values.js'
import type { ScimReport } from './report.js'
import { ENTERPRISE, entriesOf, entryType, entryValue, textIn, userNameOf } from './user-document.js'

/** The most bytes of what a provider says of a user, so that pages of users stay small. */
const MAX_DOCUMENT_BYTES = 65_536

/** Beside the document, what a write depends on. */
export interface UserWriteOptions {
  /** The user, if there is one already. */
  readonly user?: ScimUserRow | undefined
  readonly report: ScimReport
  /** Phone numbers that others have, as they were sent. */
  readonly takenPhones: ReadonlySet<string>
}

/** What a document says of a user, for a new one or for one that exists. */
export type UserWrite = DirectoryWrite & { readonly email: string }

/**
 * What the directory writes with a document that replaces what it has said of a user. Fields of the profile that the
 * document lacks, or whose optional values cannot be taken, are withdrawn. Throws `invalidValue` if there is no userName,
 * or no email address.
 */
export function userWriteFrom(given: JsonObject, { user, report, takenPhones }: UserWriteOptions): UserWrite {
  const { document, values } = optionalValuesOf(given, report, takenPhones)
  const userName = textIn(document, 'userName')?.trim() ?? ''
  if (userName === '') throw new ScimError(400, 'invalidValue', 'userName is required')
  const email = emailFrom(document, userName, user)
  const { active } = document
  const write = {
    supplied: {
      FIRST_NAME: textIn(document, 'name', 'givenName'),
      LAST_NAME: textIn(document, 'name', 'familyName'),
      JOB_TITLE: textIn(document, 'title'),
      DEPARTMENT: textIn(document, ENTERPRISE, 'department'),
      ...values,
    },
    managerUserId: textIn(document, ENTERPRISE, 'manager', 'value'),
    email,
    active: typeof active === 'boolean' ? active : undefined,
    standing: standingFrom(document, { userName, email }, user),
  }
  return { ...write, withdrawn: fieldsNotSupplied(write) }
}

/**
 * The email address: that of work; else the user name, if it is an address; else the one that the directory prefers, or
 * any, or the one that the user has.
 */
function emailFrom(document: JsonObject, userName: string, user: ScimUserRow | undefined): string {
  const emails = entriesOf(document, 'emails')
  const work = entryValue(emails.find((entry) => entryType(entry) === 'work'))
  if (work !== undefined) return work
  if (emailAddressFault(userName) === undefined) return userName
  const other = entryValue(emails.find((entry) => entry['primary'] === true) ?? emails[0]) ?? user?.email
  if (other !== undefined) return other
  const advice = 'send an email address as userName, or one of type work in emails'
  throw new ScimError(400, 'invalidValue', `the user has no email address: ${advice}`)
}

/** What differs from what the directory has said beside the profile; undefined if nothing does. */
function standingFrom(
  document: JsonObject,
  { userName, email }: { readonly userName: string; readonly email: string },
  user: ScimUserRow | undefined,
): DirectoryWrite['standing'] {
  const { userName: _, externalId, active: __, ...attributes } = document
  if (Buffer.byteLength(JSON.stringify(attributes)) > MAX_DOCUMENT_BYTES)
    throw new ScimError(
      400,
      'invalidValue',
      `the attributes of a user can have at most ${MAX_DOCUMENT_BYTES} bytes of JSON`,
    )
  // The spelling of an address that stays is not changed.
  const address = user !== undefined && emailKeyOf(user.email) === emailKeyOf(email) ? user.email : email
  const wanted = {
    directoryExternalId: typeof externalId === 'string' && externalId !== '' ? externalId : null,
    directoryUserName: userName === address ? null : userName,
    directoryAttributes: attributes,
    directoryDeletedAt: null,
  }
  if (user === undefined) return wanted
  const changes = Object.entries(wanted).filter(
    ([name, value]) => !isDeepStrictEqual(value, user[name as keyof typeof wanted]),
  )
  return changes.length === 0 ? undefined : Object.fromEntries(changes)
}

/**
 * The document with the work address that follows the user name: if both were the same, and a change names only the user
 * name, the change is of both.
 */
export function withFollowingEmail(document: JsonObject, before: JsonObject, user: ScimUserRow): JsonObject {
  const userName = textIn(document, 'userName')
  const emails = entriesOf(document, 'emails')
  const work = emails.find((entry) => entryType(entry) === 'work')
  const held = entriesOf(before, 'emails').find((entry) => entryType(entry) === 'work')
  if (userName === undefined || work === undefined || held === undefined) return document
  const sameKey = (one = '', other = '') => emailKeyOf(one) === emailKeyOf(other)
  const isNew = !sameKey(userName, userNameOf(user)) && emailAddressFault(userName) === undefined
  if (!isNew || !sameKey(entryValue(work), entryValue(held)) || !sameKey(entryValue(held), userNameOf(user)))
    return document
  return { ...document, emails: emails.map((entry) => (entry === work ? { ...work, value: userName } : entry)) }
}
