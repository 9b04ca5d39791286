import { invalidField, ServiceError } from '../../errors.js'
import { entityTagOf } from '../value/entity-tag.js'
import type { Member } from './member.js'

/** Who manages whom, as far as it has been read: the manager's id, or null, by the id of the member. */
export type ManagerChains = ReadonlyMap<string, string | null>

export type ManagerFault = 'MANAGER_NOT_FOUND' | 'MANAGER_IS_SELF' | 'MANAGER_CYCLE'

/**
 * Why a member cannot have a manager, undefined if the assignment is valid: the organization has no such member, it is
 * the member, or it reports to the member. The chains above the manager must have been read.
 */
export function managerFault(chains: ManagerChains, userId: string, managerUserId: string): ManagerFault | undefined {
  if (!chains.has(managerUserId)) return 'MANAGER_NOT_FOUND'
  if (managerUserId === userId) return 'MANAGER_IS_SELF'
  let above = chains.get(managerUserId) ?? null
  // A cycle that already exists, made by hand, must not trap the walk.
  for (let steps = 0; above !== null && steps < chains.size; steps++) {
    if (above === userId) return 'MANAGER_CYCLE'
    above = chains.get(above) ?? null
  }
  return undefined
}

/** A manager whom a change gives to a member; empty for none. */
export interface ManagerAssignment {
  readonly userId: string
  readonly managerUserId: string
}

/**
 * Returns the assignments of one call that are refused. They are judged by the state after all of them, so that two
 * people can swap places, in whatever order they are named. Of assignments that would close a cycle, the later ones are
 * refused; a member whose assignments are all refused keeps the current manager.
 */
export function refusedAssignments(
  chains: ManagerChains,
  assignments: readonly ManagerAssignment[],
): ReadonlySet<ManagerAssignment> {
  const keeping = new Set<string>()
  for (;;) {
    const result = new Map(chains)
    for (const { userId } of assignments) if (!keeping.has(userId)) result.set(userId, null)
    const refused = new Set<ManagerAssignment>()
    const assigned = new Set<string>()
    for (const assignment of assignments) {
      const { userId, managerUserId } = assignment
      const isFree = managerUserId === '' || managerFault(result, userId, managerUserId) === undefined
      if (keeping.has(userId) || !isFree) refused.add(assignment)
      else {
        assigned.add(userId)
        result.set(userId, managerUserId || null)
      }
    }
    const kept = keeping.size
    for (const { userId } of assignments) if (!assigned.has(userId)) keeping.add(userId)
    if (keeping.size === kept) return refused
  }
}

/** The error for a manager whom a request names in a field. */
export function managerError(fault: ManagerFault, field: string): ServiceError {
  switch (fault) {
    case 'MANAGER_NOT_FOUND':
      return invalidField(field, 'no such user in the organization: send the id of one of its users', fault)
    case 'MANAGER_IS_SELF':
      return new ServiceError(fault, 'users cannot be their own managers: name another user')
    case 'MANAGER_CYCLE':
      return new ServiceError(
        fault,
        'the manager reports to the user, directly or through others: name a user who does not',
      )
  }
}

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
