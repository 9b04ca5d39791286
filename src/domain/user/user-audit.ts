import type { PreparedQueryable } from '../../db/queryable.js'
import { type Actor, recordAuditEvents } from '../audit/audit-event.js'
import type { WriteContext } from '../audit/audit-statement.js'
import type { FieldChange } from '../profile/field-ownership.js'

/** Something that was done to a member. */
export interface UserEvent {
  /** Such as `user.update`. */
  readonly action: string
  readonly userId: string
  readonly changes?: readonly FieldChange[]
}

/**
 * Records what was done to members of one organization, in the order given. The target is always the user, also where
 * the manager is written, so that one filter finds all of it.
 */
export async function recordUserEvents(
  tables: PreparedQueryable,
  by: { readonly organizationId: string; readonly actor: Actor },
  events: readonly UserEvent[],
  { runtime, requestId }: Pick<WriteContext, 'runtime' | 'requestId'>,
): Promise<void> {
  await recordAuditEvents(
    tables,
    events.map(({ userId, ...event }) => ({ ...by, ...event, targetType: 'user', targetId: userId, requestId })),
    runtime,
  )
}
