import { invalidField } from '../../errors.js'
import { descriptionLimits, nameLimits, optionalNameLimits } from '../text-field.js'
import { timestampOf } from '../timestamp.js'
import { timestampColumn } from '../timestamp-column.js'
import { enumOf, idOf, integerOf, requireDistinct, textOf } from './field-values.js'
import { type RuleJson, ruleOf } from './rule.js'
import { lockStatement, organizationCheck, sameColumns, upsertStatement } from './statements.js'
import type { StagedRow, TransferResource } from './transfer-resource.js'

/** A line of the kind `slaDefinition`. */
export interface SlaDefinitionRecord {
  readonly id: string
  readonly teamId: string
  readonly name: string
  readonly description: string
  readonly scheduleId: string
  readonly policyGroup: string
  readonly targetDurationSeconds: number
  readonly useCalendarTime: boolean
  readonly useAssignedGroupSchedule: boolean
  readonly conditions: readonly SlaConditionJson[]
  readonly attachmentCriteria: readonly RuleJson[]
  readonly actionDefinitions: readonly SlaActionJson[]
  readonly startingPoint: string
  readonly metric: string
  readonly createdAt: string
  readonly updatedAt: string
  readonly archivedAt?: string
}

interface SlaConditionJson {
  readonly id: string
  readonly slaDefinitionId: string
  readonly conditionType: string
  readonly conditionRule?: RuleJson
  readonly resumePolicy: string
  readonly priority: number
}

interface SlaActionJson {
  readonly id: string
  readonly slaDefinitionId: string
  readonly workflowId: string
  readonly offsetSeconds: number
  readonly createdAt: string
  readonly updatedAt: string
}

const place = { table: 'sla_definitions', staged: 'staged_sla_definition', key: { id: 's.id' } }

function rowOf(record: SlaDefinitionRecord): StagedRow {
  const id = idOf('id', record.id)
  requireDistinct(
    record.conditions.map((condition) => condition.id),
    (index) => `conditions[${index}].id`,
  )
  requireDistinct(
    record.actionDefinitions.map((action) => action.id),
    (index) => `actionDefinitions[${index}].id`,
  )
  return {
    key: id,
    values: {
      id,
      team_id: idOf('teamId', record.teamId),
      name: textOf('name', record.name, nameLimits),
      description: textOf('description', record.description, descriptionLimits),
      schedule_id: textOf('scheduleId', record.scheduleId, optionalNameLimits),
      policy_group: textOf('policyGroup', record.policyGroup, optionalNameLimits),
      target_duration_seconds: integerOf('targetDurationSeconds', record.targetDurationSeconds, 0),
      use_calendar_time: record.useCalendarTime,
      use_assigned_group_schedule: record.useAssignedGroupSchedule,
      conditions: record.conditions.map((condition, index) => conditionOf(`conditions[${index}]`, condition, id)),
      attachment_criteria: record.attachmentCriteria.map((rule, index) => ruleOf(`attachmentCriteria[${index}]`, rule)),
      actions: record.actionDefinitions.map((action, index) => actionOf(`actionDefinitions[${index}]`, action, id)),
      starting_point: enumOf(record.startingPoint, 'SLA_STARTING_POINT_'),
      metric: enumOf(record.metric, 'SLA_METRIC_'),
      created_at: timestampOf('createdAt', record.createdAt),
      updated_at: timestampOf('updatedAt', record.updatedAt),
      archived_at: timestampOf('archivedAt', record.archivedAt),
    },
  }
}

function conditionOf(field: string, condition: SlaConditionJson, definitionId: string) {
  requireDefinition(`${field}.slaDefinitionId`, condition.slaDefinitionId, definitionId)
  return {
    id: idOf(`${field}.id`, condition.id),
    condition_type: enumOf(condition.conditionType, 'SLA_CONDITION_TYPE_'),
    condition_rule:
      condition.conditionRule === undefined ? null : ruleOf(`${field}.conditionRule`, condition.conditionRule),
    resume_policy: textOf(`${field}.resumePolicy`, condition.resumePolicy, optionalNameLimits),
    priority: condition.priority,
  }
}

