import type { Runtime } from '../../runtime/runtime.js'
import type { AuditedCall } from '../../store/audit-event.js'
import type { Caller } from '../caller/caller.js'
import { actorOf } from './audit-event.js'

/** What a write needs besides its data: ids for what it makes, and what the audit log says of the call. */
export interface WriteContext {
  readonly runtime: Runtime
  readonly requestId: string
  /** Ends the write without a trace when it aborts before the commit. */
  readonly signal?: AbortSignal
  /** How long it may take, in milliseconds. */
  readonly timeoutMillis?: number | undefined
}

/** What the event of a write says of the call. */
export function auditedCall(caller: Caller, requestId: string): AuditedCall {
  const { kind, id, name } = actorOf(caller)
  return { actorKind: kind, actorId: id, actorName: name, requestId }
}
