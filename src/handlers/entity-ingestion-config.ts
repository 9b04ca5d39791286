import type { ServiceImpl } from '@connectrpc/connect'
import {
  type EntityIngestionConfigService,
  ListEntityIngestionConfigsResponseSchema,
} from '../../gen/svc/v2/entity_ingestion_config_pb.js'
import type { Reads } from '../db/queryable.js'
import { listEntityIngestionConfigs } from '../domain/entity-ingestion-config.js'
import { databaseOf } from './call-database.js'
import type { PrintedAnswerOptions } from './printed-answer.js'
import { callerOf } from './request-context.js'

/** The service of ingestion configs. */
export function createEntityIngestionConfigHandlers({
  database,
  printedAnswer,
}: PrintedAnswerOptions & { readonly database: Reads }): ServiceImpl<typeof EntityIngestionConfigService> {
  return {
    async listEntityIngestionConfigs(request, context) {
      const data = await listEntityIngestionConfigs(databaseOf(context, database).reads, callerOf(context), request)
      return printedAnswer(ListEntityIngestionConfigsResponseSchema, data)
    },
  }
}
