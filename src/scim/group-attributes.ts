import { type DirectoryGroupRow, groupMembers, groupMemberValues, groupValues } from '../store/directory/group.js'
import { fixed } from '../store/search.js'
import { indexed, referenceParts, referencesTo } from './common-attributes.js'
import { attribute, type Schema } from './schema.js'

type Group = DirectoryGroupRow

/** The schema of groups (RFC 7643 section 4.2). */
export const groupSchema: Schema<Group> = {
  id: 'urn:ietf:params:scim:schemas:core:2.0:Group',
  name: 'Group',
  description: 'A group of members of the organization.',
  attributes: [
    attribute('displayName', 'The name of the group.', {
      search: groupValues.name,
      required: true,
      ...indexed,
      print: ({ name }) => name,
    }),
    attribute('members', 'The users in the group.', {
      search: groupMembers,
      type: 'complex',
      multiValued: true,
      // As many as fit into a body.
      maxEntries: Number.POSITIVE_INFINITY,
      subAttributes: [
        ...referenceParts('User', 'user', groupMemberValues, 'immutable'),
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
