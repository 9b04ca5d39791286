import type { Tables } from '../../db/tables.js'
import { invalidField, ServiceError } from '../../errors.js'
import { selectManagerChains } from '../../store/manager-chain.js'

/** Who manages whom, as far as it has been read: the manager's id, or null, by the id of the member. */
export type ManagerChains = Map<string, string | null>

/** Reads the members with these ids and everyone above them, all the way up. */
export async function readManagerChains(
  transaction: Tables,
  organizationId: string,
  userIds: readonly string[],
): Promise<ManagerChains> {
  if (userIds.length === 0) return new Map()
  const members = await selectManagerChains(transaction, organizationId, userIds)
  return new Map(members.map(({ userId, managerUserId }) => [userId, managerUserId]))
}

/** A manager for a member; `field` is what the request calls it. */
export interface ManagerAssignment {
  readonly userId: string
  readonly managerUserId: string
  readonly field: string
}

/**
 * Why a member cannot have a manager, undefined if the assignment is valid: `MANAGER_NOT_FOUND` if the organization has
 * no such member, `MANAGER_IS_SELF`, or `MANAGER_CYCLE` if the member manages the manager. The chains above the manager
 * must have been read.
 */
export function managerFault(
  chains: ManagerChains,
  { userId, managerUserId, field }: ManagerAssignment,
): ServiceError | undefined {
  if (!chains.has(managerUserId)) {
    return invalidField(field, 'no such user in the organization: send the id of one of its users', 'MANAGER_NOT_FOUND')
  }
  if (managerUserId === userId)
    return new ServiceError('MANAGER_IS_SELF', 'users cannot be their own managers: name another user')
  const seen = new Set<string>()
  for (let above: string | null = managerUserId; above !== null; above = chains.get(above) ?? null) {
    if (above === userId) {
      return new ServiceError(
        'MANAGER_CYCLE',
        'the manager reports to the user, directly or through others: name a user who does not',
      )
    }
    // A cycle that already exists, made by hand, must not trap the walk.
    if (seen.has(above)) return undefined
    seen.add(above)
  }
  return undefined
}
