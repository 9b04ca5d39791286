import type { ServiceImpl } from '@connectrpc/connect'
import { type AuditLogService, ListAuditEventsResponseSchema } from '../../gen/svc/v2/audit_log_pb.js'
import type { Reads } from '../db/queryable.js'
import { listAuditEvents } from '../domain/audit-log.js'
import type { PageTokens } from '../domain/paging/page-token.js'
import { databaseOf } from './call-database.js'
import type { PrintedAnswerOptions } from './printed-answer.js'
import { callerOf } from './request-context.js'

/** What the service of the audit log needs. */
export interface AuditLogHandlersOptions extends PrintedAnswerOptions {
  readonly database: Reads
  readonly pageTokens: PageTokens
}

/** The service of the audit log. */
export function createAuditLogHandlers({
  database,
  pageTokens,
  printedPage,
}: AuditLogHandlersOptions): ServiceImpl<typeof AuditLogService> {
  return {
    async listAuditEvents(request, context) {
      const page = await listAuditEvents(databaseOf(context, database).reads, callerOf(context), request, pageTokens)
      return printedPage(ListAuditEventsResponseSchema, page)
    },
  }
}
