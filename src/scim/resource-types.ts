import { groupValues, type ScimGroupRow } from '../store/scim/group.js'
import { memberValues } from '../store/scim/member-search.js'
import type { ScimUserRow } from '../store/scim/user.js'
import { commonAttributes } from './common-attributes.js'
import { groupSchema } from './group-attributes.js'
import { ownershipSchema } from './ownership-attributes.js'
import type { ResourceType } from './schema.js'
import { enterpriseUserSchema, userSchema } from './user-attributes.js'

/** Users: the members of the organization. */
export const userType: ResourceType<ScimUserRow> = {
  name: 'User',
  endpoint: '/Users',
  description: 'Members of the organization.',
  schema: userSchema,
  extensions: [enterpriseUserSchema, ownershipSchema],
  common: commonAttributes<ScimUserRow>('User', memberValues, {
    idOf: ({ userId }) => userId,
    externalIdOf: ({ directoryExternalId }) => directoryExternalId,
  }),
}

/** Groups of members. */
export const groupType: ResourceType<ScimGroupRow> = {
  name: 'Group',
  endpoint: '/Groups',
  description: 'Groups of members of the organization.',
  schema: groupSchema,
  extensions: [],
  common: commonAttributes<ScimGroupRow>('Group', groupValues, {
    idOf: ({ id }) => id,
    externalIdOf: ({ directoryExternalId }) => directoryExternalId,
  }),
}

/** The types of resources. */
export const resourceTypes: readonly [ResourceType<ScimUserRow>, ResourceType<ScimGroupRow>] = [userType, groupType]
