import { v7 } from 'uuid'
import type { Prisma } from '../../../gen/prisma/client.js'
import type { Caller } from './caller.js'

/** What an event records besides the call. */
export type Audited = Pick<
  Prisma.AuditEventUncheckedCreateInput,
  'action' | 'targetType' | 'targetId' | 'teamId' | 'changes'
>

/** The row of an event of a call. */
export function auditEvent(
  { organizationId, kind, id, name }: Pick<Caller, 'organizationId' | 'id' | 'name'> & { readonly kind: ActorKind },
  requestId: string,
  audited: Audited,
): Prisma.AuditEventCreateManyInput {
  return { id: v7(), organizationId, actorKind: kind, actorId: id, actorName: name, requestId, ...audited }
}

type ActorKind = Prisma.AuditEventUncheckedCreateInput['actorKind']
