import { isDeepStrictEqual } from 'node:util'
import type { JsonObject, JsonValue } from '@bufbuild/protobuf'
import { type DirectoryWrite, directoryValueOf } from '../domain/directory/directory-sync.js'
import type { FieldCommand } from '../domain/profile/field-ownership.js'
import type { Member, MemberChange } from '../domain/user/member.js'
import { emailAddressFault, emailKeyOf } from '../domain/value/email-address.js'
import type { OwnedField } from '../store/owned-column.js'
import { ScimError } from './error.js'
import { entriesOf, entryValue, preferredEntries, textIn, valueAt, withoutNulls, withValueAt } from './json.js'
import type { ScimReport } from './request.js'
import { type FieldAttribute, fieldAttributes, saidOf, userNameOf } from './user-attributes.js'

/** The most bytes of what a provider sends about a user, so that pages of users stay small. */
const MAX_DOCUMENT_BYTES = 65_536

/**
 * The SCIM document of what the directory has sent about a user, to which its next change is applied; `null` for what
 * it has removed. For a user whom only an import has given to the directory, the values that the directory owns.
 */
export function documentOf(user: Member): JsonObject {
  const { directoryExternalId, profile } = user
  const said = saidOf(user) ?? currentValues(user, ({ field }) => profile[field].owner === 'DIRECTORY')
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

/** The lists that a user has in responses although the directory has sent none: a change can remove their values. */
export function shownLists(user: Member): JsonObject {
  const lists = currentValues(user, ({ attribute }) => attribute.multiValued)
  return { ...lists, emails: [{ value: user.email, type: 'work', primary: true }] }
}

function currentValues({ profile }: Member, isWanted: (each: FieldAttribute) => boolean): JsonObject {
  return fieldAttributes.filter(isWanted).reduce<JsonObject>((document, { field, attribute, place }) => {
    const { value } = profile[field]
    if (value === '') return document
    const one = attribute.multiValued ? [{ value, type: attribute.fieldTypes?.[0] ?? '', primary: true }] : value
    return withValueAt(document, place, attribute.type === 'complex' && !attribute.multiValued ? { value } : one)
  }, {})
}

export interface SaidOfUser {
  readonly document: JsonObject
  readonly userName: string
  readonly email: string
  readonly active: boolean | undefined
  /** The values that it gives each field, by preference. */
  readonly candidates: ReadonlyMap<FieldAttribute, readonly Candidate[]>
}

/** A value for a field, in canonical form, and the part of the document that has it. */
interface Candidate {
  readonly part: JsonValue
  readonly value: string
  /** Why it cannot be the value of any user. */
  readonly fault?: string
}

/**
 * Reads a document that replaces the user's. With `followsUserName`, a user without email addresses gets the userName
 * as the address. Throws `invalidValue` if there is no userName, or no email address.
 */
export function readUser(document: JsonObject, user?: Member, followsUserName = true): SaidOfUser {
  const userName = textIn(document, 'userName') ?? ''
  if (userName === '') throw new ScimError(400, 'invalidValue', 'userName is required')
  const email = emailFrom(document, userName, user, followsUserName)
  const { active } = document
  const candidates = new Map(fieldAttributes.map((each) => [each, candidatesIn(document, each)]))
  return { document, userName, email, active: typeof active === 'boolean' ? active : undefined, candidates }
}

function candidatesIn(document: JsonObject, { field, attribute, place }: FieldAttribute): Candidate[] {
  const { fieldTypes = [], toField = (text: string) => text } = attribute
  const entries = entriesOf(document, ...place)
  const current = valueAt(document, place)
  const parts =
    entries.length > 0 ? preferredEntries(entries, [...fieldTypes, '']) : current === undefined ? [] : [current]
  return parts.flatMap((part): Candidate | [] => {
    const text = typeof part === 'string' ? part : entryValue(part)
    if (text === undefined) return []
    return { part, ...(field === 'MANAGER' ? { value: text } : directoryValueOf(field, toField(text))) }
  })
}

/** The change for which values are locked, of a locked user or a new one: every value that the user may get. */
export function wantedChangeOf(
  { document, userName, email, candidates }: SaidOfUser,
  user: Member | undefined,
): MemberChange {
  const commandsFor = (field: OwnedField): FieldCommand[] => {
    const of = [...candidates].filter(([each]) => each.field === field).flatMap(([, given]) => given)
    const values = of.flatMap(({ value, fault }) => (fault === undefined ? value : []))
    const own = values.findIndex((value) => isFromDirectory(user, field, value))
    const wanted = own === -1 ? values : values.slice(0, own)
    return wanted.map((value) => ({ kind: 'set', field, value, as: 'DIRECTORY' }))
  }
  const directoryExternalId = textIn(document, 'externalId') ?? null
  const isMoved = email !== user?.email
  const isRenamed = isMoved || userName !== (user.directoryUserName ?? email)
  return {
    target: user === undefined ? { email, mustJoin: true } : { userId: user.userId },
    commands: [...commandsFor('PRIMARY_PHONE'), ...commandsFor('MANAGER')],
    email: user !== undefined && isMoved ? email : undefined,
    userName: isRenamed ? userName : undefined,
    ...(directoryExternalId !== user?.directoryExternalId && { directory: { directoryExternalId } }),
  }
}

function isFromDirectory(user: Member | undefined, field: OwnedField, value: string): boolean {
  return user?.profile[field].owner === 'DIRECTORY' && user.profile[field].value === value
}

/**
 * The write of a directory for a user. Fields of the profile that the document does not mention, or whose values are
 * refused, are unlocked; those that it clears are cleared. Refused values are reported and left out of the document.
 * `refusalOf` says why the user cannot have a value.
 */
export function userWriteFrom(
  { document: given, userName, email, active, candidates }: SaidOfUser,
  report: ScimReport,
  refusalOf: (field: OwnedField, value: string) => string | undefined,
  user?: Member,
): DirectoryWrite {
  let document = given
  const supplied: Partial<Record<OwnedField, string | undefined>> = {}
  for (const [{ field, attribute, place, label }, values] of candidates) {
    const faults = values.map(({ value, fault }) => {
      return fault ?? (isFromDirectory(user, field, value) ? undefined : refusalOf(field, value))
    })
    const taken = faults.indexOf(undefined)
    const refused = taken === -1 ? values : values.slice(0, taken)
    supplied[field] = values[taken]?.value
    if (values.length === 0) {
      // A list without the entry that the field had has lost it.
      const hasLost = entriesOf(document, ...place).length > 0 && user?.profile[field].owner === 'DIRECTORY'
      if (hasLost || valueAt(document, place) === null) supplied[field] = ''
    }
    if (refused.length === 0) continue
    report.leftOut.set(attribute.type === 'complex' ? `${label}.value` : label, faults[refused.length - 1] ?? '')
    const others = entriesOf(document, ...place).filter((entry) => !refused.some(({ part }) => part === entry))
    document = withValueAt(document, place, others.length === 0 ? undefined : others)
  }
  return { supplied, email, active, account: accountFrom(document, { userName, email }, user) }
}

/** The preferred email address in the document; else the user name, if that is one; else the one that the user has. */
function emailFrom(document: JsonObject, userName: string, user: Member | undefined, followsUserName: boolean): string {
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
  return preferredEntries(emails, ['work'])[0] ?? emails[0]
}

/** The account data that differ from the stored ones; undefined if none do. */
function accountFrom(
  document: JsonObject,
  { userName, email }: { readonly userName: string; readonly email: string },
  user: Member | undefined,
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
 * The document, with an email address that follows the user name: if both were the same and the change names only the
 * user name, both change.
 */
export function withFollowingEmail(document: JsonObject, before: JsonObject, user: Member): JsonObject {
  const isUserName = (text: string | undefined) => emailKeyOf(text ?? '') === emailKeyOf(userNameOf(user))
  const userName = textIn(document, 'userName')
  const address = addressEntryIn(document)
  if (userName === undefined || userName === userNameOf(user) || emailAddressFault(userName) !== undefined)
    return document
  if (address === undefined || ![address, addressEntryIn(before)].map(entryValue).every(isUserName)) return document
  const emails = entriesOf(document, 'emails')
  return { ...document, emails: emails.map((entry) => (entry === address ? { ...entry, value: userName } : entry)) }
}
