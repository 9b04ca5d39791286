import { create } from '@bufbuild/protobuf'
import type { ServiceImpl } from '@connectrpc/connect'
import { AuditEventSchema, type AuditLogService, ListAuditEventsResponseSchema } from '../../gen/svc/v2/audit_log_pb.js'
import type { PreparedQueryable } from '../db/queryable.js'
import { listAuditEvents } from '../domain/audit-log.js'
import type { PageTokens } from '../domain/paging/page-token.js'
import { betweenTurns, listOfPrinted, type PreprintOptions, readAtOnce } from './preprint-list.js'
import { callerOf } from './request-context.js'

/** What the service of the audit log needs. */
export interface AuditLogHandlersOptions extends PreprintOptions {
  readonly database: PreparedQueryable
  readonly pageTokens: PageTokens
}

/** The service of the audit log. */
export function createAuditLogHandlers({
  database,
  pageTokens,
  preprintList = readAtOnce,
}: AuditLogHandlersOptions): ServiceImpl<typeof AuditLogService> {
  return {
    async listAuditEvents(request, context) {
      const { text, nextPageToken } = await listAuditEvents(database, callerOf(context), request, pageTokens)
      await betweenTurns(text)
      const response = create(ListAuditEventsResponseSchema, { nextPageToken })
      response.data = listOfPrinted(AuditEventSchema, text, preprintList)
      return response
    },
  }
}
