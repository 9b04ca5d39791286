import type { ActorKind } from '../../../gen/prisma/enums.js'
import type { Tables } from '../../db/tables.js'
import type { Runtime } from '../../runtime/runtime.js'
import type { AuditAction } from '../../store/audit-action.js'
import { insertAuditEvents } from '../../store/audit-event.js'
import { byOrganization } from '../../store/organization.js'
import type { Caller, CallerKind, Scope } from '../caller/caller.js'
import { type FieldChange, isWritten } from '../profile/field-ownership.js'
import { fieldNames } from '../profile/profile-value.js'

/** Who did something. `id` is that of the user or key, empty for anonymous callers and the system. */
export interface Actor {
  readonly kind: ActorKind
  readonly id: string
  readonly name: string
}

/** An action to record in the audit log of the organization. It never holds a secret or a personal value. */
export interface AuditEvent {
  readonly organizationId: string
  readonly actor: Actor
  readonly action: AuditAction
  /** Such as `user`. */
  readonly targetType: string
  readonly targetId: string
  /** The team of the target, if it has one. */
  readonly teamId?: string | null | undefined
  /** The request that did it, if one did. */
  readonly requestId?: string | undefined
  readonly changes?: readonly FieldChange[]
  /** Names of changed fields, where fields have no owners. */
  readonly changedFields?: readonly string[]
}

/** A caller without a credential. */
export const anonymousActor: Actor = { kind: 'ANONYMOUS', id: '', name: '' }

/** The service itself, or its operator on the command line. */
export const systemActor: Actor = { kind: 'SYSTEM', id: '', name: '' }

const actorKinds: Record<CallerKind, ActorKind> = {
  ORGANIZATION_API_KEY: 'API_KEY',
  TEAM_API_KEY: 'API_KEY',
  USER_TOKEN: 'USER',
  WORKER_TOKEN: 'WORKER',
}

/** The caller as the audit log names it. */
export function actorOf(caller: Caller): Actor {
  return { kind: actorKinds[caller.kind], id: caller.id, name: caller.name }
}

/** What every event of a call records about it. */
export function auditedCall({ caller, requestId }: Scope): Pick<AuditEvent, 'organizationId' | 'actor' | 'requestId'> {
  return { organizationId: caller.organizationId, actor: actorOf(caller), requestId }
}

/** Writes events of a call, in a transaction of it. */
export function recordCallEvents(
  scope: Scope,
  transaction: Tables,
  events: readonly Omit<AuditEvent, 'organizationId' | 'actor' | 'requestId'>[],
): Promise<void> {
  const call = auditedCall(scope)
  return recordAuditEvents(
    transaction,
    events.map((event) => ({ ...call, ...event })),
    scope.runtime,
  )
}

/**
 * Writes the events in the order given, with the time of the transaction, which must be the one that does what they
 * record.
 */
export async function recordAuditEvents(
  tables: Tables,
  events: readonly AuditEvent[],
  runtime: Runtime,
): Promise<void> {
  for (const [organizationId, ofOrganization] of byOrganization(events)) {
    const rows = ofOrganization.map(({ actor, teamId, requestId = '', changes = [], changedFields = [], ...event }) => {
      const by = { actorKind: actor.kind, actorId: actor.id, actorName: actor.name }
      const names = changes.length === 0 ? changedFields : writtenFields(changes)
      return { id: runtime.newId(), ...event, ...by, teamId: teamId ?? '', requestId, changes, changedFields: names }
    })
    await insertAuditEvents(tables, organizationId, rows)
  }
}

/** The names in the API of the fields whose value or owner has changed. */
function writtenFields(changes: readonly FieldChange[]): string[] {
  return changes.filter(({ outcome }) => isWritten(outcome)).map(({ field }) => fieldNames[field])
}
