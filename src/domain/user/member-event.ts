import type { AnyTransaction } from '../../db/queryable.js'
import type { WriteContext } from '../../runtime/write-context.js'
import { recordAuditEvents } from '../audit/audit-event.js'
import type { FieldChange } from '../profile/field-ownership.js'
import type { Member } from './member.js'
import type { ChangedMember, MemberWriter } from './member-change.js'

/** What was done to a member, such as `user.update`. */
interface MemberEvent {
  readonly action: string
  readonly changes?: readonly FieldChange[]
}

/**
 * Records what was done to members, in the order given; `before` is their previous state, by id. The target is always
 * the user, even if the manager is written, so that one filter finds everything.
 */
export async function recordMemberEvents(
  transaction: AnyTransaction,
  writer: MemberWriter,
  { changed, before }: { readonly changed: readonly ChangedMember[]; readonly before: ReadonlyMap<string, Member> },
  { runtime, requestId }: WriteContext,
): Promise<void> {
  const { organizationId, actor } = writer
  const events = changed.flatMap((each) => {
    const targetId = each.member.userId
    return eventsOf(writer, each, before.get(targetId)).map((event) => {
      return { organizationId, actor, targetType: 'user', targetId, requestId, ...event }
    })
  })
  await recordAuditEvents(transaction, events, runtime)
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
