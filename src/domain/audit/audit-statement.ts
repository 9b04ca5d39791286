import type { AuditedCall } from '../../store/audit-event.js'
import type { Caller } from '../caller/caller.js'
import { actorOf } from './audit-event.js'

/** What the event of a write records about the call. */
export function auditedCall(caller: Caller, requestId: string): AuditedCall {
  const { kind, id, name } = actorOf(caller)
  return { actorKind: kind, actorId: id, actorName: name, requestId }
}
