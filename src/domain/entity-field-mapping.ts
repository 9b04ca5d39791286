import type { Sql } from '../db/sql.js'
import { invalidField, notFound } from '../errors.js'
import { type Caller, requirePermissionIn, visibleTeamIds } from './caller.js'
import type { OptionalRow } from './team-scope.js'
import { timestampColumn } from './timestamp-column.js'
import { createWholeList } from './whole-list.js'

/** One rule that fills a field of an entity from an outside field (spec, EntityFieldMapping). */
export interface EntityFieldMapping {
  readonly id: string
  readonly ingestionConfigId: string
  readonly internalFieldId: string
  readonly externalFieldPath: string
  readonly priority: number
  readonly createdAt: string
  readonly updatedAt: string
}

/** What to list; empty texts are absent. */
export interface EntityFieldMappingListRequest {
  readonly entityTypeId: string
  readonly ingestionConfigId: string
}

/** A config that is hidden from the caller filters all out. */
const ofConfig = `
AND m.ingestion_config_id = $4
AND EXISTS (
  SELECT FROM entity_ingestion_configs c
   WHERE c.organization_id = $1 AND c.id = $4 AND ($3::text[] IS NULL OR c.team_id = ANY ($3)))`

const listStatement = (filter: string) => (limit: string) =>
  `
SELECT e.team_id AS "teamId", m.id, m.ingestion_config_id AS "ingestionConfigId",
       m.internal_field_id AS "internalFieldId", m.external_field_path AS "externalFieldPath", m.priority,
       ${timestampColumn('m.created_at')} AS "createdAt", ${timestampColumn('m.updated_at')} AS "updatedAt"
  FROM entity_types e
  LEFT JOIN LATERAL (
    SELECT * FROM entity_field_mappings m WHERE m.entity_type_id = e.id ${filter} ORDER BY m.priority DESC, m.id ${limit}
  ) m ON true
 WHERE e.organization_id = $1 AND e.id = $2 AND ($3::text[] IS NULL OR e.team_id = ANY ($3))
 ORDER BY m.priority DESC, m.id`

type Row = { readonly teamId: string } & OptionalRow<EntityFieldMapping>

const rowsOfType = createWholeList<Row>('list_mappings', listStatement(''))
const rowsOfConfig = createWholeList<Row>('list_mappings_of_config', listStatement(ofConfig))

/**
 * The field mappings of an entity type, the highest priority first, then by id, of one config's source where the
 * request names it (spec, endpoint 8). Throws `FIELD_REQUIRED` without a type, `RESOURCE_NOT_FOUND` for the type, and
 * `PERMISSION_MISSING` without `entities:read` in its team.
 */
export async function listEntityFieldMappings(
  sql: Sql,
  caller: Caller,
  { entityTypeId, ingestionConfigId }: EntityFieldMappingListRequest,
): Promise<EntityFieldMapping[]> {
  if (entityTypeId === '') throw invalidField('entityTypeId', 'is required', 'FIELD_REQUIRED')
  const values = [caller.organizationId, entityTypeId, visibleTeamIds(caller)]
  const rows = await (ingestionConfigId === ''
    ? rowsOfType(sql, values)
    : rowsOfConfig(sql, [...values, ingestionConfigId]))
  const [first] = rows
  if (first === undefined) throw notFound('entity type', entityTypeId)
  requirePermissionIn(caller, first.teamId, 'entities:read')
  return rows.filter((row): row is Row & EntityFieldMapping => row.id !== null)
}
