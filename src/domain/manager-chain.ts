import type { Sql } from '../db/sql.js'
import { invalidField, ServiceError } from '../errors.js'

/** First half of the key of the advisory lock on an organization's managers; the second half is a hash of its id. */
const MANAGER_LOCK = 0x6d6772

/**
 * Lets no other transaction assign managers in the organization until this one ends: two assignments that are both
 * good alone can close a chain together. To be taken before any member is locked. Clearing needs no lock.
 */
export async function lockManagers(sql: Sql, organizationId: string): Promise<void> {
  await sql.query(
    'SELECT pg_advisory_xact_lock($1, hashtext($2))',
    [MANAGER_LOCK, organizationId],
    'lock_managers_of_organization',
  )
}

/** Who manages whom, as far as it has been read: the manager's id by the user's. */
export type ManagerChains = Map<string, string>

const chainStatement = `
WITH RECURSIVE chain AS (
  SELECT user_id, manager_user_id FROM memberships WHERE organization_id = $1 AND user_id = ANY ($2)
  UNION
  SELECT m.user_id, m.manager_user_id
    FROM chain JOIN memberships m ON m.organization_id = $1 AND m.user_id = chain.manager_user_id
)
SELECT user_id AS "userId", manager_user_id AS "managerUserId" FROM chain WHERE manager_user_id IS NOT NULL`

/** Reads the chains of managers above the users, themselves included, all the way up. */
export async function readManagerChains(
  sql: Sql,
  organizationId: string,
  userIds: readonly string[],
): Promise<ManagerChains> {
  const rows = await sql.query<{ userId: string; managerUserId: string }>(
    chainStatement,
    [organizationId, userIds],
    'read_manager_chains',
  )
  return new Map(rows.map(({ userId, managerUserId }) => [userId, managerUserId]))
}

/** Why a user cannot have a manager; nothing where the assignment is good. The chains above the manager must be read. */
export function managerFault(chains: ManagerChains, userId: string, managerUserId: string): ServiceError | undefined {
  if (managerUserId === userId) return new ServiceError('MANAGER_IS_SELF', 'nobody is the own manager')
  const seen = new Set<string>()
  for (let above: string | undefined = managerUserId; above !== undefined; above = chains.get(above)) {
    if (above === userId) {
      return new ServiceError('MANAGER_CYCLE', 'the manager reports to the user, directly or through others')
    }
    // A chain that is closed already, by hand, must not hold the walk.
    if (seen.has(above)) return undefined
    seen.add(above)
  }
  return undefined
}

/**
 * Refuses a manager whom the organization does not have (`MANAGER_NOT_FOUND`, naming the field of the request), the user
 * as the own manager (`MANAGER_IS_SELF`), and one whom the user manages (`MANAGER_CYCLE`). Managers must be locked.
 */
export async function requireManager(
  sql: Sql,
  organizationId: string,
  assignment: { readonly userId: string; readonly managerUserId: string; readonly field: string },
): Promise<void> {
  const { userId, managerUserId, field } = assignment
  const found = await sql.query(
    'SELECT FROM memberships WHERE organization_id = $1 AND user_id = $2',
    [organizationId, managerUserId],
    'is_member',
  )
  if (found.length === 0) throw invalidField(field, 'is no member of the organization', 'MANAGER_NOT_FOUND')
  const fault = managerFault(await readManagerChains(sql, organizationId, [managerUserId]), userId, managerUserId)
  if (fault !== undefined) throw fault
}
