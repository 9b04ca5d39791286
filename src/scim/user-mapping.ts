import { isDeepStrictEqual } from 'node:util'
import type { JsonObject } from '@bufbuild/protobuf'
import type { DirectoryWrite } from '../domain/directory/directory-sync.js'
import { fieldsNotSupplied } from '../domain/directory/directory-sync.js'
import { emailAddressFault, emailKeyOf } from '../domain/value/email-address.js'
import type { ScimUserRow } from '../store/scim/user.js'
import { ScimError } from './error.js'
import { ENTERPRISE, entriesOf, entryOfType, entryType, entryValue, textIn, userNameOf } from './user-document.js'

/** What a document says of a user, for a new one or for one that exists. */
export type UserWrite = DirectoryWrite & { readonly email: string }

/**
 * What the directory writes with a document that replaces what it has said of a user. Fields of the profile that the
 * document lacks are withdrawn. Throws `invalidValue` if there is no userName, or no email address.
 */
export function userWriteFrom(document: JsonObject, user?: ScimUserRow): UserWrite {
  const userName = textIn(document, 'userName')?.trim() ?? ''
  if (userName === '') throw new ScimError(400, 'invalidValue', 'userName is required')
  const email = emailFrom(document, userName, user)
  const { active } = document
  const write = {
    supplied: {
      FIRST_NAME: textIn(document, 'name', 'givenName'),
      LAST_NAME: textIn(document, 'name', 'familyName'),
      JOB_TITLE: textIn(document, 'title'),
      LOCALE: textIn(document, 'locale'),
      TIMEZONE: textIn(document, 'timezone'),
      DEPARTMENT: textIn(document, ENTERPRISE, 'department'),
      AVATAR_URL: entryValue(entryOfType(entriesOf(document, 'photos'), ['photo', 'thumbnail'])),
      PRIMARY_PHONE: phoneFrom(document),
    },
    managerUserId: textIn(document, ENTERPRISE, 'manager', 'value'),
    email,
    active: typeof active === 'boolean' ? active : undefined,
    standing: standingFrom(document, { userName, email }, user),
  }
  return { ...write, withdrawn: fieldsNotSupplied(write) }
}

/** The number for calls at work, else the mobile one; `tel:` of RFC 3966 is not part of a number. */
function phoneFrom(document: JsonObject): string | undefined {
  return entryValue(entryOfType(entriesOf(document, 'phoneNumbers'), ['work', 'mobile']))?.replace(/^tel:/i, '')
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
