import type { Tables } from '../../db/tables.js'
import { refuseViolations } from '../../errors.js'
import { sourceLock, takeLocks } from '../../store/lock.js'
import { findSourceProfiles, keepSourceProfiles, readSourceProfiles } from '../../store/source-profile.js'
import { auditedCall } from '../audit/audit-event.js'
import { requirePermissionIn, type Scope } from '../caller/caller.js'
import { holdMembers, suffices } from '../user/hold.js'
import { planMembers } from '../user/plan.js'
import { getUser, requireMemberPermission } from '../user/user.js'
import { changeMembers, memberTransaction, writePlan } from '../user/write.js'
import { repeats } from '../value/taken-value.js'
import {
  commandsOfStored,
  type JudgedProfile,
  judgeProfile,
  type PublishedFields,
  publishedFields,
  type SourceProfile,
} from './source-profile.js'

/** Profiles of one source. */
export interface IngestionRequest {
  readonly source: string
  readonly profiles: readonly SourceProfile[]
}

/** The outcome for one profile. */
export interface IngestionResult extends PublishedFields {
  readonly externalId: string
  readonly userId: string
  readonly outcome: 'CREATED' | 'UPDATED' | 'UNCHANGED'
}

/**
 * Takes in profiles of one source and publishes those that are new or changed; returns one result per profile, in their
 * order (docs/field-ownership.md). Throws `FIELD_INVALID` and `DUPLICATE_ID` for the request, and `PERMISSION_MISSING`;
 * then nothing is written.
 */
export async function ingestUserProfiles(scope: Scope, request: IngestionRequest): Promise<IngestionResult[]> {
  const { source } = request
  const profiles = judgedProfiles(request)
  requirePermissionIn(scope.caller, null, 'ingestion:write')
  return memberTransaction(scope.tables, (transaction) => ingest(transaction, scope, source, profiles))
}

/** Validates the profiles, each of which must have an external id of its own. */
function judgedProfiles({ profiles }: IngestionRequest): JudgedProfile[] {
  const externalIds = profiles.map(({ externalId }) => externalId)
  const repeated = repeats('profiles', 'externalId', externalIds, 'send each external id once')
  const all = profiles.map((profile, index) => judgeProfile(profile, `profiles[${index}].`))
  refuseViolations(all.flatMap(({ violations }, index) => [...violations, ...(repeated[index] ?? [])]))
  return all.map(({ judged }) => judged)
}

async function ingest(
  transaction: Tables,
  scope: Scope,
  source: string,
  profiles: readonly JudgedProfile[],
): Promise<IngestionResult[]> {
  const { organizationId } = scope.caller
  await takeLocks(transaction, [sourceLock(organizationId, source)])
  const externalIds = profiles.map(({ externalId }) => externalId)
  const rows = await findSourceProfiles(transaction, { organizationId, source }, externalIds)
  const known = new Map(rows.map((row) => [row.externalId, row]))
  const changes = profiles.flatMap((profile) => {
    const before = known.get(profile.externalId)
    if (before !== undefined && profile.profileHash.equals(before.profileHash)) return []
    const target = before === undefined ? { email: profile.profile.email } : { userId: before.userId }
    return { target, refusedValues: 'leave out' as const, ...profile }
  })
  const writer = { ...auditedCall(scope), action: 'user.ingest' } as const
  const published = await changeMembers(transaction, writer, changes, scope.runtime)
  const kept = published.map(({ change, member }) => ({ userId: member.userId, ...change }))
  await keepSourceProfiles(transaction, { organizationId, source }, kept)
  const results = new Map(
    published.map(({ change: { externalId }, member: { userId }, isNew, ...outcome }): [string, IngestionResult] => [
      externalId,
      { externalId, userId, outcome: isNew ? 'CREATED' : 'UPDATED', ...publishedFields(outcome) },
    ]),
  )
  for (const { externalId, userId } of rows) {
    if (!results.has(externalId))
      results.set(externalId, { externalId, userId, outcome: 'UNCHANGED', ...publishedFields() })
  }
  return externalIds.flatMap((externalId) => results.get(externalId) ?? [])
}

/**
 * Publishes all source profiles of a user again, in the order of their last change, and returns the JSON of the user:
 * whatever ingestion left out is reconsidered (docs/field-ownership.md). Throws `RESOURCE_NOT_FOUND` and `PERMISSION_MISSING`.
 */
export async function republishUser(
  scope: Scope,
  userId: string,
): Promise<PublishedFields & { readonly json: string }> {
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
