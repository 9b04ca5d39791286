import type { AnyTransaction, PreparedQueryable } from '../../db/queryable.js'
import { invalidField, ServiceError } from '../../errors.js'
import { type ManagedMember, selectManagerChains } from '../../store/manager-chain.js'

/** Who manages whom, as far as it has been read: the manager's id by the user's. */
export type ManagerChains = Map<string, string>

/** Reads the chains of managers above the users, themselves included, all the way up. */
export async function readManagerChains(
  tables: PreparedQueryable,
  organizationId: string,
  userIds: readonly string[],
): Promise<ManagerChains> {
  return chainsOf(await selectManagerChains(tables, organizationId, userIds))
}

function chainsOf(members: readonly ManagedMember[]): ManagerChains {
  return new Map(
    members.flatMap(({ userId, managerUserId }) => (managerUserId === null ? [] : [[userId, managerUserId]])),
  )
}

/** Why a user cannot have a manager; nothing where the assignment is good. The chains above the manager must be read. */
export function managerFault(chains: ManagerChains, userId: string, managerUserId: string): ServiceError | undefined {
  if (managerUserId === userId)
    return new ServiceError('MANAGER_IS_SELF', 'users cannot be their own managers: name another user')
  const seen = new Set<string>()
  for (let above: string | undefined = managerUserId; above !== undefined; above = chains.get(above)) {
    if (above === userId) {
      return new ServiceError(
        'MANAGER_CYCLE',
        'the manager reports to the user, directly or through others: name a user who does not',
      )
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
  transaction: AnyTransaction,
  organizationId: string,
  assignment: { readonly userId: string; readonly managerUserId: string; readonly field: string },
): Promise<void> {
  const { userId, managerUserId, field } = assignment
  const above = await selectManagerChains(transaction, organizationId, [managerUserId])
  if (!above.some((member) => member.userId === managerUserId)) {
    throw invalidField(field, 'no such user in the organization: send the id of one of its users', 'MANAGER_NOT_FOUND')
  }
  const fault = managerFault(chainsOf(above), userId, managerUserId)
  if (fault !== undefined) throw fault
}
