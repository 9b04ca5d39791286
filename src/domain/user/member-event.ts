import type { CallEvent } from '../audit/audit-event.js'
import { type ChangedMember, isActive, type Member, type MemberWriter } from './member.js'

/**
 * The audit events of a changed member. The target is always the user, even if the manager is written, so that one
 * filter finds everything.
 */
export function eventsOf(
  { action }: MemberWriter,
  { change, member, isNew, changes }: ChangedMember,
  before: Member,
): CallEvent[] {
  const event = { targetId: member.userId }
  const events: CallEvent[] = []
  const isRecorded = changes.length > 0 || change.refusedValues === 'leave out' || change.directory !== undefined
  if (isNew) events.push({ ...event, action: 'user.create', changes })
  else if (isRecorded) events.push({ ...event, action, changes })
  if (member.role !== before.role && !isNew) {
    events.push({ ...event, action: 'user.update_role', changedFields: ['role'] })
  }
  if (member.email !== before.email) events.push({ ...event, action: 'user.update_email', changedFields: ['email'] })
  if (isActive(member) !== isActive(before)) {
    const action = isActive(member) ? 'user.reactivate' : 'user.deactivate'
    events.push({ ...event, action, changedFields: ['deactivatedAt'] })
  }
  if (change.endsSessions) events.push({ ...event, action: 'user.end_sessions' })
  return events
}
