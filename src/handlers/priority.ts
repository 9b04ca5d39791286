import type { ServiceImpl } from '@connectrpc/connect'
import { type PriorityService, UpdatePriorityResponseSchema } from '../../gen/svc/v2/priority_pb.js'
import { updatePriority } from '../domain/priority.js'
import { entityTagOf } from '../domain/value/entity-tag.js'
import type { PrintedAnswerOptions } from './printed-answer.js'
import { scopeOf } from './request-context.js'

/** The service of priorities. */
export function createPriorityHandlers({ printedAnswer }: PrintedAnswerOptions): ServiceImpl<typeof PriorityService> {
  return {
    async updatePriority(request, context) {
      const priority = await updatePriority(scopeOf(context), request)
      context.responseHeader.set('etag', entityTagOf(priority))
      return printedAnswer(UpdatePriorityResponseSchema, priority)
    },
  }
}
