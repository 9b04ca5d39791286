import { descriptionLimits, nameLimits, optionalNameLimits } from '../text-field.js'
import { idOf, scopedIdOf, textOf, textsOf } from './field-values.js'
import { newScopedId } from './scoped-id.js'
import { lockStatement, organizationCheck, sameColumns, takenCheck, upsertStatement } from './statements.js'
import type { TransferResource } from './transfer-resource.js'

/** A line of the kind `appResource`. */
export interface AppResourceRecord {
  readonly id: string
  readonly appInstanceId: string
  readonly resourceType: string
  readonly name: string
  readonly description: string
  readonly externalId: string
  readonly tagIds: readonly string[]
  readonly scopedId: string
}

const place = { table: 'app_resources', staged: 'staged_app_resource', key: { id: 's.id' } }

/** Resources of apps in files. They belong to the team of their app instance. */
export const appResourceTransfer: TransferResource<AppResourceRecord> = {
  staged: place.staged,
  rowOf: (record, { runtime }) => ({
    key: idOf('id', record.id),
    values: {
      id: record.id,
      app_instance_id: idOf('appInstanceId', record.appInstanceId),
      resource_type: textOf('resourceType', record.resourceType, nameLimits),
      name: textOf('name', record.name, nameLimits),
      description: textOf('description', record.description, descriptionLimits),
      external_id: textOf('externalId', record.externalId, optionalNameLimits) || null,
      tag_ids: textsOf('tagIds', record.tagIds, nameLimits),
      scoped_id: scopedIdOf('scopedId', record.scopedId),
      new_scoped_id: record.scopedId === '' ? newScopedId('ares', runtime) : null,
    },
  }),
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
    table: 'app_instances',
    column: 'app_instance_id',
    field: 'appInstanceId',
    gives: { organization_id: 'owner.organization_id', team_id: 'owner.team_id' },
  },
  checks: [organizationCheck(place.table, place.staged)],
  lock: lockStatement(place),
  upsert: upsertStatement({
    ...place,
    values: {
      ...sameColumns('organization_id', 'team_id', 'app_instance_id', 'resource_type', 'name', 'description'),
      ...sameColumns('external_id', 'tag_ids'),
      scoped_id: 'coalesce(s.scoped_id, t.scoped_id, s.new_scoped_id)',
    },
  }),
  children: [],
  finalChecks: [
    takenCheck({ ...place, columns: ['team_id', 'scoped_id'], field: 'scopedId', noun: 'app resource', name: 'id' }),
    takenCheck({
      ...place,
      columns: ['app_instance_id', 'resource_type', 'external_id'],
      field: 'externalId',
      noun: 'app resource',
      name: 'id',
    }),
  ],
  select: `
SELECT json_build_object('id', r.id, 'appInstanceId', r.app_instance_id, 'resourceType', r.resource_type,
  'name', r.name, 'description', r.description, 'externalId', coalesce(r.external_id, ''), 'tagIds', r.tag_ids,
  'scopedId', r.scoped_id) AS record
FROM app_resources r ORDER BY r.ordinal`,
}
