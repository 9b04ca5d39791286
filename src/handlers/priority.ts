import type { ServiceImpl } from '@connectrpc/connect'
import { type PriorityService, UpdatePriorityResponseSchema } from '../../gen/svc/v2/priority_pb.js'
import type { PreparedStore } from '../db/queryable.js'
import { updatePriority } from '../domain/priority.js'
import { entityTagOf } from '../domain/value/entity-tag.js'
import type { Runtime } from '../runtime/runtime.js'
import { storeOf } from './idempotency.js'
import type { PrintedAnswerOptions } from './printed-answer.js'
import { callerOf } from './request-context.js'
import { writeContextOf } from './write-context.js'

/** The service of priorities. */
export function createPriorityHandlers({
  database,
  runtime,
  printedAnswer,
}: PrintedAnswerOptions & {
  readonly database: PreparedStore
  readonly runtime: Runtime
}): ServiceImpl<typeof PriorityService> {
  return {
    async updatePriority(request, context) {
      const priority = await updatePriority(
        storeOf(context, database),
        callerOf(context),
        request,
        writeContextOf(runtime, context),
      )
      context.responseHeader.set('etag', entityTagOf(priority))
      return printedAnswer(UpdatePriorityResponseSchema, priority)
    },
  }
}
