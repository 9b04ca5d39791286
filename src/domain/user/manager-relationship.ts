import { entityTagOf } from '../value/entity-tag.js'
import type { Member } from './member.js'

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
