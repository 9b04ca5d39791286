import type { ActorKind } from '../../../gen/prisma/enums.js'
import type { Tables } from '../../db/tables.js'
import { consecutiveIds, type Runtime } from '../../runtime/runtime.js'
import { type AuditAction, targetTypeOf } from '../../store/audit-action.js'
import { insertAuditEvents } from '../../store/audit-event.js'
import { byOrganization } from '../../store/organization.js'
import type { CallContext, Caller, CallerKind } from '../caller/caller.js'
import { type FieldChange, isWritten } from '../profile/field-ownership.js'
import { fieldNames } from '../profile/profile-value.js'

/** Who did something. `id` is that of the user or key, empty for anonymous callers and the system. */
export interface Actor {
  readonly kind: ActorKind
  readonly id: string
  readonly name: string
}

export interface Author {
  readonly actor: Actor
  readonly requestId?: string | undefined
}

/** An action to record in the audit log of the organization. It never contains a secret or a personal value. */
export interface AuditEvent {
  readonly organizationId: string
  readonly action: AuditAction
  readonly targetId: string
  readonly teamId?: string | null | undefined
  readonly changes?: readonly FieldChange[]
  /** Names of changed fields, where fields have no owners. */
  readonly changedFields?: readonly string[]
  /** The users who were added to a group, and those who were removed from it. */
  readonly members?: MembersChange
}

export interface MembersChange {
  readonly added: readonly string[]
  readonly removed: readonly string[]
}

/** An event in the organization of the caller. */
export type CallEvent = Omit<AuditEvent, 'organizationId'>

export const anonymousActor: Actor = { kind: 'ANONYMOUS', id: '', name: '' }

/** The service itself, or its operator on the command line. */
export const systemActor: Actor = { kind: 'SYSTEM', id: '', name: '' }

const actorKinds: Record<CallerKind, ActorKind> = {
  ORGANIZATION_API_KEY: 'API_KEY',
  TEAM_API_KEY: 'API_KEY',
  USER_TOKEN: 'USER',
  WORKER_TOKEN: 'WORKER',
}

export function actorOf(caller: Caller): Actor {
  return { kind: actorKinds[caller.kind], id: caller.id, name: caller.name }
}

export function authorOf({ caller, requestId }: CallContext): Author {
  return { actor: actorOf(caller), requestId }
}

export function recordCallEvents(
  callContext: CallContext,
  transaction: Tables,
  events: readonly CallEvent[],
): Promise<void> {
  const { caller, runtime } = callContext
  return recordEventsIn(transaction, caller.organizationId, events, { ...authorOf(callContext), runtime })
}

/**
 * Writes audit events in the given order, with the time of the transaction, which must be the one that makes the
 * changes.
 */
export async function recordAuditEvents(
  tables: Tables,
  events: readonly AuditEvent[],
  author: Author & { readonly runtime: Runtime },
): Promise<void> {
  for (const [organizationId, ofOrganization] of byOrganization(events)) {
    await recordEventsIn(tables, organizationId, ofOrganization, author)
  }
}

/** Records events of one organization. */
export function recordEventsIn(
  tables: Tables,
  organizationId: string,
  events: readonly CallEvent[],
  { actor, requestId = '', runtime }: Author & { readonly runtime: Runtime },
): Promise<void> {
  const ids = consecutiveIds(runtime, events.length)
  const rows = events.map(({ action, targetId, teamId, changes = [], changedFields = [], members }, index) => {
    const written = changes.filter(({ outcome }) => isWritten(outcome)).map(({ field }) => fieldNames[field])
    const { added = [], removed = [] } = members ?? {}
    return {
      id: ids[index] ?? '',
      action,
      targetType: targetTypeOf(action),
      targetId,
      teamId: teamId ?? '',
      changes: [
        ...changes,
        ...added.map((userId) => ({ userId, outcome: 'ADDED' })),
        ...removed.map((userId) => ({ userId, outcome: 'REMOVED' })),
      ],
      changedFields: changes.length === 0 ? changedFields : written,
    }
  })
  const context = { organizationId, actorKind: actor.kind, actorId: actor.id, actorName: actor.name, requestId }
  return insertAuditEvents(tables, context, rows)
}
