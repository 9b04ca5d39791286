import type { Tables } from '../../db/tables.js'
import { printUser } from '../../store/user.js'
import { type AcceptedVersions, entityTagOf, requireAcceptedVersion } from '../value/entity-tag.js'
import { relationshipOf, relationshipTagOf } from './manager-relationship.js'
import type { Member } from './member.js'

/** The versions in which a member is changed: of the user, or of the relationship with the manager. */
export interface MemberVersions {
  readonly of: 'user' | 'user relationship'
  readonly accepted: AcceptedVersions
}

/** Throws `ETAG_MISMATCH` if a member, whom the transaction has locked, is in another version. */
export async function requireMemberVersion(
  transaction: Tables,
  organizationId: string,
  member: Member,
  { of, accepted }: MemberVersions,
): Promise<void> {
  const { userId } = member
  const relationship = relationshipOf(member)
  const tag =
    of === 'user'
      ? await userTag(transaction, { organizationId, userId })
      : relationship && relationshipTagOf(relationship)
  requireAcceptedVersion(accepted, tag, { resourceType: of, resourceId: userId })
}

async function userTag(
  transaction: Tables,
  key: { readonly organizationId: string; readonly userId: string },
): Promise<string | undefined> {
  const json = await printUser(transaction, key)
  return json === undefined ? undefined : entityTagOf(json)
}
