import { readSourceProfiles } from '../../store/source-profile.js'
import { auditedCall } from '../audit/audit-event.js'
import type { Scope } from '../caller/scope.js'
import { holdMembers, suffices } from '../user/hold.js'
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
export async function republishUser(scope: Scope, userId: string): Promise<RepublishResult> {
  const { caller, runtime } = scope
  const { organizationId } = caller
  await requireMemberPermission(scope, 'ingestion:write', userId)
  const writer = { ...auditedCall(scope), action: 'user.republish' } as const
  return memberTransaction(scope.tables, async (tables) => {
    const read = async () => {
      const profiles = await readSourceProfiles(tables, organizationId, userId)
      return {
        target: { userId },
        commands: profiles.flatMap(commandsOfStored),
        refusedValues: 'leave out',
        profiles,
      } as const
    }
    const held = await holdMembers(tables, organizationId, [await read()], runtime)
    // Again, as whoever took in a newer profile in between held the member until it was stored.
    const change = await read()
    if (!suffices(held, [change])) return undefined
    const changes = change.profiles.length === 0 ? [] : [change]
    const plan = planMembers(writer, changes, held)
    await writePlan(tables, plan, runtime)
    return { json: await getUser({ tables, caller }, userId), ...publishedFields(plan.outcomes[0]) }
  })
}
