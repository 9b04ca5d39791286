import { Prisma } from '../../gen/prisma/client.js'
import { createStatement } from '../db/statement.js'
import type { Tables } from '../db/tables.js'
import { type AuditEventLists, auditEventLists, auditListInsert, type NewAuditEvent } from './audit-event.js'
import { type NewDepartmentOption, optionInsertion } from './department-option.js'
import { type MemberRow, memberAddition, memberChange, memberRecords } from './membership.js'

interface Written extends Omit<AuditEventLists, 'organizationId' | 'id'> {
  readonly organizationId: string
  readonly id: readonly string[]
  readonly name: readonly string[]
  readonly eventId: readonly string[]
}

const write = createStatement<Written & { readonly userId: string; readonly changed: string }, Record<never, never>>({
  name: 'write_member_at_once',
  columns: {},
  text: (places) => Prisma.sql`
WITH changed AS (
  ${memberChange(places, Prisma.sql`m.user_id = ${places.userId}`)}
), departments AS (
  ${optionInsertion(places)}
)
${auditListInsert(places)}`,
})

const add = createStatement<Written & { readonly added: string }, Record<never, never>>({
  name: 'add_member_at_once',
  columns: {},
  text: (places) => Prisma.sql`
WITH added AS (
  ${memberAddition(places)}
), departments AS (
  ${optionInsertion(places)}
)
${auditListInsert(places)}`,
})

/** The statements of this file. */
export const memberAtOnceStatements = [write, add]

/** What is written with a member. */
export interface RelatedRows {
  readonly options: readonly NewDepartmentOption[]
  readonly events: readonly NewAuditEvent[]
}

/**
 * Writes a member whom the transaction has locked, with new departments and audit events, in one statement: for writers
 * that change members one by one.
 */
export async function writeMemberAtOnce(
  transaction: Tables,
  organizationId: string,
  member: MemberRow,
  related: RelatedRows,
): Promise<void> {
  const { userId } = member
  await transaction.run(write, { userId, changed: memberRecords([member]), ...written(organizationId, related) })
}

/** Adds a member, whose person exists, in the same way. */
export async function addMemberAtOnce(
  transaction: Tables,
  organizationId: string,
  member: MemberRow,
  related: RelatedRows,
): Promise<void> {
  await transaction.run(add, { added: memberRecords([member]), ...written(organizationId, related) })
}

function written(organizationId: string, { options, events }: RelatedRows): Written {
  const { id: eventId, organizationId: _, ...lists } = auditEventLists(events)
  return { organizationId, eventId, id: options.map(({ id }) => id), name: options.map(({ name }) => name), ...lists }
}
