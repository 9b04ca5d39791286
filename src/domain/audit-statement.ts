import { actorOf } from './audit-event.js'
import type { Caller } from './caller.js'
import type { Runtime } from './runtime.js'

/** What a write needs besides its data: ids for what it makes, and what the audit log says of the call. */
export interface WriteContext {
  readonly runtime: Runtime
  readonly requestId: string
  /** Ends the write without a trace when it aborts before the commit. */
  readonly signal?: AbortSignal
}

/** What an event says of every row that it is about. */
export interface AuditedChange {
  /** Such as `priority.update`. */
  readonly action: string
  /** Such as `priority`. */
  readonly targetType: string
}

/**
 * The part of a statement that records one event for each row of `rows`, a table expression with the columns
 * `audit_event_id`, `organization_id`, `id` and `team_id`: the change and its events then take one round trip. Its four
 * parameters, from number `first` on, are `auditParameters`.
 */
export function auditInsert(rows: string, { action, targetType }: AuditedChange, first: number): string {
  return `INSERT INTO audit_events (id, organization_id, actor_kind, actor_id, actor_name, action, target_type, target_id,
                            team_id, request_id)
  SELECT audit_event_id, organization_id, $${first}::actor_kind, $${first + 1}, $${first + 2}, '${action}', '${targetType}',
         id, team_id, $${first + 3}
    FROM ${rows}`
}

/** The parameters of `auditInsert`. */
export function auditParameters(caller: Caller, requestId: string): string[] {
  const { kind, id, name } = actorOf(caller)
  return [kind, id, name, requestId]
}
