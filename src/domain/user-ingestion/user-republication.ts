import type { Tables } from '../../db/tables.js'
import type { WriteContext } from '../../runtime/write-context.js'
import { readSourceProfiles } from '../../store/source-profile.js'
import { actorOf } from '../audit/audit-event.js'
import type { Caller } from '../caller/caller.js'
import { holdMembers, suffices } from '../user/hold.js'
import type { MemberWriter } from '../user/member.js'
import { planMembers } from '../user/plan.js'
import { getUser, requireMemberPermission } from '../user/user.js'
import { memberTransaction, writePlan } from '../user/write.js'
import { commandsOfStored, type PublishedFields, publishedFields } from './source-profile.js'

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
  await requireMemberPermission(database, caller, 'ingestion:write', userId)
  const { organizationId } = caller
  const writer: MemberWriter = { organizationId, actor: actorOf(caller), action: 'user.republish' }
  return memberTransaction(database, async (transaction) => {
    const read = async () => {
      const profiles = await readSourceProfiles(transaction, organizationId, userId)
      return {
        target: { userId },
        commands: profiles.flatMap(commandsOfStored),
        refusedValues: 'leave out',
        profiles,
      } as const
    }
    const held = await holdMembers(transaction, organizationId, [await read()], context.runtime)
    // Again, as whoever took in a newer profile in between held the member until it was stored.
    const change = await read()
    if (!suffices(held, [change])) return undefined
    const changes = change.profiles.length === 0 ? [] : [change]
    const plan = planMembers(writer, changes, held, { now: context.runtime.now(), requestId: context.requestId })
    await writePlan(transaction, plan, context.runtime)
    return { json: await getUser(transaction, caller, userId), ...publishedFields(plan.outcomes[0]) }
  })
}
