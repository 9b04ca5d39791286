import type { ServiceImpl } from '@connectrpc/connect'
import { type AppInstanceService, ListAppInstancesResponseSchema } from '../../gen/svc/v2/app_instance_pb.js'
import { listAppInstances } from '../domain/app-instance.js'
import type { PageTokens } from '../domain/paging/page-token.js'
import type { PrintedAnswerOptions } from './printed-answer.js'
import { scopeOf } from './request-context.js'

/** What the service of app instances needs. */
export interface AppInstanceHandlersOptions extends PrintedAnswerOptions {
  readonly pageTokens: PageTokens
}

/** The service of app instances. */
export function createAppInstanceHandlers({
  pageTokens,
  printedPage,
}: AppInstanceHandlersOptions): ServiceImpl<typeof AppInstanceService> {
  return {
    async listAppInstances(request, context) {
      const page = await listAppInstances(scopeOf(context), request, pageTokens)
      return printedPage(ListAppInstancesResponseSchema, page)
    },
  }
}
