import { isDeepStrictEqual } from 'node:util'
import type { JsonObject } from '@bufbuild/protobuf'
import { type DirectoryWrite, valueFault } from '../domain/directory/directory-sync.js'
import { emailAddressFault, emailKeyOf } from '../domain/value/email-address.js'
import type { DirectoryUserRow } from '../store/directory/user.js'
import type { OwnedField } from '../store/owned-column.js'
import { ScimError } from './error.js'
import { entriesOf, entryValue, preferredEntry, textIn, valueAt, withoutNulls, withValueAt } from './json.js'
import type { ScimReport } from './request.js'
import { type FieldAttribute, fieldAttributes, saidOf, userNameOf } from './user-attributes.js'

/** The most bytes of what a provider says of a user, so that pages of users stay small. */
const MAX_DOCUMENT_BYTES = 65_536

/**
 * What a directory has said of a user, as an object of SCIM: what its next change is applied to; `null` for what it has
 * taken away. For a user whom only an import has given to the directory, the values that belong to it.
 */
export function documentOf(user: DirectoryUserRow): JsonObject {
  const { directoryExternalId, profile } = user
  const said = saidOf(user) ?? heldValues(user, ({ field }) => profile[field].owner === 'DIRECTORY')
  const gone = fieldAttributes.filter(({ field, place }) => {
    return profile[field].owner === 'DIRECTORY' && profile[field].value === '' && valueAt(said, place) === undefined
  })
  return {
    ...gone.reduce((document, { place }) => withValueAt(document, place, null), said),
    userName: userNameOf(user),
    active: user.deactivatedAt === null,
    ...(directoryExternalId !== null && { externalId: directoryExternalId }),
  }
}

/** The lists that a user shows where the directory has given none: what can be taken from them. */
export function shownLists(user: DirectoryUserRow): JsonObject {
  const lists = heldValues(user, ({ attribute }) => attribute.multiValued)
  return { ...lists, emails: [{ value: user.email, type: 'work', primary: true }] }
}

function heldValues({ profile }: DirectoryUserRow, isWanted: (each: FieldAttribute) => boolean): JsonObject {
  return fieldAttributes.filter(isWanted).reduce<JsonObject>((document, { field, attribute, place }) => {
    const { value } = profile[field]
    if (value === '') return document
    const one = attribute.multiValued ? [{ value, type: attribute.fieldTypes?.[0] ?? '', primary: true }] : value
    return withValueAt(document, place, attribute.type === 'complex' && !attribute.multiValued ? { value } : one)
  }, {})
}

/** What a document says of a user, for a new one or for one that exists. */
export type UserWrite = DirectoryWrite & { readonly email: string }

/** Values that nobody can know to be refused but who has tried to write them: the reasons, by field and value. */
export class RefusedValues {
  readonly #reasons = new Map<string, string>()

  add(field: OwnedField, value: string, reason: string): void {
    this.#reasons.set(`${field} ${value}`, reason)
  }

  reasonOf(field: OwnedField, value: string): string | undefined {
    return this.#reasons.get(`${field} ${value}`)
  }
}

/**
 * What the directory writes with a document that replaces what it has said of a user. Fields of the profile that the
 * document does not mention, or whose optional values cannot be taken, are unlocked; what it says there is none of is
 * cleared. `followsUserName`: without email addresses, the address of the user is the userName. Throws `invalidValue`
 * if there is no userName, or no email address.
 */
export function userWriteFrom(
  given: JsonObject,
  report: ScimReport,
  refused: RefusedValues,
  user?: DirectoryUserRow,
  followsUserName = true,
): UserWrite {
  let document = given
  const supplied: Partial<Record<OwnedField, string | undefined>> = {}
  for (const each of fieldAttributes) {
    const isLocked = user?.profile[each.field].owner === 'DIRECTORY'
    const taken = takeValue(document, each, report, refused, isLocked)
    document = taken.document
    supplied[each.field] = taken.value
  }
  const userName = textIn(document, 'userName') ?? ''
  if (userName === '') throw new ScimError(400, 'invalidValue', 'userName is required')
  const email = emailFrom(document, userName, user, followsUserName)
  const { active } = document
  return {
    supplied,
    email,
    active: typeof active === 'boolean' ? active : undefined,
    account: accountFrom(document, { userName, email }, user),
  }
}

