import { invalidField } from '../../errors.js'
import type { AgentCard } from '../app-instance.js'
import { nameLimits, optionalNameLimits } from '../text-field.js'
import { agentCardOf } from './agent-card.js'
import { idOf, optionalIdOf, requireDistinct, textOf, textsOf } from './field-values.js'
import { lockStatement, organizationCheck, referenceCheck, sameColumns, upsertStatement } from './statements.js'
import type { StagedRow, TransferResource } from './transfer-resource.js'

/** A line of the kind `appInstance`. */
export interface AppInstanceRecord {
  readonly id: string
  readonly customServiceId: string
  readonly teamId: string
  readonly externalServiceInstanceId: string
  readonly name: string
  readonly accessRequestsEnabled: boolean
  readonly defaultAccessPolicyId: string
  readonly customServiceName: string
  readonly tagIds: readonly string[]
  readonly integrationIds: readonly string[]
  readonly a2aAgentCard?: AgentCard
  readonly routeDirectFromWorker: boolean
  readonly sharedWithTeamIds: readonly string[]
}

const place = { table: 'app_instances', staged: 'staged_app_instance', key: { id: 's.id' } }
const shares = 'CROSS JOIN LATERAL unnest(s.shared_with_team_ids) WITH ORDINALITY AS share(team_id, place)'

function rowOf(record: AppInstanceRecord): StagedRow {
  for (const [index, teamId] of record.sharedWithTeamIds.entries()) {
    const field = `sharedWithTeamIds[${index}]`
    if (idOf(field, teamId) === record.teamId) throw invalidField(field, 'is the team that owns the app instance')
  }
  requireDistinct(record.sharedWithTeamIds, (index) => `sharedWithTeamIds[${index}]`)
  const card = record.a2aAgentCard
  return {
    key: idOf('id', record.id),
    values: {
      id: record.id,
      team_id: idOf('teamId', record.teamId),
      custom_service_id: textOf('customServiceId', record.customServiceId, optionalNameLimits),
      external_service_instance_id: textOf(
        'externalServiceInstanceId',
        record.externalServiceInstanceId,
        optionalNameLimits,
      ),
      name: textOf('name', record.name, nameLimits),
      access_requests_enabled: record.accessRequestsEnabled,
      default_access_policy_id: optionalIdOf('defaultAccessPolicyId', record.defaultAccessPolicyId),
      custom_service_name: textOf('customServiceName', record.customServiceName, optionalNameLimits),
      tag_ids: textsOf('tagIds', record.tagIds, nameLimits),
      integration_ids: textsOf('integrationIds', record.integrationIds, nameLimits),
      a2a_agent_card: card === undefined ? null : agentCardOf('a2aAgentCard', card),
      route_direct_from_worker: record.routeDirectFromWorker,
      shared_with_team_ids: record.sharedWithTeamIds,
    },
  }
}

/** App instances and their shares in files. */
export const appInstanceTransfer: TransferResource<AppInstanceRecord> = {
  staged: place.staged,
  rowOf,
  columns: {
    id: 'text',
    team_id: 'text',
    custom_service_id: 'text',
    external_service_instance_id: 'text',
    name: 'text',
    access_requests_enabled: 'boolean',
    default_access_policy_id: 'text',
    custom_service_name: 'text',
    tag_ids: 'text[]',
    integration_ids: 'text[]',
    a2a_agent_card: 'jsonb',
    route_direct_from_worker: 'boolean',
    shared_with_team_ids: 'text[]',
  },
  owner: { table: 'teams', column: 'team_id', field: 'teamId', gives: { organization_id: 'owner.organization_id' } },
  checks: [
    organizationCheck(place.table, place.staged),
    referenceCheck({
      staged: place.staged,
      column: 's.default_access_policy_id',
      field: `'defaultAccessPolicyId'`,
      noun: 'access policy',
      table: 'access_policies',
    }),
    referenceCheck({
      staged: place.staged,
      column: 'share.team_id',
      field: `format('sharedWithTeamIds[%s]', share.place - 1)`,
      noun: 'team',
      table: 'teams',
      from: shares,
    }),
  ],
  lock: lockStatement(place),
  upsert: upsertStatement({
    ...place,
    values: {
      ...sameColumns('organization_id', 'team_id', 'custom_service_id', 'external_service_instance_id', 'name'),
      ...sameColumns('access_requests_enabled', 'default_access_policy_id', 'custom_service_name', 'tag_ids'),
      ...sameColumns('integration_ids', 'a2a_agent_card', 'route_direct_from_worker'),
    },
  }),
  children: [
    `DELETE FROM app_instance_shares h USING ${place.staged} s WHERE h.app_instance_id = s.id`,
    `INSERT INTO app_instance_shares (organization_id, app_instance_id, app_instance_ordinal, team_id)
     SELECT s.organization_id, s.id, i.ordinal, share.team_id
     FROM ${place.staged} s JOIN app_instances i ON i.id = s.id ${shares}`,
  ],
  finalChecks: [],
  select: `
SELECT json_build_object('id', i.id, 'customServiceId', i.custom_service_id, 'teamId', i.team_id,
  'externalServiceInstanceId', i.external_service_instance_id, 'name', i.name,
  'accessRequestsEnabled', i.access_requests_enabled,
  'defaultAccessPolicyId', coalesce(i.default_access_policy_id, ''), 'customServiceName', i.custom_service_name,
  'tagIds', i.tag_ids, 'integrationIds', i.integration_ids, 'a2aAgentCard', i.a2a_agent_card,
  'routeDirectFromWorker', i.route_direct_from_worker, 'sharedWithTeamIds', (
    SELECT coalesce(json_agg(h.team_id ORDER BY h.team_id COLLATE "C"), '[]')
    FROM app_instance_shares h WHERE h.app_instance_id = i.id
  )) AS record
FROM app_instances i ORDER BY i.ordinal`,
}
