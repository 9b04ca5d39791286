import type { WriteContext } from '../../runtime/write-context.js'
import type { AuditAction } from '../../store/audit-action.js'
import type { AuditEvent } from '../audit/audit-event.js'
import type { FieldChange } from '../profile/field-ownership.js'
import type { Member } from './member.js'
import type { ChangedMember, MemberWriter } from './member-change.js'

/** What was done to a member, such as `user.update`. */
interface MemberEvent {
  readonly action: AuditAction
  readonly changes?: readonly FieldChange[]
}

/** Changed members, and their previous state, by id. */
export interface MemberChanges {
  readonly changed: readonly ChangedMember[]
  readonly before: ReadonlyMap<string, Member>
}

/**
 * What was done to members, in the order given. The target is always the user, even if the manager is written, so that
 * one filter finds everything.
 */
export function memberEventsOf(
  writer: MemberWriter,
  { changed, before }: MemberChanges,
  { requestId }: Pick<WriteContext, 'requestId'>,
): AuditEvent[] {
  const { organizationId, actor } = writer
  return changed.flatMap((each) => {
    const targetId = each.member.userId
    return eventsOf(writer, each, before.get(targetId)).map((event) => {
      return { organizationId, actor, targetType: 'user', targetId, requestId, ...event }
    })
  })
}

function eventsOf(
  { action, isPublication = false }: MemberWriter,
  { change, member, isNew, changes }: ChangedMember,
  before: Member = member,
): MemberEvent[] {
  const events: MemberEvent[] = []
  if (isNew) events.push({ action: 'user.create', changes })
  else if (changes.length > 0 || isPublication || change.directory !== undefined) events.push({ action, changes })
  if (member.role !== before.role && !isNew) events.push({ action: 'user.update_role' })
  if (member.email !== before.email) events.push({ action: 'user.update_email' })
  const isActive = member.deactivatedAt === null
  if (isActive !== (before.deactivatedAt === null)) {
    events.push({ action: isActive ? 'user.reactivate' : 'user.deactivate' })
  }
  return events
}
