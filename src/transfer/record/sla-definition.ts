import { descriptionLimits, nameLimits, optionalNameLimits } from '../../domain/value/text-field.js'
import { timestampOf } from '../../domain/value/timestamp.js'
import { invalidField } from '../../errors.js'
import { enumOf, idOf, integerOf, requireDistinct, textOf } from '../field-values.js'
import type { StagedRow } from '../staged-row.js'
import { type RuleJson, ruleOf } from './rule.js'

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

/** The record as a row to be staged. Throws a ServiceError that names the field at fault. */
export function slaDefinitionRow(record: SlaDefinitionRecord): StagedRow {
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
      teamId: idOf('teamId', record.teamId),
      name: textOf('name', record.name, nameLimits),
      description: textOf('description', record.description, descriptionLimits),
      scheduleId: textOf('scheduleId', record.scheduleId, optionalNameLimits),
      policyGroup: textOf('policyGroup', record.policyGroup, optionalNameLimits),
      targetDurationSeconds: integerOf('targetDurationSeconds', record.targetDurationSeconds, 0),
      useCalendarTime: record.useCalendarTime,
      useAssignedGroupSchedule: record.useAssignedGroupSchedule,
      conditions: record.conditions.map((condition, index) => conditionOf(`conditions[${index}]`, condition, id)),
      attachmentCriteria: record.attachmentCriteria.map((rule, index) => ruleOf(`attachmentCriteria[${index}]`, rule)),
      actions: record.actionDefinitions.map((action, index) => actionOf(`actionDefinitions[${index}]`, action, id)),
      startingPoint: enumOf(record.startingPoint, 'SLA_STARTING_POINT_'),
      metric: enumOf(record.metric, 'SLA_METRIC_'),
      createdAt: timestampOf('createdAt', record.createdAt),
      updatedAt: timestampOf('updatedAt', record.updatedAt),
      archivedAt: timestampOf('archivedAt', record.archivedAt),
    },
  }
}

function conditionOf(field: string, condition: SlaConditionJson, definitionId: string) {
  requireDefinition(`${field}.slaDefinitionId`, condition.slaDefinitionId, definitionId)
  return {
    id: idOf(`${field}.id`, condition.id),
    conditionType: enumOf(condition.conditionType, 'SLA_CONDITION_TYPE_'),
    conditionRule:
      condition.conditionRule === undefined ? null : ruleOf(`${field}.conditionRule`, condition.conditionRule),
    resumePolicy: textOf(`${field}.resumePolicy`, condition.resumePolicy, optionalNameLimits),
    priority: condition.priority,
  }
}

function actionOf(field: string, action: SlaActionJson, definitionId: string) {
  requireDefinition(`${field}.slaDefinitionId`, action.slaDefinitionId, definitionId)
  return {
    id: idOf(`${field}.id`, action.id),
    workflowId: textOf(`${field}.workflowId`, action.workflowId, optionalNameLimits),
    offsetSeconds: action.offsetSeconds,
    createdAt: timestampOf(`${field}.createdAt`, action.createdAt),
    updatedAt: timestampOf(`${field}.updatedAt`, action.updatedAt),
  }
}

function requireDefinition(field: string, given: string, definitionId: string): void {
  if (given !== '' && given !== definitionId) throw invalidField(field, 'must be the id of the SLA definition')
}
