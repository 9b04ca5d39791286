import type { MemberRow } from '../../store/membership.js'
import type { PersonRow } from '../../store/person.js'
import { emptyProfile } from '../profile/field-ownership.js'

/** A person in one organization: who the person is, and the governed profile. */
export type Member = MemberRow

/** A member who joins now: active, with an empty profile. */
export function newMember({ id, email }: PersonRow, now: Date): Member {
  return {
    userId: id,
    email,
    role: 'ORG_MEMBER',
    profile: emptyProfile(now),
    managerAssignedAt: null,
    directoryManaged: false,
    createdAt: now,
    updatedAt: now,
    deactivatedAt: null,
    directoryExternalId: null,
    directoryUserName: null,
    directoryAttributes: null,
    directoryDeletedAt: null,
  }
}
