import type { Tables } from '../../db/tables.js'
import { notFound } from '../../errors.js'
import type { WriteContext } from '../../runtime/write-context.js'
import { lockManagers } from '../../store/manager-chain.js'
import { lockMembers } from '../../store/membership.js'
import { readSourceProfiles } from '../../store/source-profile.js'
import { actorOf } from '../audit/audit-event.js'
import type { Caller } from '../caller/caller.js'
import { changeMembers } from '../user/change-member.js'
import type { MemberWriter } from '../user/member-change.js'
import { memberTransaction } from '../user/member-transaction.js'
import { getUser } from '../user/user.js'
import { requireMemberPermission } from '../user/user-access.js'
import { type PublishedFields, publishedFields } from './published-fields.js'
import { commandsOfKept } from './source-profile.js'

/** The JSON of a user after all of its source profiles were published again. */
export interface RepublishResult extends PublishedFields {
  readonly json: string
}

/**
 * Publishes all source profiles of a user again, in the order of their last change: whatever ingestion left out is
 * reconsidered (docs/field-ownership.md). Throws `RESOURCE_NOT_FOUND` and `PERMISSION_MISSING`.
 */
export async function republishUser(
  database: Tables,
  caller: Caller,
  userId: string,
  context: WriteContext,
): Promise<RepublishResult> {
  await requireMemberPermission(caller, 'ingestion:write', () => getUser(database, caller, userId))
  const { organizationId } = caller
  return memberTransaction(database, async (transaction) => {
    await lockManagers(transaction, organizationId)
    // Locked before the profiles are read: whoever takes in a newer one holds this lock until it is stored.
    const [held] = await lockMembers(transaction, organizationId, [userId])
    if (held === undefined) throw notFound('user', userId)
    const profiles = await readSourceProfiles(transaction, organizationId, userId)
    const writer: MemberWriter = {
      organizationId,
      actor: actorOf(caller),
      action: 'user.republish',
      isPublication: true,
      isPrinted: true,
    }
    const change = { target: { userId }, commands: profiles.flatMap(commandsOfKept) }
    const [published] = profiles.length === 0 ? [] : await changeMembers(transaction, writer, [change], context)
    return { json: published?.json ?? (await getUser(transaction, caller, userId)), ...publishedFields(published) }
  })
}
