import { Prisma } from '../../gen/prisma/client.js'
import type { MembershipModel } from '../../gen/prisma/models.js'
import { createStatement } from '../db/statement.js'
import type { Tables } from '../db/tables.js'
import { inLockOfManagers } from './manager-lock.js'

/** A member and the member's manager. */
export type ManagedMember = Pick<MembershipModel, 'userId' | 'managerUserId'>

const lock = createStatement<{ readonly organizationId: string }, Record<never, never>>({
  name: 'lock_managers_of_organization',
  columns: {},
  text: ({ organizationId }) => Prisma.sql`
SELECT FROM (VALUES (true)) one WHERE ${inLockOfManagers(Prisma.sql`${organizationId}`)}`,
})

interface Members {
  readonly organizationId: string
  readonly userIds: readonly string[]
}

const readChains = createStatement<Members, ManagedMember>({
  name: 'read_manager_chains',
  columns: { userId: 'text', managerUserId: 'text' },
  text: ({ organizationId, userIds }) => Prisma.sql`
WITH RECURSIVE chain AS (
  SELECT user_id, manager_user_id
    FROM memberships WHERE organization_id = ${organizationId} AND user_id = ANY (${userIds})
  UNION
  SELECT m.user_id, m.manager_user_id
    FROM chain JOIN memberships m ON m.organization_id = ${organizationId} AND m.user_id = chain.manager_user_id
)
SELECT user_id AS "userId", manager_user_id AS "managerUserId" FROM chain`,
})

/** The statements of this file. */
export const managerChainStatements = [lock, readChains]

/**
 * Keeps other transactions from assigning managers in the organization until this one ends: two assignments that are
 * each valid can together create a cycle. To be taken before any member is locked. Clearing needs no lock.
 */
export async function lockManagers(transaction: Tables, organizationId: string): Promise<void> {
  await transaction.run(lock, { organizationId })
}

/** The members with these ids, and everyone above them, all the way up. */
export function selectManagerChains(
  tables: Tables,
  organizationId: string,
  userIds: readonly string[],
): Promise<ManagedMember[]> {
  return tables.run(readChains, { organizationId, userIds })
}
