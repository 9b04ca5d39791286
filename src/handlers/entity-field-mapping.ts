import type { ServiceImpl } from '@connectrpc/connect'
import {
  type EntityFieldMappingService,
  ListEntityFieldMappingsResponseSchema,
} from '../../gen/svc/v2/entity_field_mapping_pb.js'
import type { Reads } from '../db/queryable.js'
import { listEntityFieldMappings } from '../domain/entity-field-mapping.js'
import { databaseOf } from './call-database.js'
import type { PrintedAnswerOptions } from './printed-answer.js'
import { callerOf } from './request-context.js'

/** The service of field mappings. */
export function createEntityFieldMappingHandlers({
  database,
  printedAnswer,
}: PrintedAnswerOptions & { readonly database: Reads }): ServiceImpl<typeof EntityFieldMappingService> {
  return {
    async listEntityFieldMappings(request, context) {
      const data = await listEntityFieldMappings(databaseOf(context, database).reads, callerOf(context), request)
      return printedAnswer(ListEntityFieldMappingsResponseSchema, data)
    },
  }
}
