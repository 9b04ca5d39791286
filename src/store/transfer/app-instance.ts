import { Prisma } from '../../../gen/prisma/client.js'
import { organizationCheck, referenceCheck } from './checks.js'
import { idKey, ownedByTeam, sameColumns, type TransferTable } from './transfer-table.js'

const place = { table: Prisma.sql`app_instances`, staged: Prisma.sql`staged_app_instance`, key: idKey }
const shares = Prisma.sql`CROSS JOIN LATERAL unnest(s.shared_with_team_ids) WITH ORDINALITY AS share(team_id, place)`

/** App instances and their shares. */
export const appInstanceTable: TransferTable = {
  ...place,
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
  owner: ownedByTeam,
  values: {
    ...sameColumns('organization_id', 'team_id', 'custom_service_id', 'external_service_instance_id', 'name'),
    ...sameColumns('access_requests_enabled', 'default_access_policy_id', 'custom_service_name', 'tag_ids'),
    ...sameColumns('integration_ids', 'a2a_agent_card', 'route_direct_from_worker'),
  },
  checks: {
    organization: organizationCheck(place),
    default_access_policy_id: referenceCheck({
      staged: place.staged,
      column: Prisma.sql`s.default_access_policy_id`,
      field: Prisma.sql`'defaultAccessPolicyId'`,
      noun: 'access policy',
      table: 'access_policies',
    }),
    team_id: referenceCheck({
      staged: place.staged,
      column: Prisma.sql`share.team_id`,
      field: Prisma.sql`format('sharedWithTeamIds[%s]', share.place - 1)`,
      noun: 'team',
      table: 'teams',
      from: shares,
    }),
  },
  children: [
    Prisma.sql`DELETE FROM app_instance_shares h USING ${place.staged} s WHERE h.organization_id = s.organization_id AND h.app_instance_id = s.id`,
    Prisma.sql`INSERT INTO app_instance_shares (organization_id, app_instance_id, app_instance_ordinal, team_id)
     SELECT s.organization_id, s.id, i.ordinal, share.team_id
     FROM ${place.staged} s JOIN app_instances i ON i.organization_id = s.organization_id AND i.id = s.id ${shares}`,
  ],
  finalChecks: {},
  select: Prisma.sql`
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
