import type { ServiceImpl } from '@connectrpc/connect'
import {
  type EntityFieldMappingService,
  ListEntityFieldMappingsResponseSchema,
} from '../../gen/svc/v2/entity_field_mapping_pb.js'
import { listEntityFieldMappings } from '../domain/entity-field-mapping.js'
import type { PrintedAnswerOptions } from './printed-answer.js'
import { scopeOf } from './request-context.js'

/** The service of field mappings. */
export function createEntityFieldMappingHandlers({
  printedAnswer,
}: PrintedAnswerOptions): ServiceImpl<typeof EntityFieldMappingService> {
  return {
    async listEntityFieldMappings(request, context) {
      const data = await listEntityFieldMappings(scopeOf(context), request)
      return printedAnswer(ListEntityFieldMappingsResponseSchema, data)
    },
  }
}
