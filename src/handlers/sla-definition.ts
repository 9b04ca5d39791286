import type { ServiceImpl } from '@connectrpc/connect'
import { ListSlaDefinitionsResponseSchema, type SlaDefinitionService } from '../../gen/svc/v2/sla_definition_pb.js'
import type { Reads } from '../db/queryable.js'
import { listSlaDefinitions } from '../domain/sla-definition.js'
import { databaseOf } from './call-database.js'
import type { PrintedAnswerOptions } from './printed-answer.js'
import { callerOf } from './request-context.js'

/** The service of SLA definitions. */
export function createSlaDefinitionHandlers({
  database,
  printedAnswer,
}: PrintedAnswerOptions & { readonly database: Reads }): ServiceImpl<typeof SlaDefinitionService> {
  return {
    async listSlaDefinitions({ teamId }, context) {
      const definitions = await listSlaDefinitions(databaseOf(context, database).reads, callerOf(context), teamId)
      return printedAnswer(ListSlaDefinitionsResponseSchema, definitions)
    },
  }
}
