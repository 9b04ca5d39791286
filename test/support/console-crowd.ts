import type { Sql } from './sql.js'

/** How many there are of each kind of thing: more than what is read of a list at once. */
const EACH = 1_500
/** The journey that has 300 tasks. */
export const largeJourney = '0198a1c0-7d03-7000-9000-000000000001'

const range = (count: number) => `generate_series(1, ${count}) n`
/** Rows of different things name different others: those at the beginning, what is at the end of its list. */
const other = `'crowd_' || ${EACH + 1} - n`
const journey = (of: number) => `('0198a1c0-7d0${of}-7000-9000-' || lpad(n::text, 12, '0'))::uuid`

/** What events are about. */
const targets = [
  'user',
  'team',
  'group',
  'access_policy',
  'api_key',
  'app_instance',
  'app_resource',
  'priority',
  'sla_definition',
  'entity_type',
  'entity_ingestion_config',
  'webhook_endpoint',
]
const target = `(ARRAY[${targets.map((type) => `'${type}'`).join()}])[1 + n % ${targets.length}]`
const targetId = `CASE WHEN n % 7 = 0 THEN 'deleted_' || n ELSE ${other} END`

/** Gives the demo organization so much that every list is full, and every row names others. */
export async function fillCrowd(database: Sql): Promise<void> {
  for (const statement of [
    `INSERT INTO memberships (organization_id, user_id, email, first_name, last_name, department)
     SELECT 'org_acme', 'crowd_' || n, 'crowd' || n || '@acme.example', 'Crowd', 'Member' || n, 'Department ' || n % 40
       FROM ${range(3_000)}`,
    `INSERT INTO teams (id, organization_id, name) SELECT 'crowd_' || n, 'org_acme', 'Crowded team ' || n FROM ${range(EACH)}`,
    `INSERT INTO groups (id, organization_id, name) SELECT 'crowd_' || n, 'org_acme', 'Crowded group ' || n FROM ${range(EACH)}`,
    // Somebody in 50 teams and 30 groups; a team and a group of 3,000.
    `INSERT INTO team_members (organization_id, team_id, user_id, role, expires_at)
     SELECT 'org_acme', ${other}, 'crowd_1', 'AGENT'::team_user_role, now() + interval '9 days' FROM ${range(50)}
      UNION ALL
     SELECT 'org_acme', 'crowd_1', 'crowd_' || n, 'VIEWER', now() + interval '10 days' FROM ${range(3_000)}`,
    `INSERT INTO group_members (organization_id, group_id, user_id, position)
     SELECT 'org_acme', ${other}, 'crowd_1', 1 FROM ${range(30)}
      UNION ALL SELECT 'org_acme', 'crowd_1', 'crowd_' || n, n FROM ${range(3_000)}`,
    `INSERT INTO access_policies (id, organization_id, team_id, name)
     SELECT 'crowd_' || n, 'org_acme', ${other}, 'Crowded policy ' || n FROM ${range(EACH)}`,
    `INSERT INTO approval_procedures (id, organization_id, access_policy_id, timeout_seconds)
     SELECT 'crowd_' || n, 'org_acme', 'crowd_1', 86400 FROM ${range(50)}`,
    `INSERT INTO approval_steps (organization_id, procedure_id, id, stage_index, step_index, allow_self_approval, suppress_notifications, auto_approve_self)
     SELECT 'org_acme', 'crowd_' || n, 'step', 0, 0, false, false, false FROM ${range(50)}`,
    `INSERT INTO approval_step_approvers (organization_id, procedure_id, step_id, position, kind, user_id, group_id, notify)
     SELECT 'org_acme', 'crowd_' || n, 'step', 0, 'USER'::approver_kind, 'crowd_' || n, NULL, true FROM ${range(50)}
      UNION ALL SELECT 'org_acme', 'crowd_' || n, 'step', 1, 'GROUP', NULL, ${other}, true FROM ${range(50)}`,
    `INSERT INTO app_instances (id, organization_id, team_id, name, default_access_policy_id)
     SELECT 'crowd_' || n, 'org_acme', ${other}, 'Crowded app ' || n, ${other} FROM ${range(EACH)}`,
    `INSERT INTO app_instance_shares (organization_id, app_instance_id, app_instance_ordinal, team_id)
     SELECT 'org_acme', 'crowd_1', (SELECT ordinal FROM app_instances WHERE id = 'crowd_1'), 'crowd_' || 1200 + n FROM ${range(60)}`,
    `INSERT INTO app_resources (id, organization_id, team_id, app_instance_id, resource_type, name, scoped_id)
     SELECT 'crowd_' || n, 'org_acme', i.team_id, i.id, 'role', 'Crowded resource ' || n, 'crowd_' || n
       FROM ${range(EACH)} JOIN app_instances i ON i.id = ${other} ORDER BY n`,
    `INSERT INTO app_resources (id, organization_id, team_id, app_instance_id, resource_type, name, scoped_id)
     SELECT 'crowd_of_one_' || n, 'org_acme', i.team_id, i.id, 'role', 'Resource of one ' || n, 'crowd_of_one_' || n
       FROM ${range(EACH)} JOIN app_instances i ON i.id = 'crowd_1'`,
    `INSERT INTO priorities (id, organization_id, team_id, priority, scoped_id, name)
     SELECT 'crowd_' || n, 'org_acme', ${other}, 'P1', 'crowd_' || n, 'Crowded priority ' || n FROM ${range(EACH)}`,
    `INSERT INTO sla_definitions (id, organization_id, team_id, name, target_duration_seconds, starting_point, metric)
     SELECT 'crowd_' || n, 'org_acme', ${other}, 'Crowded SLA ' || n, 60, 'TICKET_CREATED', 'RESOLUTION' FROM ${range(EACH)}`,
    `INSERT INTO entity_types (id, organization_id, team_id, name)
     SELECT 'crowd_' || n, 'org_acme', ${other}, 'Crowded type ' || n FROM ${range(EACH)}`,
    `INSERT INTO entity_ingestion_configs (id, organization_id, team_id, app_instance_id, internal_entity_type_id, service_name, workflow_id)
     SELECT 'crowd_' || n, 'org_acme', i.team_id, i.id, ${other}, 'Crowded feed ' || n, 'workflow_' || n
       FROM ${range(EACH)} JOIN app_instances i ON i.id = ${other} ORDER BY n`,
    `INSERT INTO entity_field_mappings (id, organization_id, entity_type_id, ingestion_config_id, internal_field_id, external_field_path)
     SELECT 'crowd_' || n, 'org_acme', 'crowd_1', ${other}, 'field_' || n, 'a.b' FROM ${range(EACH)}`,
    `INSERT INTO api_keys (id, organization_id, team_id, kind, name, secret_hash, permissions, created_by_user_id, chain_id, expires_at)
     SELECT 'crowd_' || n, 'org_acme', CASE WHEN n > 60 THEN ${other} END, CASE WHEN n > 60 THEN 'wk' ELSE 'mk' END::api_key_kind,
            'Crowded key ' || n, decode(md5(n::text), 'hex'), '{}', CASE WHEN n <= 40 THEN 'crowd_1' ELSE ${other} END,
            'crowd_' || n, now() + interval '20 days'
       FROM ${range(EACH)}`,
    `INSERT INTO webhook_endpoints (id, organization_id, team_id, url, position, status, disabled_reason, types)
     SELECT 'crowd_' || n, 'org_acme', ${other}, 'https://crowd.invalid/' || n, 0, 'DISABLED', 'FAILURES', '{}' FROM ${range(EACH)}`,
    `INSERT INTO journeys (id, organization_id, team_id, name, requester_user_id, requester_manager_user_id, overdue_from, due_date)
     SELECT ${journey(3)}, 'org_acme', ${other}, 'Crowded journey ' || n, CASE WHEN n <= 60 THEN 'crowd_1' ELSE ${other} END, 'crowd_2',
            '2026-01-02', '2026-01-01'
       FROM ${range(EACH)}`,
    `INSERT INTO journey_tasks (organization_id, journey_id, id, position, name, status, due_date, assigned_to_user_id)
     SELECT 'org_acme', ${journey(3)}, ${journey(4)}, 0, 'Wait ' || n, 'TODO'::journey_task_status, '2026-01-01'::date, ${other}
       FROM ${range(EACH)} WHERE n > 1
      UNION ALL
     SELECT 'org_acme', '${largeJourney}', ${journey(4)}, n, 'Task ' || n, 'TODO', '2026-01-01', ${other} FROM ${range(300)}`,
    `INSERT INTO audit_events (id, organization_id, actor_kind, actor_id, actor_name, action, target_type, target_id, team_id)
     SELECT ('0198a1c0-7d05-7000-9000-' || lpad(n::text, 12, '0'))::uuid, 'org_acme', 'USER', 'crowd_1', 'Crowd Member1',
            ${target} || '.update', ${target}, ${targetId}, ''
       FROM ${range(EACH)}`,
    `INSERT INTO audit_events (id, organization_id, actor_kind, actor_id, action, target_type, target_id, changes)
     SELECT '0198a1c0-7d06-7000-9000-000000000000', 'org_acme', 'SYSTEM', '', 'group.update', 'group', 'crowd_1',
            json_agg(json_build_object('userId', 'crowd_' || n, 'outcome', 'ADDED'))
       FROM ${range(200)}`,
    `INSERT INTO webhook_deliveries (organization_id, event_id, endpoint_id, position, target_type, target_id, status, due_at)
     SELECT organization_id, id, 'crowd_1', row_number() OVER (ORDER BY id), target_type, target_id, 'FAILED', now()
       FROM audit_events WHERE target_id LIKE 'crowd%' AND actor_id = 'crowd_1'`,
    `INSERT INTO directory_refusals (organization_id, id, api_key_id, method, path, status, detail, user_name)
     SELECT 'org_acme', ${journey(7)}, 'crowd_' || n, 'POST', '/Users', 400, 'has no address', 'crowd ' || n FROM ${range(100)}`,
    'ANALYZE',
  ]) {
    await database.execute(statement)
  }
}
