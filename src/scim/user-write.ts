import { isDeepStrictEqual } from 'node:util'
import type { JsonObject } from '@bufbuild/protobuf'
import { type DirectoryWrite, valueFault } from '../domain/directory/directory-sync.js'
import { emailAddressFault, emailKeyOf } from '../domain/value/email-address.js'
import type { DirectoryUserRow } from '../store/directory/user.js'
import type { OwnedField } from '../store/owned-column.js'
import { ScimError } from './error.js'
import { entriesOf, entryOfType, entryType, entryValue, textIn, valueAt, withValueAt } from './json.js'
import type { ScimReport } from './request.js'
import { type FieldAttribute, fieldAttributes, saidOf, userNameOf } from './user-attributes.js'

/** The most bytes of what a provider says of a user, so that pages of users stay small. */
const MAX_DOCUMENT_BYTES = 65_536

/**
 * What a directory has said of a user, as an object of SCIM: what its next change is applied to. For a user whom only
 * an import has given to the directory, the values that belong to it.
 */
export function documentOf(user: DirectoryUserRow): JsonObject {
  const { directoryExternalId } = user
  return {
    ...(saidOf(user) ?? ownedValues(user)),
    userName: userNameOf(user),
    active: user.deactivatedAt === null,
    ...(directoryExternalId !== null && { externalId: directoryExternalId }),
  }
}

function ownedValues({ profile }: DirectoryUserRow): JsonObject {
  return fieldAttributes.reduce<JsonObject>((document, { field, attribute, place }) => {
    const { value, owner } = profile[field]
    if (value === '' || owner !== 'DIRECTORY') return document
    const one = attribute.multiValued ? [{ value, type: attribute.fieldTypes?.[0] ?? '', primary: true }] : value
    return withValueAt(document, place, attribute.type === 'complex' && !attribute.multiValued ? { value } : one)
  }, {})
}

/** What a document says of a user, for a new one or for one that exists. */
export type UserWrite = DirectoryWrite & { readonly email: string }

/**
 * What the directory writes with a document that replaces what it has said of a user. Fields of the profile that the
 * document lacks, or whose optional values cannot be taken, are unlocked. Throws `invalidValue` if there is no
 * userName, or no email address. `takenPhones` are numbers that others have, as they were sent.
 */
export function userWriteFrom(
  given: JsonObject,
  report: ScimReport,
  takenPhones: ReadonlySet<string>,
  user?: DirectoryUserRow,
): UserWrite {
  let document = given
  const supplied: Partial<Record<OwnedField, string | undefined>> = {}
  for (const each of fieldAttributes) {
    const taken = takeValue(document, each, report, each.field === 'PRIMARY_PHONE' ? takenPhones : new Set())
    document = taken.document
    supplied[each.field] = taken.value
  }
  const userName = textIn(document, 'userName')?.trim() ?? ''
  if (userName === '') throw new ScimError(400, 'invalidValue', 'userName is required')
  const email = emailFrom(document, userName, user)
  const { active } = document
  return {
    supplied,
    email,
    active: typeof active === 'boolean' ? active : undefined,
    standing: standingFrom(document, { userName, email }, user),
  }
}

/**
 * The value of a field in a document: of several entries the first that can be taken. What is optional and cannot be
 * taken is reported and left out of the document.
 */
function takeValue(
  given: JsonObject,
  { field, attribute, place }: FieldAttribute,
  report: ScimReport,
  taken: ReadonlySet<string>,
): { readonly document: JsonObject; readonly value: string | undefined } {
  const { name, multiValued, isOptional, fieldTypes = [], toField = (text: string) => text } = attribute
  for (let document = given; ; ) {
    const entries = entriesOf(document, ...place)
    const entry = entryOfType(entries, fieldTypes)
    const held = multiValued ? entry : valueAt(document, place)
    const text = typeof held === 'string' ? held : entryValue(held)
    if (text === undefined) return { document, value: undefined }
    const value = toField(text)
    if (!isOptional || field === 'MANAGER') return { document, value }
    const fault = taken.has(value) ? 'another member of the organization has this number' : valueFault(field, value)
    if (fault === undefined) return { document, value }
    report.leftOut.set(multiValued ? `${name}.value` : name, fault)
    const others = entries.filter((each) => each !== entry)
    document = withValueAt(document, place, others.length === 0 ? undefined : others)
  }
}

/**
 * The email address: that of work; else the user name, if it is an address; else the one that the directory prefers, or
 * any, or the one that the user has.
 */
function emailFrom(document: JsonObject, userName: string, user: DirectoryUserRow | undefined): string {
  const emails = entriesOf(document, 'emails')
  const work = entryValue(workEmailIn(document))
  if (work !== undefined) return work
  if (emailAddressFault(userName) === undefined) return userName
  const other = entryValue(emails.find((entry) => entry['primary'] === true) ?? emails[0]) ?? user?.email
  if (other !== undefined) return other
  const advice = 'send an email address as userName, or one of type work in emails'
  throw new ScimError(400, 'invalidValue', `the user has no email address: ${advice}`)
}

function workEmailIn(document: JsonObject): JsonObject | undefined {
  return entriesOf(document, 'emails').find((entry) => entryType(entry) === 'work')
}

/** What differs from what the directory has said beside the profile; undefined if nothing does. */
function standingFrom(
  document: JsonObject,
  { userName, email }: { readonly userName: string; readonly email: string },
  user: DirectoryUserRow | undefined,
): DirectoryWrite['standing'] {
  const { userName: _, externalId, active: __, ...attributes } = document
  if (Buffer.byteLength(JSON.stringify(attributes)) > MAX_DOCUMENT_BYTES) {
    const detail = `the attributes of a user can have at most ${MAX_DOCUMENT_BYTES} bytes of JSON`
    throw new ScimError(400, 'invalidValue', detail)
  }
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
 * The document with the work address that follows the user name: if both were the same, and a change names only the
 * user name, the change is of both.
 */
export function withFollowingEmail(document: JsonObject, before: JsonObject, user: DirectoryUserRow): JsonObject {
  const isUserName = (text: string | undefined) => emailKeyOf(text ?? '') === emailKeyOf(userNameOf(user))
  const userName = textIn(document, 'userName')
  const work = workEmailIn(document)
  if (userName === undefined || isUserName(userName) || emailAddressFault(userName) !== undefined) return document
  if (work === undefined || ![work, workEmailIn(before)].map(entryValue).every(isUserName)) return document
  const emails = entriesOf(document, 'emails')
  return { ...document, emails: emails.map((entry) => (entry === work ? { ...work, value: userName } : entry)) }
}
