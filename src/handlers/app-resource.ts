import type { ServiceImpl } from '@connectrpc/connect'
import { type AppResourceService, BatchUpdateAppResourcesResponseSchema } from '../../gen/svc/v2/app_resource_pb.js'
import type { PreparedStore } from '../db/queryable.js'
import { batchUpdateAppResources } from '../domain/app-resource/app-resource.js'
import type { Runtime } from '../runtime/runtime.js'
import { storeOf } from './idempotency.js'
import type { PrintedAnswerOptions } from './printed-answer.js'
import { callerOf } from './request-context.js'
import { writeContextOf } from './write-context.js'

/** The service of app resources. */
export function createAppResourceHandlers({
  database,
  runtime,
  printedAnswer,
}: PrintedAnswerOptions & {
  readonly database: PreparedStore
  readonly runtime: Runtime
}): ServiceImpl<typeof AppResourceService> {
  return {
    async batchUpdateAppResources({ resources }, context) {
      const write = writeContextOf(runtime, context)
      const updated = await batchUpdateAppResources(storeOf(context, database), callerOf(context), resources, write)
      return printedAnswer(BatchUpdateAppResourcesResponseSchema, updated)
    },
  }
}
