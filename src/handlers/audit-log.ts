import type { ServiceImpl } from '@connectrpc/connect'
import { type AuditLogService, ListAuditEventsResponseSchema } from '../../gen/svc/v2/audit_log_pb.js'
import { listAuditEvents } from '../domain/audit-log.js'
import type { PageTokens } from '../domain/paging/page-token.js'
import { invalidField } from '../errors.js'
import { suggestion } from '../protojson/nearest.js'
import { type AuditAction, auditActions, isAuditAction } from '../store/audit-action.js'
import type { PrintedAnswerOptions } from './printed-answer.js'
import { scopeOf } from './request-context.js'

/** What the service of the audit log needs. */
export interface AuditLogHandlersOptions extends PrintedAnswerOptions {
  readonly pageTokens: PageTokens
}

/** The service of the audit log. */
export function createAuditLogHandlers({
  pageTokens,
  printedPage,
}: AuditLogHandlersOptions): ServiceImpl<typeof AuditLogService> {
  return {
    async listAuditEvents(request, context) {
      const query = { ...request, action: actionFrom(request.action) }
      const page = await listAuditEvents(scopeOf(context), query, pageTokens)
      return printedPage(ListAuditEventsResponseSchema, page)
    },
  }
}

/** The action to filter by; empty for none. Throws `FIELD_INVALID` with the nearest one. */
function actionFrom(text: string): AuditAction | '' {
  if (text === '' || isAuditAction(text)) return text
  throw invalidField('action', `is unknown: ${suggestion(text, auditActions)}`)
}
