import { Prisma } from '../../../gen/prisma/client.js'
import { organizationCheck, takenCheck } from './checks.js'
import { idKey, sameColumns, type TransferTable } from './transfer-table.js'

const place = { table: Prisma.sql`app_resources`, staged: Prisma.sql`staged_app_resource`, key: idKey }

/** Resources of apps. They belong to the team of their app instance. */
export const appResourceTable: TransferTable = {
  ...place,
  columns: {
    id: 'text',
    app_instance_id: 'text',
    resource_type: 'text',
    name: 'text',
    description: 'text',
    external_id: 'text',
    tag_ids: 'text[]',
    scoped_id: 'text',
    new_scoped_id: 'text',
  },
  owner: {
    ...{ table: 'app_instances', column: 'app_instance_id', field: 'appInstanceId', noun: 'app instance' },
    gives: { organization_id: Prisma.sql`owner.organization_id`, team_id: Prisma.sql`owner.team_id` },
  },
  values: {
    ...sameColumns('organization_id', 'team_id', 'app_instance_id', 'resource_type', 'name', 'description'),
    ...sameColumns('external_id', 'tag_ids'),
    scoped_id: Prisma.sql`coalesce(s.scoped_id, t.scoped_id, s.new_scoped_id)`,
  },
  checks: { organization: organizationCheck(place) },
  children: [],
  finalChecks: {
    scoped_id: takenCheck({
      ...place,
      columns: ['team_id', 'scoped_id'],
      field: 'scopedId',
      noun: 'app resource',
      name: 'id',
    }),
    external_id: takenCheck({
      ...place,
      columns: ['app_instance_id', 'resource_type', 'external_id'],
      field: 'externalId',
      noun: 'app resource',
      name: 'id',
    }),
  },
  select: Prisma.sql`
SELECT json_build_object('id', r.id, 'appInstanceId', r.app_instance_id, 'resourceType', r.resource_type,
  'name', r.name, 'description', r.description, 'externalId', coalesce(r.external_id, ''), 'tagIds', r.tag_ids,
  'scopedId', r.scoped_id) AS record
FROM app_resources r ORDER BY r.ordinal`,
}
