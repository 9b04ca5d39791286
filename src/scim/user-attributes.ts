import type { JsonObject, JsonValue } from '@bufbuild/protobuf'
import type { Member } from '../domain/user/member.js'
import {
  documentEmails,
  documentEntries,
  documentName,
  entryValues,
  fieldValue,
  memberGroups,
  memberGroupValues,
  memberValues,
} from '../store/directory/member-search.js'
import type { DirectoryUserRow } from '../store/directory/user.js'
import type { OwnedField } from '../store/owned-column.js'
import { fixed } from '../store/search.js'
import { entriesOf, isJsonObject, textIn } from './json.js'
import { locationOf, referenceParts, referencesTo, sizeOfName } from './resource-attributes.js'
import { type Attribute, attribute, type Schema, type Stated, shown } from './schema.js'

// The attributes of users, each declared once: its definition in the schema, how it is searched and printed, and, if a
// field of the profile stores it, how that takes its values.

type User = DirectoryUserRow

export function userNameOf({ directoryUserName, email }: Member): string {
  return directoryUserName ?? email
}

export function saidOf({ directoryAttributes }: Member): JsonObject | undefined {
  return isJsonObject(directoryAttributes as JsonValue) ? (directoryAttributes as JsonObject) : undefined
}

function ofField(field: OwnedField): Stated<User> {
  return { field, search: fieldValue(field), print: ({ profile }) => profile[field].value || undefined }
}

/** A name to be shown: as the directory says, or of the first and the last name. */
function shownName(path: readonly string[]): Stated<User> {
  const print = (user: User) => {
    const { FIRST_NAME: first, LAST_NAME: last } = user.profile
    return textIn(saidOf(user), ...path) || `${first.value} ${last.value}`.trim() || undefined
  }
  return { search: documentName(path), print }
}

/** The entries that the directory gives; without any, the value that the user has, under a type. */
function entriesOr(user: User, name: string, type: string, value: string): JsonObject[] | undefined {
  const given = entriesOf(saidOf(user), name)
  if (given.length > 0) return [...given]
  return value === '' ? undefined : [{ value, type, primary: true }]
}

function entryParts(what: string, canonicalValues: readonly string[], ofValue: Stated<User> = {}) {
  return [
    attribute<User>('value', `The ${what}.`, { search: entryValues.value, ...ofValue }),
    attribute<User>('display', 'A text to show instead of the value.', { search: entryValues.display }),
    attribute<User>('type', 'What it is used for.', { search: entryValues.type, canonicalValues }),
    attribute<User>('primary', 'Whether it is the preferred one; at most one is.', {
      search: entryValues.primary,
      type: 'boolean',
    }),
  ]
}

/** Entries of which a field of the profile stores one. Values that it cannot take are left out. */
function entriesOfField(name: string, field: OwnedField, fieldTypes: readonly [string, string]): Stated<User> {
  const [type] = fieldTypes
  return {
    type: 'complex',
    multiValued: true,
    field,
    fieldTypes,
    entries: documentEntries(name, type, field),
    print: (user) => entriesOr(user, name, type, user.profile[field].value),
  }
}

