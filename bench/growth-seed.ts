import { place } from '../harness/records.js'
import type { Database } from '../src/db/database.js'

/** A team with ten app instances, the last ones of the table. */
export const FEW_TEAM = 'few'

const org = `'${place.organization}'`
const series = 'generate_series(1, $1::int) n'

// Each statement adds $1 rows to a table. The measured lists return no more rows for it: those of app instances, users
// and events are paged, and for the others, the rows belong to another team.
const statements: readonly string[] = [
  `INSERT INTO teams (id, organization_id, name) SELECT 'bulk', ${org}, 'Bulk' WHERE $1::int > 0`,
  `INSERT INTO priorities (id, organization_id, team_id, priority, scoped_id, name, description)
   SELECT 'bulk-' || n, ${org}, '${place.team}', 'P1', 'bulk_' || n, 'Priority ' || n, 'How urgent it is' FROM ${series}`,
  `INSERT INTO app_instances (id, organization_id, team_id, name, custom_service_name, tag_ids)
   SELECT 'bulk-' || n, ${org}, CASE WHEN n % 10 = 0 THEN 'bulk' ELSE '${place.team}' END, 'Application ' || n,
          'Service ' || n, ARRAY['tag-1'] FROM ${series}`,
  `INSERT INTO teams (id, organization_id, name) SELECT '${FEW_TEAM}', ${org}, 'Few' WHERE $1::int > 0`,
  `INSERT INTO app_instances (id, organization_id, team_id, name)
   SELECT 'few-' || n, ${org}, '${FEW_TEAM}', 'Application ' || n FROM generate_series(1, 10) n WHERE $1::int > 0`,
  `INSERT INTO app_instance_shares (organization_id, app_instance_id, app_instance_ordinal, team_id)
   SELECT organization_id, id, ordinal, '${place.team}' FROM app_instances WHERE team_id = 'bulk' AND $1::int > 0`,
  `INSERT INTO app_resources (id, organization_id, team_id, app_instance_id, resource_type, name, external_id, scoped_id)
   SELECT 'bulk-' || n, ${org}, '${place.team}', 'app-1', 'group', 'Resource ' || n, 'bulk-' || n, 'bulk_' || n FROM ${series}`,
  `INSERT INTO journeys (id, organization_id, team_id, name)
   SELECT gen_random_uuid(), ${org}, '${place.team}', 'Journey ' || n FROM ${series}`,
  `INSERT INTO journey_tasks (organization_id, journey_id, id, position, name, status)
   SELECT organization_id, id, gen_random_uuid(), 0, 'Task', 'TODO' FROM journeys WHERE name LIKE 'Journey %' AND $1::int > 0`,
  `INSERT INTO entity_types (id, organization_id, team_id, name) SELECT 'bulk', ${org}, 'bulk', 'Bulk' WHERE $1::int > 0`,
  `INSERT INTO entity_ingestion_configs (id, organization_id, team_id, app_instance_id, internal_entity_type_id)
   SELECT 'bulk-' || n, ${org}, 'bulk', 'app-1', 'bulk' FROM ${series}`,
  `INSERT INTO entity_field_mappings (id, organization_id, entity_type_id, ingestion_config_id, internal_field_id)
   SELECT 'bulk-' || n, ${org}, 'bulk', 'bulk-1', 'field-' || n FROM ${series}`,
  `INSERT INTO sla_definitions (id, organization_id, team_id, name, target_duration_seconds, starting_point, metric)
   SELECT 'bulk-' || n, ${org}, 'bulk', 'SLA ' || n, 3600, 'TICKET_CREATED', 'RESOLUTION' FROM ${series}`,
  `INSERT INTO memberships (organization_id, user_id, email, first_name, last_name, manager_user_id, manager_assigned_at)
   SELECT ${org}, 'bulk-' || n, 'bulk' || n || '@example.com', 'Person', n::text, 'user-0', now() FROM ${series}`,
  `INSERT INTO user_tokens (token_hash, organization_id, user_id, expires_at)
   SELECT sha256(('user' || n)::bytea), ${org}, 'bulk-' || n, now() + interval '1 hour' FROM ${series}`,
  `INSERT INTO api_key_sessions (organization_id, token_hash, api_key_id, expires_at)
   SELECT ${org}, sha256(('key' || n)::bytea), (SELECT id FROM api_keys LIMIT 1), now() + interval '1 hour' FROM ${series}`,
]

/** With ids in the order of their times, a second apart. */
const events = `INSERT INTO audit_events (id, organization_id, occurred_at, actor_kind, action, target_type, target_id)
   SELECT (lpad(to_hex((extract(epoch FROM at) * 1000)::bigint), 12, '0') || '70008000' || lpad(to_hex(n), 12, '0'))::uuid,
          ${org}, at, 'SYSTEM', 'priority.update', 'priority', 'bulk-' || n % 100000
     FROM ${series} CROSS JOIN LATERAL (SELECT now() - ($1::int - n) * interval '1 second' AS at) t`

/** Fills every table of the operations but the audit log with this many rows, without checking foreign keys. */
export async function insertBulk({ pool }: Pick<Database, 'pool'>, rows: number): Promise<void> {
  for (const statement of statements) await pool.query(statement, [rows])
}

/** Fills the audit log with this many events. */
export async function insertEvents({ pool }: Pick<Database, 'pool'>, rows: number): Promise<void> {
  await pool.query(events, [rows])
}
