import type { ServiceImpl } from '@connectrpc/connect'
import { type AppInstanceService, ListAppInstancesResponseSchema } from '../../gen/svc/v2/app_instance_pb.js'
import type { Reads } from '../db/queryable.js'
import { listAppInstances } from '../domain/app-instance.js'
import type { PageTokens } from '../domain/paging/page-token.js'
import { databaseOf } from './call-database.js'
import type { PrintedAnswerOptions } from './printed-answer.js'
import { callerOf } from './request-context.js'

/** What the service of app instances needs. */
export interface AppInstanceHandlersOptions extends PrintedAnswerOptions {
  readonly database: Reads
  readonly pageTokens: PageTokens
}

/** The service of app instances. */
export function createAppInstanceHandlers({
  database,
  pageTokens,
  printedPage,
}: AppInstanceHandlersOptions): ServiceImpl<typeof AppInstanceService> {
  return {
    async listAppInstances(request, context) {
      const page = await listAppInstances(databaseOf(context, database).reads, callerOf(context), request, pageTokens)
      return printedPage(ListAppInstancesResponseSchema, page)
    },
  }
}