function actionOf(field: string, action: SlaActionJson, definitionId: string) {
  requireDefinition(`${field}.slaDefinitionId`, action.slaDefinitionId, definitionId)
  return {
    id: idOf(`${field}.id`, action.id),
    workflow_id: textOf(`${field}.workflowId`, action.workflowId, optionalNameLimits),
    offset_seconds: action.offsetSeconds,
    created_at: timestampOf(`${field}.createdAt`, action.createdAt),
    updated_at: timestampOf(`${field}.updatedAt`, action.updatedAt),
  }
}

function requireDefinition(field: string, given: string, definitionId: string): void {
  if (given !== '' && given !== definitionId) throw invalidField(field, 'must be the id of the SLA definition')
}

/** SLA definitions with their conditions and actions in files. */
export const slaDefinitionTransfer: TransferResource<SlaDefinitionRecord> = {
  staged: place.staged,
  rowOf,
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
  owner: { table: 'teams', column: 'team_id', field: 'teamId', gives: { organization_id: 'owner.organization_id' } },
  checks: [organizationCheck(place.table, place.staged)],
  lock: lockStatement(place),
  upsert: upsertStatement({
    ...place,
    values: {
      ...sameColumns('organization_id', 'team_id', 'name', 'description', 'schedule_id', 'policy_group'),
      ...sameColumns('target_duration_seconds', 'use_calendar_time', 'use_assigned_group_schedule'),
      ...sameColumns('attachment_criteria', 'starting_point', 'metric', 'archived_at'),
      created_at: 'coalesce(s.created_at, t.created_at, now())',
      updated_at: 'coalesce(s.updated_at, t.updated_at, s.created_at, now())',
    },
  }),
  children: [
    `DELETE FROM sla_conditions c USING ${place.staged} s WHERE c.sla_definition_id = s.id`,
    `INSERT INTO sla_conditions (sla_definition_id, id, position, condition_type, condition_rule, resume_policy, priority)
     SELECT s.id, c.id, c.place - 1, c.condition_type, c.condition_rule, c.resume_policy, c.priority
     FROM ${place.staged} s CROSS JOIN LATERAL ROWS FROM (jsonb_to_recordset(s.conditions) AS (id text,
       condition_type sla_condition_type, condition_rule jsonb, resume_policy text, priority integer))
       WITH ORDINALITY AS c(id, condition_type, condition_rule, resume_policy, priority, place)`,
    `DELETE FROM sla_actions a USING ${place.staged} s
     WHERE a.sla_definition_id = s.id AND NOT s.actions @> jsonb_build_array(jsonb_build_object('id', a.id))`,
    `INSERT INTO sla_actions AS held (sla_definition_id, id, position, workflow_id, offset_seconds, created_at, updated_at)
     SELECT s.id, a.id, a.place - 1, a.workflow_id, a.offset_seconds, coalesce(a.created_at, t.created_at, now()),
       coalesce(a.updated_at, t.updated_at, a.created_at, now())
     FROM ${place.staged} s CROSS JOIN LATERAL ROWS FROM (jsonb_to_recordset(s.actions) AS (id text, workflow_id text,
       offset_seconds integer, created_at timestamptz, updated_at timestamptz))
       WITH ORDINALITY AS a(id, workflow_id, offset_seconds, created_at, updated_at, place)
     LEFT JOIN sla_actions t ON t.sla_definition_id = s.id AND t.id = a.id
     ON CONFLICT (sla_definition_id, id) DO UPDATE SET position = EXCLUDED.position, workflow_id = EXCLUDED.workflow_id,
       offset_seconds = EXCLUDED.offset_seconds, created_at = EXCLUDED.created_at, updated_at = EXCLUDED.updated_at`,
  ],
  finalChecks: [],
  select: `
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
      'offsetSeconds', a.offset_seconds, 'createdAt', ${timestampColumn('a.created_at')},
      'updatedAt', ${timestampColumn('a.updated_at')}) ORDER BY a.position), '[]')
    FROM sla_actions a WHERE a.sla_definition_id = d.id),
  'startingPoint', 'SLA_STARTING_POINT_' || d.starting_point, 'metric', 'SLA_METRIC_' || d.metric,
  'createdAt', ${timestampColumn('d.created_at')}, 'updatedAt', ${timestampColumn('d.updated_at')},
  'archivedAt', ${timestampColumn('d.archived_at')}) AS record
FROM sla_definitions d ORDER BY d.ordinal`,
}
