import { invalidField, ServiceError } from '../../errors.js'
import { entityTagOf } from '../value/entity-tag.js'
import type { Member } from './member.js'

/** Who manages whom, as far as it has been read: the manager's id, or null, by the id of the member. */
export type ManagerChains = ReadonlyMap<string, string | null>

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

/** Who manages a user, and since when. */
export interface ManagerRelationship {
  readonly userId: string
  readonly managerUserId: string
  readonly createdAt: Date
}

/** The relationship of a member with the manager; undefined without one. */
export function relationshipOf({ userId, profile, managerAssignedAt }: Member): ManagerRelationship | undefined {
  if (managerAssignedAt === null) return undefined
  return { userId, managerUserId: profile.MANAGER.value, createdAt: managerAssignedAt }
}

/** The entity tag of a relationship. */
export function relationshipTagOf({ userId, managerUserId, createdAt }: ManagerRelationship): string {
  return entityTagOf(JSON.stringify([userId, managerUserId, createdAt]))
}
