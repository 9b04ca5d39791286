import { type DirectoryGroupRow, groupValues } from '../store/directory/group.js'
import { memberValues } from '../store/directory/member-search.js'
import type { DirectoryUserRow } from '../store/directory/user.js'
import { commonAttributes } from './common-attributes.js'
import { groupSchema } from './group-attributes.js'
import { ownershipSchema } from './ownership-attributes.js'
import type { ResourceType } from './schema.js'
import { enterpriseUserSchema, userSchema } from './user-attributes.js'

/** Users: the members of the organization. */
export const userType: ResourceType<DirectoryUserRow> = {
  name: 'User',
  endpoint: '/Users',
  description: 'Members of the organization.',
  schema: userSchema,
  extensions: [enterpriseUserSchema, ownershipSchema],
  common: commonAttributes<DirectoryUserRow>('User', memberValues, {
    idOf: ({ userId }) => userId,
    externalIdOf: ({ directoryExternalId }) => directoryExternalId,
  }),
}

/** Groups of members. */
export const groupType: ResourceType<DirectoryGroupRow> = {
  name: 'Group',
  endpoint: '/Groups',
  description: 'Groups of members of the organization.',
  schema: groupSchema,
  extensions: [],
  common: commonAttributes<DirectoryGroupRow>('Group', groupValues, {
    idOf: ({ id }) => id,
    externalIdOf: ({ directoryExternalId }) => directoryExternalId,
  }),
}

/** The types of resources. */
export const resourceTypes: readonly [ResourceType<DirectoryUserRow>, ResourceType<DirectoryGroupRow>] = [
  userType,
  groupType,
]