/** The schema of users (RFC 7643 section 4.1), as far as it is supported. */
export const userSchema: Schema<User> = {
  id: 'urn:ietf:params:scim:schemas:core:2.0:User',
  name: 'User',
  description: 'A member of the organization.',
  attributes: [
    attribute(
      'userName',
      'The name that identifies the user at the provider. Also the email address, if the provider sends none.',
      {
        search: memberValues.name,
        required: true,
        isStrict: true,
        uniqueness: 'server',
        ...sizeOfName,
        print: userNameOf,
      },
    ),
    attribute('name', 'The components of the name.', {
      type: 'complex',
      subAttributes: [
        attribute('formatted', 'The full name, for display.', shownName(['name', 'formatted'])),
        attribute('familyName', 'The last name.', ofField('LAST_NAME')),
        attribute('givenName', 'The first name.', ofField('FIRST_NAME')),
      ],
    }),
    attribute('displayName', 'The display name.', { ...shownName(['displayName']), ...sizeOfName }),
    attribute('title', 'The job title.', ofField('JOB_TITLE')),
    attribute('locale', 'A language tag (BCP 47), such as en-US.', {
      ...ofField('LOCALE'),
      // Language tags with an underscore are those of POSIX and Java.
      toField: (tag) => tag.replaceAll('_', '-'),
    }),
    attribute('timezone', 'A name of the IANA time zone database, such as Europe/Berlin.', {
      ...ofField('TIMEZONE'),
    }),
    attribute(
      'active',
      'False deactivates the user: their tokens are no longer accepted, and their email address remains reserved.',
      {
        search: memberValues.isActive,
        type: 'boolean',
        isStrict: true,
        print: ({ deactivatedAt }) => deactivatedAt === null,
      },
    ),
    attribute(
      'emails',
      'Email addresses. The primary one is the email address of the user, or else the first with type work, or else the first; without any, userName is.',
      {
        type: 'complex',
        multiValued: true,
        isStrict: true,
        subAttributes: entryParts('email address', ['work', 'home', 'other']),
        entries: documentEmails('emails', 'work'),
        print: (user) => entriesOr(user, 'emails', 'work', user.email),
      },
    ),
    attribute(
      'phoneNumbers',
      'Phone numbers. The primary one is the primary phone, or else the one with type work, mobile or none; no other user can have it.',
      {
        ...entriesOfField('phoneNumbers', 'PRIMARY_PHONE', ['work', 'mobile']),
        subAttributes: entryParts('phone number', ['work', 'mobile', 'home', 'fax', 'pager', 'other']),
        // In RFC 3966, `tel:` is not part of a number.
        toField: (number) => number.replace(/^tel:/i, ''),
      },
    ),
    attribute(
      'photos',
      'URLs of pictures. The primary one is the avatar, or else the one with type photo, thumbnail or none.',
      {
        ...entriesOfField('photos', 'AVATAR_URL', ['photo', 'thumbnail']),
        subAttributes: entryParts('https URL of a picture', ['photo', 'thumbnail'], {
          type: 'reference',
          referenceTypes: ['external'],
          caseExact: true,
        }),
      },
    ),
    shown('groups', 'The groups that the user belongs to. To change them, write the groups.', {
      entries: memberGroups,
      type: 'complex',
      multiValued: true,
      subAttributes: [
        ...referenceParts<User>('Group', memberGroupValues, 'readOnly'),
        shown('type', 'Always direct.', { search: fixed('direct'), canonicalValues: ['direct'] }),
      ],
      print: ({ groups }, baseUrl) =>
        groups.length === 0 ? undefined : referencesTo('Group', groups, baseUrl, 'direct'),
    }),
  ],
  unsupported: [
    'nickname',
    'profileurl',
    'usertype',
    'preferredlanguage',
    'addresses',
    'ims',
    'entitlements',
    'roles',
    'x509certificates',
    'name.middlename',
    'name.honorificprefix',
    'name.honorificsuffix',
  ],
}

const managerOf = ({ profile }: User) => profile.MANAGER.value || undefined

/** The attributes of employees (RFC 7643 section 4.3), as far as they are supported. */
export const enterpriseUserSchema: Schema<User> = {
  id: 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User',
  name: 'EnterpriseUser',
  description: 'Enterprise attributes of a user.',
  attributes: [
    attribute('department', 'The department.', ofField('DEPARTMENT')),
    attribute('manager', 'The manager, a user in the same organization.', {
      type: 'complex',
      field: 'MANAGER',
      isKnownAlone: true,
      subAttributes: [
        attribute('value', 'The id of the manager.', {
          search: memberValues.managerId,
          caseExact: true,
          print: managerOf,
        }),
        shown('$ref', 'The URL of the manager.', {
          type: 'reference',
          caseExact: true,
          referenceTypes: ['User'],
          print: (user, baseUrl) => {
            const id = managerOf(user)
            return id && locationOf('User', id, baseUrl)
          },
        }),
        shown('displayName', 'The name of the manager.', {
          search: memberValues.managerName,
          print: (user) => (managerOf(user) === undefined ? undefined : (user.managerName ?? undefined)),
        }),
      ],
    }),
  ],
  unsupported: ['employeenumber', 'costcenter', 'organization', 'division'],
}

export interface FieldAttribute {
  readonly field: OwnedField
  readonly attribute: Attribute<User>
  readonly path: string
  /** The path without the URN of an extension. */
  readonly label: string
  readonly place: readonly string[]
}

export const fieldAttributes: readonly FieldAttribute[] = [
  ...fieldsIn(userSchema.attributes, '', []),
  ...fieldsIn(enterpriseUserSchema.attributes, '', []).map(({ path, place, ...each }) => ({
    ...each,
    path: `${enterpriseUserSchema.id}:${path}`,
    place: [enterpriseUserSchema.id, ...place],
  })),
]

function fieldsIn(attributes: readonly Attribute<User>[], prefix: string, within: readonly string[]): FieldAttribute[] {
  return attributes.flatMap((attribute) => {
    const { name, field, subAttributes } = attribute
    const [path, place] = [prefix + name, [...within, name]]
    const own = field === undefined ? [] : [{ field, attribute, path, label: path, place }]
    return [...own, ...fieldsIn(subAttributes, `${path}.`, place)]
  })
}

export function pathOfField(field: OwnedField): string {
  const found = fieldAttributes.find((each) => each.field === field)
  if (found === undefined) throw new Error(`no attribute stands for ${field}`)
  return found.path
}
