import { create } from '@bufbuild/protobuf'
import type { ServiceImpl } from '@connectrpc/connect'
import { RuleSchema } from '../../gen/svc/v2/rule_pb.js'
import {
  ListSlaDefinitionsResponseSchema,
  SlaActionSchema,
  SlaConditionSchema,
  SlaConditionType,
  type SlaDefinition as SlaDefinitionMessage,
  SlaDefinitionSchema,
  type SlaDefinitionService,
  SlaMetric,
  SlaStartingPoint,
} from '../../gen/svc/v2/sla_definition_pb.js'
import type { PreparedQueryable } from '../db/queryable.js'
import { listSlaDefinitions, type Rule, type SlaDefinition } from '../domain/sla-definition.js'
import { callerOf } from './request-context.js'

/** The service of SLA definitions. */
export function createSlaDefinitionHandlers({
  database,
}: {
  readonly database: PreparedQueryable
}): ServiceImpl<typeof SlaDefinitionService> {
  return {
    async listSlaDefinitions({ teamId }, context) {
      const definitions = await listSlaDefinitions(database, callerOf(context), teamId)
      return create(ListSlaDefinitionsResponseSchema, { data: definitions.map(slaDefinitionToMessage) })
    },
  }
}

function slaDefinitionToMessage(definition: SlaDefinition): SlaDefinitionMessage {
  const { conditions, attachmentCriteria, actionDefinitions, startingPoint, metric, archivedAt, ...fields } = definition
  const slaDefinitionId = definition.id
  return create(SlaDefinitionSchema, {
    ...fields,
    conditions: conditions.map(({ conditionType, conditionRule, ...condition }) =>
      create(SlaConditionSchema, {
        ...condition,
        slaDefinitionId,
        conditionType: SlaConditionType[conditionType],
        ...(conditionRule !== null && { conditionRule: ruleToMessage(conditionRule) }),
      }),
    ),
    attachmentCriteria: attachmentCriteria.map(ruleToMessage),
    actionDefinitions: actionDefinitions.map((action) => create(SlaActionSchema, { ...action, slaDefinitionId })),
    startingPoint: SlaStartingPoint[startingPoint],
    metric: SlaMetric[metric],
    ...(archivedAt !== null && { archivedAt }),
  })
}

function ruleToMessage(rule: Rule) {
  return create(RuleSchema, rule)
}
