import type { AnyTransaction, Store } from '../../db/queryable.js'
import { type FieldViolation, refuseViolations } from '../../errors.js'
import type { Runtime } from '../../runtime/runtime.js'
import { lockManagers } from '../../store/manager-chain.js'
import { lockSource, type SourceProfileDocument } from '../../store/source-profile.js'
import { actorOf } from '../audit/audit-event.js'
import type { WriteContext } from '../audit/audit-statement.js'
import type { Caller } from '../caller/caller.js'
import { type SkippedFields, skippedFields } from '../profile/field-ownership.js'
import { findOrCreateMembers } from '../user/member-creation.js'
import { retryOnUniqueViolation } from '../user/unique-retry.js'
import { requireOrganizationPermission } from '../user/user-access.js'
import { recordUserEvents, type UserEvent } from '../user/user-audit.js'
import { emailKeyOf } from '../value/email-address.js'
import { requiredViolations } from '../value/text-field.js'
import { type Publication, type PublicationResult, publishProfiles } from './profile-publication.js'
import {
  findSourceProfiles,
  type KeptProfile,
  type KnownProfile,
  keepSourceProfiles,
  profileHashOf,
  publicationOf,
  type SourceProfile,
  sourceFormat,
  sourceProfileViolations,
  storedProfileOf,
} from './source-profile.js'

/** Profiles of one source. */
export interface IngestionRequest {
  readonly source: string
  readonly profiles: readonly SourceProfile[]
}

/** What became of the fields of a profile. */
export interface PublishedFields {
  readonly skipped: SkippedFields
  readonly skippedPhone: boolean
  readonly unresolvedManager: boolean
}

/** What became of one profile. */
export interface IngestionResult extends PublishedFields {
  readonly externalId: string
  readonly userId: string
  readonly outcome: 'CREATED' | 'UPDATED' | 'UNCHANGED'
}

const MAX_PROFILES = 1_000

/**
 * Takes in profiles of one source and publishes those that are new or changed; one result per profile, in their order
 * (docs/field-ownership.md). Throws `FIELD_REQUIRED`, `FIELD_INVALID`, `BATCH_SIZE_OUT_OF_RANGE` and `DUPLICATE_ID` for
 * the request, and `PERMISSION_MISSING`; nothing is written then.
 */
export async function ingestUserProfiles(
  database: Store,
  caller: Caller,
  request: IngestionRequest,
  context: WriteContext,
): Promise<IngestionResult[]> {
  refuseViolations(requestViolations(request))
  requireOrganizationPermission(caller, 'ingestion:write')
  return retryOnUniqueViolation(() =>
    database.preparedTransaction((transaction) => ingest(transaction, caller, request, context), context),
  )
}

function requestViolations({ source, profiles }: IngestionRequest): FieldViolation[] {
  if (source === '') return requiredViolations('source', source)
  if (!sourceFormat.test(source)) {
    const description = 'must be 1 to 64 characters of a-z, 0-9, "_", "." and "-"'
    return [{ field: 'source', description, reason: 'FIELD_INVALID' }]
  }
  if (profiles.length === 0 || profiles.length > MAX_PROFILES) {
    const description = `must have 1 to ${MAX_PROFILES} entries`
    return [{ field: 'profiles', description, reason: 'BATCH_SIZE_OUT_OF_RANGE' }]
  }
  const seen = new Set<string>()
  return profiles.flatMap((profile, index) => {
    const path = `profiles[${index}].`
    const violations = sourceProfileViolations(profile, path)
    if (profile.externalId !== '' && seen.has(profile.externalId)) {
      const description = 'stands in the call more than once'
      violations.push({ field: `${path}externalId`, description, reason: 'DUPLICATE_ID' })
    }
    seen.add(profile.externalId)
    return violations
  })
}

/** A profile that is new or not as it was, and the user whom it has had so far. */
interface ChangedProfile {
  readonly externalId: string
  readonly stored: SourceProfileDocument
  readonly knownUserId: string | undefined
}

/** A changed profile with its user, to publish and to keep. */
interface ProfileOfUser extends Publication, KeptProfile {
  /** Whether the profile has made the user. */
  readonly isCreator: boolean
}

async function ingest(
  transaction: AnyTransaction,
  caller: Caller,
  { source, profiles }: IngestionRequest,
  context: WriteContext,
): Promise<IngestionResult[]> {
  const { organizationId } = caller
  await lockSource(transaction, { organizationId, source })
  const externalIds = profiles.map(({ externalId }) => externalId)
  const known = await findSourceProfiles(transaction, { organizationId, source }, externalIds)
  const changed = changedProfiles(profiles, known)
  if (changed.some(({ stored }) => stored.managerEmail)) await lockManagers(transaction, organizationId)
  const publications = await withUsers(transaction, organizationId, changed, context.runtime)
  const { results } = await publishProfiles(transaction, organizationId, publications, context.runtime)
  await keepSourceProfiles(transaction, { organizationId, source }, publications)
  const events = results.map(({ publication: { isCreator, userId }, changes }): UserEvent => {
    return { action: isCreator ? 'user.create' : 'user.ingest', userId, changes }
  })
  await recordUserEvents(transaction, { organizationId, actor: actorOf(caller) }, events, context)
  const published = new Map(results.map((result) => [result.publication.externalId, publishedResult(result)]))
  return externalIds.map((externalId) => published.get(externalId) ?? unchangedResult(externalId, known))
}

function changedProfiles(
  profiles: readonly SourceProfile[],
  known: ReadonlyMap<string, KnownProfile>,
): ChangedProfile[] {
  return profiles.flatMap((profile): ChangedProfile[] => {
    const { externalId } = profile
    const stored = storedProfileOf(profile)
    const before = known.get(externalId)
    if (before !== undefined && profileHashOf(stored).equals(before.hash)) return []
    return [{ externalId, stored, knownUserId: before?.userId }]
  })
}

/** The profiles with their users: those they have had so far, else the members with the address, else new ones. */
async function withUsers(
  transaction: AnyTransaction,
  organizationId: string,
  changed: readonly ChangedProfile[],
  runtime: Runtime,
): Promise<ProfileOfUser[]> {
  const newcomers = changed.filter(({ knownUserId }) => knownUserId === undefined)
  const emails = newcomers.map(({ stored }) => stored.email)
  const { userIds, created } = await findOrCreateMembers(transaction, organizationId, emails, runtime)
  const withoutProfile = new Set(created)
  return changed.map(({ externalId, stored, knownUserId }) => {
    const userId = knownUserId ?? userIds.get(emailKeyOf(stored.email))
    if (userId === undefined) throw new Error('a profile has found no user')
    const isCreator = withoutProfile.delete(userId) // The first of several profiles of a new user.
    return { ...publicationOf(userId, stored), externalId, stored, isCreator }
  })
}

function publishedResult({ publication, changes, ...left }: PublicationResult<ProfileOfUser>): IngestionResult {
  const { externalId, userId, isCreator } = publication
  return { externalId, userId, outcome: isCreator ? 'CREATED' : 'UPDATED', skipped: skippedFields(changes), ...left }
}

function unchangedResult(externalId: string, known: ReadonlyMap<string, KnownProfile>): IngestionResult {
  const userId = known.get(externalId)?.userId
  if (userId === undefined) throw new Error('a profile is neither known nor published')
  const skipped: SkippedFields = { pinned: [], directoryLocked: [] }
  return { externalId, userId, outcome: 'UNCHANGED', skipped, skippedPhone: false, unresolvedManager: false }
}
