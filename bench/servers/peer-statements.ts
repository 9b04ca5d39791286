import type { QueryConfig } from 'pg'
import { journeyStatement } from './peer-journey.js'

function named(name: string, text: string): (values: unknown[]) => QueryConfig {
  return (values) => ({ name, text, values })
}

const instanceColumns = `
i.ordinal, i.id, i.custom_service_id AS "customServiceId", i.team_id AS "teamId",
i.external_service_instance_id AS "externalServiceInstanceId", i.name,
i.access_requests_enabled AS "accessRequestsEnabled", coalesce(i.default_access_policy_id, '') AS "defaultAccessPolicyId",
i.custom_service_name AS "customServiceName", i.tag_ids AS "tagIds", i.integration_ids AS "integrationIds",
i.a2a_agent_card AS "a2aAgentCard", i.route_direct_from_worker AS "routeDirectFromWorker"`

/** The statements of the hand-written peer, prepared once per connection. */
export const statements = {
  keyOfToken: named(
    'key_of_token',
    `SELECT k.id, k.name, k.organization_id AS "organizationId"
       FROM api_key_sessions s JOIN api_keys k ON k.organization_id = s.organization_id AND k.id = s.api_key_id
      WHERE s.token_hash = $1 AND s.expires_at > now() AND k.revoked_at IS NULL`,
  ),
  userOfToken: named(
    'user_of_token',
    `SELECT m.user_id AS id, btrim(m.first_name || ' ' || m.last_name) AS name, m.organization_id AS "organizationId"
       FROM user_tokens t JOIN memberships m ON m.organization_id = t.organization_id AND m.user_id = t.user_id
      WHERE t.token_hash = $1 AND t.expires_at > now() AND m.deactivated_at IS NULL`,
  ),
  journey: named('journey', journeyStatement),
  updatePriority: named(
    'update_priority',
    `WITH updated AS (
       UPDATE priorities
          SET name = coalesce($3, name), description = coalesce($4, description),
              is_ai_selectable = coalesce($5, is_ai_selectable)
        WHERE id = $1 AND organization_id = $2
       RETURNING *
     ), audited AS (
       INSERT INTO audit_events (id, organization_id, actor_kind, actor_id, actor_name, action, target_type, target_id,
                                 team_id, request_id)
       SELECT $6::uuid, organization_id, 'USER', $7, $8, 'priority.update', 'priority', id, team_id, $9 FROM updated
     )
     SELECT id, team_id AS "teamId", priority, description, scoped_id AS "scopedId", name,
            is_ai_selectable AS "isAiSelectable"
       FROM updated`,
  ),
  appInstances: named(
    'app_instances',
    `SELECT * FROM (
       SELECT ${instanceColumns} FROM app_instances i WHERE i.organization_id = $1 AND i.team_id = $2
       UNION ALL
       SELECT ${instanceColumns}
         FROM app_instance_shares s JOIN app_instances i ON i.organization_id = $1 AND i.id = s.app_instance_id AND i.team_id <> s.team_id
        WHERE s.organization_id = $1 AND s.team_id = $2
     ) page ORDER BY ordinal LIMIT $3`,
  ),
  lockResources: named(
    'lock_resources',
    `SELECT id FROM app_resources WHERE organization_id = $1 AND id = ANY ($2) ORDER BY id FOR UPDATE`,
  ),
  updateResources: named(
    'update_resources',
    `WITH updated AS (
       UPDATE app_resources r
          SET resource_type = coalesce(u.resource_type, r.resource_type), name = coalesce(u.name, r.name),
              description = coalesce(u.description, r.description),
              external_id = CASE WHEN u.external_id IS NULL THEN r.external_id ELSE nullif(u.external_id, '') END,
              scoped_id = coalesce(u.scoped_id, r.scoped_id)
         FROM unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::uuid[])
           AS u (id, resource_type, name, description, external_id, scoped_id, event_id)
        WHERE r.organization_id = $1 AND r.id = u.id
       RETURNING r.*, u.event_id
     ), audited AS (
       INSERT INTO audit_events (id, organization_id, actor_kind, actor_id, actor_name, action, target_type, target_id,
                                 team_id, request_id)
       SELECT event_id, organization_id, $9::actor_kind, $10, $11, 'app_resource.update', 'app_resource', id, team_id, $12
         FROM updated
     )
     SELECT id, app_instance_id AS "appInstanceId", resource_type AS "resourceType", name, description,
            coalesce(external_id, '') AS "externalId", tag_ids AS "tagIds", scoped_id AS "scopedId"
       FROM updated`,
  ),
}
