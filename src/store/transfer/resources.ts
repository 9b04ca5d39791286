import { schema } from '../../../gen/prisma/schema.js'
import {
  AccessPolicyRecordSchema,
  AppInstanceRecordSchema,
  EntityFieldMappingRecordSchema,
  EntityTypeRecordSchema,
  GroupRecordSchema,
  OrganizationRecordSchema,
  TeamRecordSchema,
} from '../../../gen/svc/v2/import_record_pb.js'
import { declareResource } from '../resource/resource.js'

// Resources that have records but are not in the API, or have fewer fields there.

/** Organizations. */
export const organizationResource = declareResource(OrganizationRecordSchema, schema.Organization, 'o')

/** Teams. */
export const teamResource = declareResource(TeamRecordSchema, schema.Team, 't')

/** Groups of people. */
export const groupResource = declareResource(GroupRecordSchema, schema.Group, 'g', {
  userIds: { kind: 'values', table: schema.GroupMember, column: 'user_id', parent: 'group_id', order: ['position'] },
})

/** Access policies. */
export const accessPolicyResource = declareResource(AccessPolicyRecordSchema, schema.AccessPolicy, 'p')

/** App instances and their shares. */
export const appInstanceRecord = declareResource(AppInstanceRecordSchema, schema.AppInstance, 'i', {
  sharedWithTeamIds: {
    kind: 'values',
    table: schema.AppInstanceShare,
    column: 'team_id',
    parent: 'app_instance_id',
    order: ['team_id COLLATE "C"'],
  },
})

/** Entity types. */
export const entityTypeResource = declareResource(EntityTypeRecordSchema, schema.EntityType, 'e')

/** Field mappings with their owners. */
export const entityFieldMappingRecord = declareResource(EntityFieldMappingRecordSchema, schema.EntityFieldMapping, 'm')
