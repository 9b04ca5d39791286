import type { ServiceImpl } from '@connectrpc/connect'
import {
  type EntityIngestionConfigService,
  ListEntityIngestionConfigsResponseSchema,
} from '../../gen/svc/v2/entity_ingestion_config_pb.js'
import { listEntityIngestionConfigs } from '../domain/entity-ingestion-config.js'
import type { PrintedAnswerOptions } from './printed-answer.js'
import { scopeOf } from './request-context.js'

/** The service of ingestion configs. */
export function createEntityIngestionConfigHandlers({
  printedAnswer,
}: PrintedAnswerOptions): ServiceImpl<typeof EntityIngestionConfigService> {
  return {
    async listEntityIngestionConfigs(request, context) {
      const data = await listEntityIngestionConfigs(scopeOf(context), request)
      return printedAnswer(ListEntityIngestionConfigsResponseSchema, data)
    },
  }
}
