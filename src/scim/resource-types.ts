import { governedFields } from '../domain/profile/field-ownership.js'
import { type DirectoryGroupRow, groupMembers, groupMemberValues, groupValues } from '../store/directory/group.js'
import { fieldOwnerships, memberValues, ownershipValues } from '../store/directory/member-search.js'
import type { DirectoryUserRow } from '../store/directory/user.js'
import { fixed } from '../store/search.js'
import { referenceParts, referencesTo, resourceType, sizeOfName } from './resource-attributes.js'
import { attribute, type ResourceType, type Schema, shown } from './schema.js'
import { enterpriseUserSchema, pathOfField, userSchema } from './user-attributes.js'

/** Who owns the fields of a user: an extension of this service. */
const ownershipSchema: Schema<DirectoryUserRow> = {
  id: 'urn:svc:params:scim:schemas:extension:ownership:2.0:User',
  name: 'FieldOwnership',
  description: 'Who owns each field of the user, which decides whose writes are applied.',
  attributes: [
    shown('fieldOwnership', 'The owner of each governed field.', {
      entries: fieldOwnerships(pathOfField),
      type: 'complex',
      multiValued: true,
      subAttributes: [
        shown('field', 'The name of the field in the API.', {
          search: ownershipValues.field,
          caseExact: true,
          canonicalValues: governedFields.map((field) => `USER_PROFILE_FIELD_${field}`),
        }),
        shown('attribute', 'The path of the attribute for the field.', { search: ownershipValues.label }),
        shown('owner', 'The class of writer that owns the value.', {
          search: ownershipValues.owner,
          caseExact: true,
          canonicalValues: ['FIELD_OWNER_AUTOMATION', 'FIELD_OWNER_PINNED', 'FIELD_OWNER_DIRECTORY'],
        }),
        shown('since', 'When this owner took over.', { search: ownershipValues.since, type: 'dateTime' }),
      ],
      print: ({ profile }) =>
        governedFields.map((field) => ({
          field: `USER_PROFILE_FIELD_${field}`,
          attribute: pathOfField(field),
          owner: `FIELD_OWNER_${profile[field].owner}`,
          since: profile[field].since.toISOString(),
        })),
    }),
    shown('directoryManaged', 'Whether an identity provider manages the user.', {
      search: memberValues.isDirectoryManaged,
      type: 'boolean',
      print: ({ directoryManaged }) => directoryManaged,
    }),
    shown('role', 'The role in the organization.', {
      search: memberValues.role,
      caseExact: true,
      canonicalValues: ['USER_ROLE_ORG_ADMIN', 'USER_ROLE_ORG_MEMBER', 'USER_ROLE_ORG_GUEST'],
      print: ({ role }) => `USER_ROLE_${role}`,
    }),
  ],
  unsupported: [],
}

const groupSchema: Schema<DirectoryGroupRow> = {
  id: 'urn:ietf:params:scim:schemas:core:2.0:Group',
  name: 'Group',
  description: 'A group of members of the organization.',
  attributes: [
    attribute('displayName', 'The name of the group.', {
      search: groupValues.name,
      required: true,
      isStrict: true,
      ...sizeOfName,
      print: ({ name }) => name,
    }),
    attribute('members', 'The users in the group.', {
      entries: groupMembers,
      type: 'complex',
      multiValued: true,
      isStrict: true,
      // As many as fit into a body.
      maxEntries: Number.POSITIVE_INFINITY,
      subAttributes: [
        ...referenceParts<DirectoryGroupRow>('User', groupMemberValues, 'immutable'),
        attribute('type', 'Always User.', {
          search: fixed('User'),
          mutability: 'immutable',
          canonicalValues: ['User'],
        }),
      ],
      print: ({ members }, baseUrl) => (members === null ? undefined : referencesTo('User', members, baseUrl, 'User')),
    }),
  ],
  unsupported: [],
}

export const userType = resourceType(
  'User',
  'Members of the organization.',
  [userSchema, enterpriseUserSchema, ownershipSchema],
  memberValues,
  ({ userId }) => userId,
)

export const groupType = resourceType(
  'Group',
  'Groups of members of the organization.',
  [groupSchema],
  groupValues,
  ({ id }) => id,
)

export const resourceTypes: readonly ResourceType[] = [userType, groupType]
