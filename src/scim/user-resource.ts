import type { JsonObject, JsonValue } from '@bufbuild/protobuf'
import { governedFields } from '../domain/profile/field-ownership.js'
import { entityTagOf } from '../domain/value/entity-tag.js'
import type { ScimUserRow } from '../store/scim/user.js'
import { attributePathOf, enterpriseUserSchema, ownershipSchema, userSchema } from '../store/scim/user-attributes.js'
import { isJsonObject } from './json-object.js'
import { entriesOf, entryType, textIn, userNameOf, withoutEmpty } from './user-document.js'

/** The resource of a member as directories see one, with its version, which is also its `ETag`. */
export function scimUser(user: ScimUserRow, baseUrl: string): JsonObject {
  const { groups, managerName } = user
  const own = ownAttributes(user)
  const employed = own[enterpriseUserSchema.id]
  const manager = isJsonObject(employed) ? employed['manager'] : undefined
  return {
    ...own,
    ...(isJsonObject(employed) && {
      [enterpriseUserSchema.id]: {
        ...employed,
        ...(isJsonObject(manager) && {
          manager: {
            ...manager,
            $ref: `${baseUrl}/Users/${encodeURIComponent(textIn(manager, 'value') ?? '')}`,
            ...(managerName !== null && { displayName: managerName }),
          },
        }),
      },
    }),
    ...(groups.length > 0 && {
      groups: groups.map(({ value, display }) => {
        return { value, $ref: `${baseUrl}/Groups/${encodeURIComponent(value)}`, display, type: 'direct' }
      }),
    }),
    meta: {
      resourceType: 'User',
      created: user.createdAt.toISOString(),
      lastModified: user.updatedAt.toISOString(),
      location: locationOfUser(user, baseUrl),
      version: versionOfAttributes(own),
    },
  }
}

/** The address of the resource of a member. */
export function locationOfUser({ userId }: ScimUserRow, baseUrl: string): string {
  return `${baseUrl}/Users/${encodeURIComponent(userId)}`
}

/** The version of a member, which changes with the attributes of the member, and not with those of groups or managers. */
export function versionOfUser(user: ScimUserRow): string {
  return versionOfAttributes(ownAttributes(user))
}

function versionOfAttributes(attributes: JsonObject): string {
  // The database keeps the members of objects in an order of its own.
  const sorted = (_: string, value: JsonValue) =>
    isJsonObject(value)
      ? Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)))
      : value
  return entityTagOf(JSON.stringify(attributes, sorted))
}

/** The attributes that belong to the member alone. */
function ownAttributes(user: ScimUserRow): JsonObject {
  const { profile, directoryExternalId, directoryAttributes } = user
  const document = isJsonObject(directoryAttributes as JsonValue) ? (directoryAttributes as JsonObject) : {}
  const firstName = profile.FIRST_NAME.value
  const lastName = profile.LAST_NAME.value
  const fullName = `${firstName} ${lastName}`.trim()
  const manager = profile.MANAGER.value
  const employed = {
    ...texts({ department: profile.DEPARTMENT.value }),
    ...(manager !== '' && { manager: { value: manager } }),
  }
  const extensions = Object.keys(employed).length === 0 ? [] : [enterpriseUserSchema.id]
  return withoutEmpty({
    schemas: [userSchema.id, ...extensions, ownershipSchema.id],
    id: user.userId,
    ...texts({ externalId: directoryExternalId ?? '' }),
    userName: userNameOf(user),
    name: texts({
      formatted: textIn(document, 'name', 'formatted') ?? fullName,
      familyName: lastName,
      givenName: firstName,
    }),
    ...texts({
      displayName: textIn(document, 'displayName') ?? fullName,
      title: profile.JOB_TITLE.value,
      locale: profile.LOCALE.value,
      timezone: profile.TIMEZONE.value,
    }),
    active: user.deactivatedAt === null,
    emails: emailsOf(document, user.email),
    phoneNumbers: entriesOr(document, 'phoneNumbers', 'work', profile.PRIMARY_PHONE.value),
    photos: entriesOr(document, 'photos', 'photo', profile.AVATAR_URL.value),
    [enterpriseUserSchema.id]: employed,
    [ownershipSchema.id]: {
      fieldOwnership: governedFields.map((field) => ({
        field: `USER_PROFILE_FIELD_${field}`,
        attribute: attributePathOf(field),
        owner: `FIELD_OWNER_${profile[field].owner}`,
        since: profile[field].since.toISOString(),
      })),
      directoryManaged: user.directoryManaged,
      role: `USER_ROLE_${user.role}`,
    },
  })
}

/** The texts that are not empty. */
function texts(values: Readonly<Record<string, string>>): JsonObject {
  return Object.fromEntries(Object.entries(values).filter(([, text]) => text !== ''))
}

/** The address of the user stands for that of work, whatever its spelling in the document. */
function emailsOf(document: JsonObject, email: string): JsonValue[] {
  const entries = entriesOr(document, 'emails', 'work', email)
  return entries.map((entry) =>
    isJsonObject(entry) && entryType(entry) === 'work' ? { ...entry, value: email } : entry,
  )
}

/** The entries of the document; without any, one with the value that the user has. */
function entriesOr(document: JsonObject, name: string, type: string, value: string): JsonValue[] {
  const entries = entriesOf(document, name)
  if (entries.length > 0) return [...entries]
  return value === '' ? [] : [{ value, type, primary: true }]
}
