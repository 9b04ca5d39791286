import type { AuditAction } from '../../store/audit-action.js'
import type { AuditEvent } from '../audit/audit-event.js'

/** The key of an event. */
interface EventKey {
  readonly organizationId: string
  readonly id: string
  readonly teamId: string | null
}

/** The audit event of an action on a key, such as `api_key.revoke`; still to be told who did it. */
export function keyEvent(action: AuditAction, { organizationId, id, teamId }: EventKey): Omit<AuditEvent, 'actor'> {
  return { organizationId, action, targetType: 'api_key', targetId: id, teamId: teamId ?? undefined }
}
