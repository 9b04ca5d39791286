import { create } from '@bufbuild/protobuf'
import type { ServiceImpl } from '@connectrpc/connect'
import {
  ActorKind,
  ActorSchema,
  type AuditEvent,
  AuditEventSchema,
  type AuditLogService,
  FieldChangeSchema,
  FieldWriteOutcome,
  ListAuditEventsResponseSchema,
} from '../../gen/svc/v2/audit_log_pb.js'
import { FieldOwner, UserProfileField } from '../../gen/svc/v2/user_pb.js'
import type { Sql } from '../db/sql.js'
import { type KeptAuditEvent, listAuditEvents } from '../domain/audit-log.js'
import type { PageTokens } from '../domain/page-token.js'
import { enumValueFrom } from './enum-name.js'
import { callerOf } from './request-context.js'

/** The service of the audit log. */
export function createAuditLogHandlers({
  database,
  pageTokens,
}: {
  readonly database: Sql
  readonly pageTokens: PageTokens
}): ServiceImpl<typeof AuditLogService> {
  return {
    async listAuditEvents(request, context) {
      const { events, nextPageToken } = await listAuditEvents(database, callerOf(context), request, pageTokens)
      return create(ListAuditEventsResponseSchema, { data: events.map(auditEventToMessage), nextPageToken })
    },
  }
}

function auditEventToMessage({ actorKind, actorId, actorName, changes, ...fields }: KeptAuditEvent): AuditEvent {
  return create(AuditEventSchema, {
    ...fields,
    actor: create(ActorSchema, { kind: ActorKind[actorKind], id: actorId, name: actorName }),
    changes: changes.map((change) =>
      create(FieldChangeSchema, {
        field: enumValueFrom(UserProfileField, 'USER_PROFILE_FIELD_', change.field),
        outcome: enumValueFrom(FieldWriteOutcome, 'FIELD_WRITE_OUTCOME_', change.outcome),
        oldOwner: enumValueFrom(FieldOwner, 'FIELD_OWNER_', change.oldOwner),
        newOwner: enumValueFrom(FieldOwner, 'FIELD_OWNER_', change.newOwner),
      }),
    ),
  })
}
