import type { ServiceImpl } from '@connectrpc/connect'
import { ListSlaDefinitionsResponseSchema, type SlaDefinitionService } from '../../gen/svc/v2/sla_definition_pb.js'
import { listSlaDefinitions } from '../domain/sla-definition.js'
import type { PrintedAnswerOptions } from './printed-answer.js'
import { scopeOf } from './request-context.js'

/** The service of SLA definitions. */
export function createSlaDefinitionHandlers({
  printedAnswer,
}: PrintedAnswerOptions): ServiceImpl<typeof SlaDefinitionService> {
  return {
    async listSlaDefinitions({ teamId }, context) {
      const definitions = await listSlaDefinitions(scopeOf(context), teamId)
      return printedAnswer(ListSlaDefinitionsResponseSchema, definitions)
    },
  }
}
