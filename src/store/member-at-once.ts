import { Prisma } from '../../gen/prisma/client.js'
import type { AnyTransaction } from '../db/queryable.js'
import { createPreparedStatement } from '../db/statement.js'
import { type AuditEventLists, auditEventLists, auditListInsert, type NewAuditEvent } from './audit-event.js'
import { type NewDepartmentOption, optionInsertion } from './department-option.js'
import { type MemberRow, memberChange, memberRecords } from './membership.js'

interface WrittenAtOnce extends Omit<AuditEventLists, 'organizationId' | 'id'> {
  readonly organizationId: string
  readonly userId: string
  readonly changed: string
  readonly id: readonly string[]
  readonly name: readonly string[]
  readonly eventId: readonly string[]
}

const write = createPreparedStatement<WrittenAtOnce, Record<never, never>>({
  name: 'write_member_at_once',
  reason: 'write with audit event',
  columns: {},
  text: (places) => Prisma.sql`
WITH changed AS (
  ${memberChange(places, Prisma.sql`m.user_id = ${places.userId}`)}
), departments AS (
  ${optionInsertion(places)}
)
${auditListInsert(places)}`,
})

/** The statements of this file. */
export const memberAtOnceStatements = [write]

/**
 * Writes a member whom the transaction has locked, with new departments and audit events, in one statement: for writers
 * that change members one by one.
 */
export async function writeMemberAtOnce(
  transaction: AnyTransaction,
  organizationId: string,
  member: MemberRow,
  related: { readonly options: readonly NewDepartmentOption[]; readonly events: readonly NewAuditEvent[] },
): Promise<void> {
  const { id: eventId, organizationId: _, ...events } = auditEventLists(related.events)
  await transaction.run(write, {
    ...events,
    eventId,
    organizationId,
    userId: member.userId,
    changed: memberRecords([member]),
    id: related.options.map(({ id }) => id),
    name: related.options.map(({ name }) => name),
  })
}
