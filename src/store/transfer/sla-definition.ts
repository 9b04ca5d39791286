import { Prisma } from '../../../gen/prisma/client.js'
import { timestampText } from '../timestamp-text.js'
import { organizationCheck } from './checks.js'
import { eachRecord } from './each-record.js'
import { idKey, ownedByTeam, sameColumns, type TransferTable } from './transfer-table.js'

const place = { table: Prisma.sql`sla_definitions`, staged: Prisma.sql`staged_sla_definition`, key: idKey }
const conditions = eachRecord('conditions', 'c', {
  ...{ id: 'text', condition_type: 'sla_condition_type', condition_rule: 'jsonb', resume_policy: 'text' },
  priority: 'integer',
})
const actions = eachRecord('actions', 'a', {
  ...{
    id: 'text',
    workflow_id: 'text',
    offset_seconds: 'integer',
    created_at: 'timestamptz',
    updated_at: 'timestamptz',
  },
})

/** SLA definitions with their conditions and actions. */
export const slaDefinitionTable: TransferTable = {
  ...place,
  columns: {
    id: 'text',
    team_id: 'text',
    name: 'text',
    description: 'text',
    schedule_id: 'text',
    policy_group: 'text',
    target_duration_seconds: 'integer',
    use_calendar_time: 'boolean',
    use_assigned_group_schedule: 'boolean',
    conditions: 'jsonb',
    attachment_criteria: 'jsonb',
    actions: 'jsonb',
    starting_point: 'sla_starting_point',
    metric: 'sla_metric',
    created_at: 'timestamptz',
    updated_at: 'timestamptz',
    archived_at: 'timestamptz',
  },
  owner: ownedByTeam,
  values: {
    ...sameColumns('organization_id', 'team_id', 'name', 'description', 'schedule_id', 'policy_group'),
    ...sameColumns('target_duration_seconds', 'use_calendar_time', 'use_assigned_group_schedule'),
    ...sameColumns('attachment_criteria', 'starting_point', 'metric', 'archived_at'),
    created_at: Prisma.sql`coalesce(s.created_at, t.created_at, now())`,
    updated_at: Prisma.sql`coalesce(s.updated_at, t.updated_at, s.created_at, now())`,
  },
  checks: { organization: organizationCheck(place) },
  children: [
    Prisma.sql`DELETE FROM sla_conditions c USING ${place.staged} s WHERE c.sla_definition_id = s.id`,
    Prisma.sql`INSERT INTO sla_conditions (sla_definition_id, id, position, condition_type, condition_rule, resume_policy, priority)
     SELECT s.id, c.id, c.place - 1, c.condition_type, c.condition_rule, c.resume_policy, c.priority
     FROM ${place.staged} s ${conditions}`,
    Prisma.sql`DELETE FROM sla_actions a USING ${place.staged} s
     WHERE a.sla_definition_id = s.id AND NOT s.actions @> jsonb_build_array(jsonb_build_object('id', a.id))`,
    Prisma.sql`INSERT INTO sla_actions AS held (sla_definition_id, id, position, workflow_id, offset_seconds, created_at, updated_at)
     SELECT s.id, a.id, a.place - 1, a.workflow_id, a.offset_seconds, coalesce(a.created_at, t.created_at, now()),
       coalesce(a.updated_at, t.updated_at, a.created_at, now())
     FROM ${place.staged} s ${actions}
     LEFT JOIN sla_actions t ON t.sla_definition_id = s.id AND t.id = a.id
     ON CONFLICT (sla_definition_id, id) DO UPDATE SET position = EXCLUDED.position, workflow_id = EXCLUDED.workflow_id,
       offset_seconds = EXCLUDED.offset_seconds, created_at = EXCLUDED.created_at, updated_at = EXCLUDED.updated_at`,
  ],
  finalChecks: {},
  select: Prisma.sql`
SELECT json_build_object('id', d.id, 'teamId', d.team_id, 'name', d.name, 'description', d.description,
  'scheduleId', d.schedule_id, 'policyGroup', d.policy_group, 'targetDurationSeconds', d.target_duration_seconds,
  'useCalendarTime', d.use_calendar_time, 'useAssignedGroupSchedule', d.use_assigned_group_schedule,
  'conditions', (
    SELECT coalesce(json_agg(json_build_object('id', c.id, 'slaDefinitionId', d.id,
      'conditionType', 'SLA_CONDITION_TYPE_' || c.condition_type, 'conditionRule', c.condition_rule,
      'resumePolicy', c.resume_policy, 'priority', c.priority) ORDER BY c.position), '[]')
    FROM sla_conditions c WHERE c.sla_definition_id = d.id),
  'attachmentCriteria', d.attachment_criteria,
  'actionDefinitions', (
    SELECT coalesce(json_agg(json_build_object('id', a.id, 'slaDefinitionId', d.id, 'workflowId', a.workflow_id,
      'offsetSeconds', a.offset_seconds, 'createdAt', ${timestampText(Prisma.sql`a.created_at`)},
      'updatedAt', ${timestampText(Prisma.sql`a.updated_at`)}) ORDER BY a.position), '[]')
    FROM sla_actions a WHERE a.sla_definition_id = d.id),
  'startingPoint', 'SLA_STARTING_POINT_' || d.starting_point, 'metric', 'SLA_METRIC_' || d.metric,
  'createdAt', ${timestampText(Prisma.sql`d.created_at`)}, 'updatedAt', ${timestampText(Prisma.sql`d.updated_at`)},
  'archivedAt', ${timestampText(Prisma.sql`d.archived_at`)}) AS record
FROM sla_definitions d ORDER BY d.ordinal`,
}
