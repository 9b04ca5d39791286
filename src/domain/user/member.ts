import type { UserRole } from '../../../gen/prisma/enums.js'
import type { Profile } from '../profile/field-ownership.js'

/** A person in one organization: who the person is, and the governed profile. */
export interface Member {
  readonly userId: string
  readonly email: string
  readonly role: UserRole
  readonly profile: Profile
  /** When the manager was assigned; null where there is none. */
  readonly managerAssignedAt: Date | null
  /** Whether the person comes from a directory. */
  readonly directoryManaged: boolean
  readonly createdAt: Date
  readonly deactivatedAt: Date | null
}

/** A member who joins now and is active. */
export function newMember(given: Pick<Member, 'userId' | 'email' | 'role' | 'profile'>, now: Date): Member {
  return { ...given, managerAssignedAt: null, directoryManaged: false, createdAt: now, deactivatedAt: null }
}

/** The member with another profile; a manager who was not there before is assigned now. */
export function withProfile(member: Member, profile: Profile, now: Date): Member {
  const manager = profile.MANAGER.value
  const isSame = manager === member.profile.MANAGER.value
  return { ...member, profile, managerAssignedAt: manager === '' ? null : isSame ? member.managerAssignedAt : now }
}

/** Given and family name together; empty where the person has neither. */
export function nameOf({ profile }: Pick<Member, 'profile'>): string {
  return `${profile.FIRST_NAME.value} ${profile.LAST_NAME.value}`.replace(/^ +| +$/g, '')
}
