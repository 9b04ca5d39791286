import type { AuditEvent } from './audit-event.js'

/** What every event about a member says of its target: the manager's included, so that one filter finds all of them. */
export function targetOf(userId: string): Pick<AuditEvent, 'targetType' | 'targetId'> {
  return { targetType: 'user', targetId: userId }
}
