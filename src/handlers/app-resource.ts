import type { ServiceImpl } from '@connectrpc/connect'
import { type AppResourceService, BatchUpdateAppResourcesResponseSchema } from '../../gen/svc/v2/app_resource_pb.js'
import { batchUpdateAppResources } from '../domain/app-resource/app-resource.js'
import type { PrintedAnswerOptions } from './printed-answer.js'
import { scopeOf } from './request-context.js'

/** The service of app resources. */
export function createAppResourceHandlers({
  printedAnswer,
}: PrintedAnswerOptions): ServiceImpl<typeof AppResourceService> {
  return {
    async batchUpdateAppResources({ resources }, context) {
      const updated = await batchUpdateAppResources(scopeOf(context), resources)
      return printedAnswer(BatchUpdateAppResourcesResponseSchema, updated)
    },
  }
}
