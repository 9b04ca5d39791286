import type { AnyTransaction, Store } from '../../db/queryable.js'
import { notFound } from '../../errors.js'
import { lockManagers } from '../../store/manager-chain.js'
import { readSourceProfiles } from '../../store/source-profile.js'
import { actorOf } from '../audit/audit-event.js'
import type { WriteContext } from '../audit/audit-statement.js'
import type { Caller } from '../caller/caller.js'
import { skippedFields } from '../profile/field-ownership.js'
import type { Member } from '../user/member.js'
import { lockMembers } from '../user/membership.js'
import { retryOnUniqueViolation } from '../user/unique-retry.js'
import { getUser } from '../user/user.js'
import { requireMemberPermission } from '../user/user-access.js'
import { recordUserEvents } from '../user/user-audit.js'
import { publishProfiles } from './profile-publication.js'
import { publicationOf } from './source-profile.js'
import type { PublishedFields } from './user-ingestion.js'

/** A user after all of its source profiles were published anew. */
export interface RepublishResult extends PublishedFields {
  readonly member: Member
}

/**
 * Publishes all source profiles of a user anew, in the order of their last change: what ingestion has left out is
 * considered again (docs/field-ownership.md). Throws `RESOURCE_NOT_FOUND` and `PERMISSION_MISSING`.
 */
export async function republishUser(
  database: Store,
  caller: Caller,
  userId: string,
  context: WriteContext,
): Promise<RepublishResult> {
  await requireMemberPermission(caller, 'ingestion:write', () => getUser(database, caller, userId))
  return retryOnUniqueViolation(() =>
    database.preparedTransaction((transaction) => republish(transaction, caller, userId, context), context),
  )
}

async function republish(
  transaction: AnyTransaction,
  caller: Caller,
  userId: string,
  context: WriteContext,
): Promise<RepublishResult> {
  const { organizationId } = caller
  await lockManagers(transaction, organizationId)
  // Locked before the profiles are read: whoever takes in a newer one holds the member until it is kept.
  const [held] = await lockMembers(transaction, organizationId, [userId])
  if (held === undefined) throw notFound('user', userId)
  const stored = await readSourceProfiles(transaction, organizationId, userId)
  const publications = stored.map((profile) => publicationOf(userId, profile))
  const { members, results } = await publishProfiles(transaction, organizationId, publications, context.runtime)
  const changes = results.flatMap((result) => result.changes)
  if (stored.length > 0) {
    const event = { action: 'user.republish', userId, changes }
    await recordUserEvents(transaction, { organizationId, actor: actorOf(caller) }, [event], context)
  }
  return {
    member: members.get(userId) ?? held,
    skipped: skippedFields(changes),
    skippedPhone: results.some((result) => result.skippedPhone),
    unresolvedManager: results.some((result) => result.unresolvedManager),
  }
}
