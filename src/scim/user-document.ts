import type { JsonObject, JsonValue } from '@bufbuild/protobuf'
import type { ScimUserRow } from '../store/scim/user.js'
import { enterpriseUserSchema } from '../store/scim/user-attributes.js'
import { isJsonObject } from './json-object.js'

/** The URN of what an employer says of a user. */
export const ENTERPRISE = enterpriseUserSchema.id

/**
 * What a directory has said of a user, as an object of SCIM: what its next change is applied to. For a user whom only an
 * import has given to the directory, the values that belong to it.
 */
export function documentOf(user: ScimUserRow): JsonObject {
  const { directoryAttributes, directoryExternalId } = user
  return {
    ...(isJsonObject(directoryAttributes as JsonValue) ? (directoryAttributes as JsonObject) : ownedValues(user)),
    userName: userNameOf(user),
    active: user.deactivatedAt === null,
    ...(directoryExternalId !== null && { externalId: directoryExternalId }),
  }
}

/** The name by which the directory knows the user. */
export function userNameOf({ directoryUserName, email }: ScimUserRow): string {
  return directoryUserName ?? email
}

function ownedValues({ profile }: ScimUserRow): JsonObject {
  const value = (field: keyof typeof profile) => (profile[field].owner === 'DIRECTORY' ? profile[field].value : '')
  const texts = (values: Readonly<Record<string, string>>) =>
    Object.fromEntries(Object.entries(values).filter(([, text]) => text !== ''))
  const one = (text: string, type: string) => (text === '' ? [] : [{ value: text, type, primary: true }])
  const manager = value('MANAGER')
  return withoutEmpty({
    ...texts({ title: value('JOB_TITLE'), locale: value('LOCALE'), timezone: value('TIMEZONE') }),
    name: texts({ givenName: value('FIRST_NAME'), familyName: value('LAST_NAME') }),
    phoneNumbers: one(value('PRIMARY_PHONE'), 'work'),
    photos: one(value('AVATAR_URL'), 'photo'),
    [ENTERPRISE]: {
      ...texts({ department: value('DEPARTMENT') }),
      ...(manager !== '' && { manager: { value: manager } }),
    },
  })
}

/** The object without empty objects and lists in it. */
export function withoutEmpty(object: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(object).filter(([, value]) => typeof value !== 'object' || Object.keys(value ?? {}).length > 0),
  )
}

/** The entries of an attribute of a document that has several. */
export function entriesOf(document: JsonObject, name: string): readonly JsonObject[] {
  const value = document[name]
  return Array.isArray(value) ? value.filter(isJsonObject) : []
}

/** A text in a document: of an attribute, or of a part of one. */
export function textIn(document: JsonObject, ...path: readonly string[]): string | undefined {
  let value: JsonValue | undefined = document
  for (const name of path) value = isJsonObject(value) ? value[name] : undefined
  return typeof value === 'string' ? value : undefined
}

/** The value of an entry. */
export function entryValue(entry: JsonValue | undefined): string | undefined {
  return isJsonObject(entry) ? textIn(entry, 'value') : undefined
}

/** The type of an entry, in lower case. */
export function entryType(entry: JsonValue): string {
  return isJsonObject(entry) ? (textIn(entry, 'type') ?? '').toLowerCase() : ''
}

/** The entry of the first of the types that there is, else one without a type. */
export function entryOfType(entries: readonly JsonObject[], types: readonly string[]): JsonObject | undefined {
  for (const type of [...types, '']) {
    const entry = entries.find((each) => entryType(each) === type)
    if (entry !== undefined) return entry
  }
  return undefined
}