/**
 * The value of a field in a document: of several entries the preferred one that can be taken; empty if there is none
 * any more, undefined if the document does not say. What cannot be taken is reported and left out of the document.
 */
function takeValue(
  given: JsonObject,
  { field, attribute, place, label }: FieldAttribute,
  report: ScimReport,
  refused: RefusedValues,
  isLocked: boolean,
): { readonly document: JsonObject; readonly value: string | undefined } {
  const { multiValued, type, fieldTypes = [], toField = (text: string) => text } = attribute
  let isRefused = false
  for (let document = given; ; ) {
    const entries = entriesOf(document, ...place)
    const entry = preferredEntry(entries, [...fieldTypes, ''])
    const held = entries.length > 0 ? entry : valueAt(document, place)
    const text = typeof held === 'string' ? held : entryValue(held)
    if (text === undefined) {
      // A list without the entry that the field had has lost it.
      const isGone = held === null || (entries.length > 0 && isLocked)
      return { document, value: isGone && !isRefused ? '' : undefined }
    }
    const value = toField(text)
    const fault = refused.reasonOf(field, value) ?? (field === 'MANAGER' ? undefined : valueFault(field, value))
    if (fault === undefined) return { document, value }
    isRefused = true
    report.leftOut.set(type === 'complex' ? `${label}.value` : label, fault)
    const others = multiValued ? entries.filter((each) => each !== entry) : []
    document = withValueAt(document, place, others.length === 0 ? undefined : others)
  }
}

/**
 * The email address: the preferred one of those in the document; else the user name, if that is an address; else the
 * one that the user has.
 */
function emailFrom(
  document: JsonObject,
  userName: string,
  user: DirectoryUserRow | undefined,
  followsUserName: boolean,
): string {
  const given = addressIn(document)
  if (given !== undefined) return given
  if (followsUserName && emailAddressFault(userName) === undefined) return userName
  if (user !== undefined) return user.email
  const advice = 'send an email address as userName, or one in emails'
  throw new ScimError(400, 'invalidValue', `the user has no email address: ${advice}`)
}

/** The email address among those in a document by which the user signs in. */
export function addressIn(document: JsonObject): string | undefined {
  return entryValue(addressEntryIn(document))
}

function addressEntryIn(document: JsonObject): JsonObject | undefined {
  const emails = entriesOf(document, 'emails')
  return preferredEntry(emails, ['work']) ?? emails[0]
}

/** What differs from what the directory has said beside the profile; undefined if nothing does. */
function accountFrom(
  document: JsonObject,
  { userName, email }: { readonly userName: string; readonly email: string },
  user: DirectoryUserRow | undefined,
): DirectoryWrite['account'] {
  const { userName: _, externalId, active: __, ...said } = document
  const attributes = withoutNulls(said)
  if (Buffer.byteLength(JSON.stringify(attributes)) > MAX_DOCUMENT_BYTES) {
    const detail = `the attributes of a user can have at most ${MAX_DOCUMENT_BYTES} bytes of JSON`
    throw new ScimError(400, 'invalidValue', detail)
  }
  const wanted = {
    directoryExternalId: typeof externalId === 'string' ? externalId : null,
    directoryUserName: userName === email ? null : userName,
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
 * The document with the address that follows the user name: if both were the same, and a change names only the user
 * name, the change is of both.
 */
export function withFollowingEmail(document: JsonObject, before: JsonObject, user: DirectoryUserRow): JsonObject {
  const isUserName = (text: string | undefined) => emailKeyOf(text ?? '') === emailKeyOf(userNameOf(user))
  const userName = textIn(document, 'userName')
  const address = addressEntryIn(document)
  if (userName === undefined || userName === userNameOf(user) || emailAddressFault(userName) !== undefined)
    return document
  if (address === undefined || ![address, addressEntryIn(before)].map(entryValue).every(isUserName)) return document
  const emails = entriesOf(document, 'emails')
  return { ...document, emails: emails.map((entry) => (entry === address ? { ...entry, value: userName } : entry)) }
}
