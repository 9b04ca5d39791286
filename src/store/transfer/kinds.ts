import type { Message } from '@bufbuild/protobuf'
import { Prisma } from '../../../gen/prisma/client.js'
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
import { appResourceResource } from '../app-resource.js'
import { entityIngestionConfigResource } from '../entity-ingestion-config.js'
import { isOpenTask, journeyResource } from '../journey.js'
import { priorityResource } from '../priority.js'
import { declareResource, type Table } from '../resource/resource.js'
import { type Row, rowOf } from '../resource/row.js'
import { slaDefinitionResource } from '../sla-definition.js'
import { approvalProcedureKind } from './approval-procedure.js'
import {
  eachRow,
  type KindDefinition,
  listed,
  perKind,
  type RecordKind,
  rowColumns,
  type StagedKind,
  stagedKind,
} from './kind.js'
import { userKind } from './user.js'

/** Handles that the server generates if neither the record nor the existing row has one. */
const withScopedId = {
  extras: { new_scoped_id: 'text' },
  values: { scoped_id: Prisma.sql`coalesce(nullif(s.scoped_id, ''), t.scoped_id, s.new_scoped_id)` },
}

const resourceColumns = Object.keys(rowColumns(appResourceResource)).filter((column) => column !== 'team_id')

const resourcesOfMovedApps = Prisma.sql`
INSERT INTO staged_app_resource (first_line, line, organization_id, team_id, owner_id, ${listed(resourceColumns)})
SELECT a.first_line, a.line, r.organization_id, a.team_id, a.id, ${listed(resourceColumns.map((column) => `r.${column}`))}
FROM staged_app_instance a
JOIN app_resources r ON r.organization_id = a.organization_id AND r.app_instance_id = a.id AND r.team_id <> a.team_id
LEFT JOIN staged_app_resource s ON s.organization_id = r.organization_id AND s.id = r.id
WHERE s.line IS NULL`

/** What lists find journeys by follows from their tasks and checks. */
const findableJourneys = Prisma.sql`
UPDATE journeys j SET overdue_from = found.overdue_from, is_failing = found.is_failing
  FROM (
    SELECT x.organization_id, x.id,
           coalesce((SELECT min(t.due_date) + 1 FROM journey_tasks t
                      WHERE t.organization_id = x.organization_id AND t.journey_id = x.id AND ${isOpenTask}),
                    'infinity') AS overdue_from,
           EXISTS (SELECT FROM journey_health_checks c
                    WHERE c.organization_id = x.organization_id AND c.journey_id = x.id AND c.status = 'FAILING') AS is_failing
      FROM journeys x WHERE (x.organization_id, x.id) IN (SELECT s.organization_id, s.id FROM staged_journey s)
  ) found
 WHERE j.organization_id = found.organization_id AND j.id = found.id
   AND (j.overdue_from, j.is_failing) <> (found.overdue_from, found.is_failing)`

const definitions: Readonly<Record<RecordKind, KindDefinition>> = {
  organization: { resource: declareResource(OrganizationRecordSchema, schema.Organization, 'o') },
  team: { resource: declareResource(TeamRecordSchema, schema.Team, 't'), owner: 'organizationId' },
  user: userKind,
  group: {
    resource: declareResource(GroupRecordSchema, schema.Group, 'g', {
      userIds: {
        kind: 'values',
        table: schema.GroupMember,
        column: 'user_id',
        parent: 'group_id',
        order: ['position'],
      },
    }),
    owner: 'organizationId',
    showsLists: true,
    values: { updated_at: Prisma.sql`now()` },
  },
  accessPolicy: { resource: declareResource(AccessPolicyRecordSchema, schema.AccessPolicy, 'p'), owner: 'teamId' },
  approvalProcedure: approvalProcedureKind,
  appInstance: {
    resource: declareResource(AppInstanceRecordSchema, schema.AppInstance, 'i', {
      sharedWithTeamIds: {
        kind: 'values',
        table: schema.AppInstanceShare,
        column: 'team_id',
        parent: 'app_instance_id',
        order: ['team_id COLLATE "C"'],
      },
    }),
    owner: 'teamId',
    listColumns: {
      sharedWithTeamIds: {
        values: { app_instance_ordinal: Prisma.sql`i.ordinal` },
        join: Prisma.sql`JOIN app_instances i ON i.organization_id = s.organization_id AND i.id = s.id`,
      },
    },
  },
  // They belong to the team of their app instance, and move to another team with it.
  appResource: {
    followers: { of: 'appInstance', text: resourcesOfMovedApps },
    resource: appResourceResource,
    owner: 'appInstanceId',
    unique: { scopedId: ['team_id', 'scoped_id'], externalId: ['app_instance_id', 'resource_type', 'external_id'] },
    ...withScopedId,
  },
  priority: {
    resource: priorityResource,
    owner: 'teamId',
    unique: { scopedId: ['team_id', 'scoped_id'] },
    ...withScopedId,
  },
  journey: {
    resource: journeyResource,
    owner: 'teamId',
    references: [
      {
        to: 'memberships',
        id: Prisma.sql`task.assigned_to_user_id`,
        field: Prisma.sql`format('tasks[%s].assignedToUserId', task.place - 1)`,
        join: eachRow('tasks', 'task', { assigned_to_user_id: 'text' }),
      },
    ],
    after: [findableJourneys],
  },
  entityType: { resource: declareResource(EntityTypeRecordSchema, schema.EntityType, 'e'), owner: 'teamId' },
  entityIngestionConfig: { resource: entityIngestionConfigResource, owner: 'teamId' },
  entityFieldMapping: {
    resource: declareResource(EntityFieldMappingRecordSchema, schema.EntityFieldMapping, 'm'),
    owner: 'entityTypeId',
  },
  slaDefinition: { resource: slaDefinitionResource, owner: 'teamId', showsLists: true },
}

/** How each kind of record is imported and exported. */
export const kinds: Readonly<Record<RecordKind, StagedKind>> = perKind((kind) => stagedKind(kind, definitions[kind]))

/** Every table that an import fills. */
export const writtenTables: readonly Table[] = [
  schema.ApprovalStep,
  schema.ApprovalStepApprover,
  ...Object.values(kinds).flatMap(({ resource, lists }) => [resource.table, ...lists.map(({ table }) => table)]),
]

/** The columns of the staging table of the kind that fields give, named by their local names. */
export function columnsGiven(kind: RecordKind, fields: readonly string[]): string[] {
  return fields.flatMap((field) => Object.keys(kinds[kind].fields.get(field) ?? {}))
}

/** Whether records of the kind name an owner in an organization, but not the organization. */
export function namesOnlyOwner(kind: RecordKind): boolean {
  return kinds[kind].owner?.isInOrganization === true
}

/**
 * Writes a record as a row of its table, with additional values that are in no field of it, and the key that identifies
 * it within its kind and its owner. Throws a ServiceError if two items of one of its lists have the same key.
 */
export function recordRow(kind: RecordKind, record: Message, more: Row | undefined) {
  const { lineKey, resource } = kinds[kind]
  const values: Row = { ...rowOf(resource.fields, record), ...more }
  return { key: lineKey.map((property) => values[property]).join('/'), values }
}
