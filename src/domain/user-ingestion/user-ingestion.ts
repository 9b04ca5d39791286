import type { Tables } from '../../db/tables.js'
import { type FieldViolation, refuseViolations } from '../../errors.js'
import { sourceLock, takeLocks } from '../../store/lock.js'
import { auditedCall } from '../audit/audit-event.js'
import type { Scope } from '../caller/scope.js'
import type { ChangedMember, MemberChange } from '../user/member.js'
import { requireOrganizationPermission } from '../user/user.js'
import { changeMembers, memberTransaction } from '../user/write.js'
import {
  findSourceProfiles,
  type JudgedProfile,
  judgeProfile,
  type KnownProfile,
  keepSourceProfiles,
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
  requireOrganizationPermission(scope.caller, 'ingestion:write')
  return memberTransaction(scope.tables, (transaction) => ingest(transaction, scope, { source, profiles }))
}

/** Validates the profiles, each of which must have an external id of its own. */
function judgedProfiles({ profiles }: IngestionRequest): JudgedProfile[] {
  const all: FieldViolation[] = []
  const firstOf = new Map<string, number>()
  const judgedProfiles = profiles.map((profile, index) => {
    const path = `profiles[${index}].`
    const { judged, violations } = judgeProfile(profile, path)
    all.push(...violations)
    const first = firstOf.get(profile.externalId)
    if (first === undefined) firstOf.set(profile.externalId, index)
    else {
      const description = `repeats profiles[${first}].externalId: send each external id once`
      all.push({ field: `${path}externalId`, description, reason: 'DUPLICATE_ID' })
    }
    return judged
  })
  refuseViolations(all)
  return judgedProfiles
}

async function ingest(
  transaction: Tables,
  scope: Scope,
  { source, profiles }: { readonly source: string; readonly profiles: readonly JudgedProfile[] },
): Promise<IngestionResult[]> {
  const { organizationId } = scope.caller
  await takeLocks(transaction, [sourceLock(organizationId, source)])
  const externalIds = profiles.map(({ externalId }) => externalId)
  const known = await findSourceProfiles(transaction, { organizationId, source }, externalIds)
  const changes = profiles.flatMap((profile) => {
    const before = known.get(profile.externalId)
    if (before !== undefined && profile.hash.equals(before.hash)) return []
    const target = before === undefined ? { email: profile.stored.email } : { userId: before.userId }
    return { target, refusedValues: 'leave out' as const, ...profile }
  })
  const writer = { ...auditedCall(scope), action: 'user.ingest' } as const
  const published = await changeMembers(transaction, writer, changes, scope.runtime)
  const kept = published.map(({ change, member }) => ({ userId: member.userId, ...change }))
  await keepSourceProfiles(transaction, { organizationId, source }, kept)
  const results = new Map(published.map((each) => [each.change.externalId, resultOf(each)]))
  return externalIds.map((externalId) => results.get(externalId) ?? unchangedResult(externalId, known))
}

function resultOf({
  change,
  member,
  isNew,
  ...published
}: ChangedMember<MemberChange & JudgedProfile>): IngestionResult {
  const { externalId } = change
  return { externalId, userId: member.userId, outcome: isNew ? 'CREATED' : 'UPDATED', ...publishedFields(published) }
}

function unchangedResult(externalId: string, known: ReadonlyMap<string, KnownProfile>): IngestionResult {
  const userId = known.get(externalId)?.userId
  if (userId === undefined) throw new Error('a profile was neither found nor published')
  return { externalId, userId, outcome: 'UNCHANGED', ...publishedFields() }
}
