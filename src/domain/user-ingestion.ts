import { createHash } from 'node:crypto'
import type { Tables } from '../db/tables.js'
import { type FieldViolation, refuseViolations } from '../errors.js'
import { sourceLock, takeLocks } from '../store/lock.js'
import {
  findSourceProfiles,
  type KeptSourceProfile,
  keepSourceProfiles,
  readSourceProfiles,
  type SourceProfileDocument,
} from '../store/source-profile.js'
import { requirePermissionIn, type Scope } from './caller/caller.js'
import { commandsOfRequest, type GovernedField } from './profile/field-ownership.js'
import { type ProfileInput, profileValuesOf, type TextField, textFields } from './profile/profile-value.js'
import { holdMembers, suffices } from './user/hold.js'
import type { ChangedMember, MemberCommand } from './user/member.js'
import { planMembers } from './user/plan.js'
import { getUser, memberWriterOf, requireMemberPermission } from './user/user.js'
import { changeMembers, memberTransaction, writePlan } from './user/write.js'
import { emailViolations } from './value/email-address.js'
import { repeats } from './value/taken-value.js'

/**
 * A person as a connected app describes them. An absent field means that the app does not supply it; an empty one
 * clears the value.
 */
export interface SourceProfile {
  readonly externalId: string
  readonly email: string
  readonly profile: ProfileInput
  readonly managerEmail: string | undefined
}

/** A profile as it is stored, with its SHA-256, and the commands for publishing it. */
interface JudgedProfile extends Omit<KeptSourceProfile, 'userId'> {
  readonly commands: readonly MemberCommand[]
}

/** Validates one profile; `path` is its place in the request, such as `profiles[3].`. */
function judgeProfile(
  { externalId, email, profile, managerEmail }: SourceProfile,
  path: string,
): { readonly judged: JudgedProfile; readonly violations: FieldViolation[] } {
  const { values, violations } = profileValuesOf({ email, ...profile }, path)
  const fields: Partial<Record<TextField, string>> = {}
  for (const field of textFields) if (profile[field] !== undefined) fields[field] = profile[field]
  const stored = { email, fields, ...(managerEmail === undefined ? {} : { managerEmail }) }
  const commands = commandsOf(values, managerEmail)
  return {
    judged: { externalId, profile: stored, profileHash: hashOf(stored), commands },
    violations: [
      ...violations,
      // An empty address clears the manager.
      ...(managerEmail ? emailViolations(`${path}managerEmail`, managerEmail) : []),
    ],
  }
}

function hashOf({ email, fields, managerEmail }: SourceProfileDocument): Buffer {
  const values = textFields.map((field) => fields[field] ?? null)
  return createHash('sha256')
    .update(JSON.stringify([email, managerEmail ?? null, values]))
    .digest()
}

/** The commands of a stored profile. A value that this version no longer accepts counts as not supplied. */
function commandsOfStored({ fields, managerEmail }: SourceProfileDocument): MemberCommand[] {
  return commandsOf(profileValuesOf(fields).values, managerEmail)
}

function commandsOf(values: ReadonlyMap<GovernedField, string>, managerEmail: string | undefined): MemberCommand[] {
  const commands = commandsOfRequest({ writer: 'automation', values })
  if (managerEmail === undefined) return commands
  if (managerEmail === '') return [...commands, { kind: 'set', field: 'MANAGER', value: '', as: 'AUTOMATION' }]
  return [...commands, { kind: 'set manager by email', field: 'MANAGER', email: managerEmail, as: 'AUTOMATION' }]
}

/** What became of the fields of a publication. */
export type PublishedFields = Pick<ChangedMember, 'changes' | 'leftOut'>

const nothingPublished: PublishedFields = { changes: [], leftOut: new Set() }

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
  const published = await changeMembers(transaction, memberWriterOf(scope, 'user.ingest'), changes)
  const kept = published.map(({ change, member }) => ({ userId: member.userId, ...change }))
  await keepSourceProfiles(transaction, { organizationId, source }, kept)
  const results = new Map(
    published.map(({ change: { externalId }, member: { userId }, isNew, ...fields }): [string, IngestionResult] => [
      externalId,
      { externalId, userId, outcome: isNew ? 'CREATED' : 'UPDATED', ...fields },
    ]),
  )
  for (const { externalId, userId } of rows) {
    if (!results.has(externalId))
      results.set(externalId, { externalId, userId, outcome: 'UNCHANGED', ...nothingPublished })
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
  const { caller } = scope
  await requireMemberPermission(scope, 'ingestion:write', userId)
  const writer = memberWriterOf(scope, 'user.republish')
  return memberTransaction(scope.tables, async (tables) => {
    const read = async () => {
      const profiles = await readSourceProfiles(tables, caller.organizationId, userId)
      return {
        target: { userId },
        commands: profiles.flatMap(commandsOfStored),
        refusedValues: 'leave out',
        profiles,
      } as const
    }
    const held = await holdMembers(tables, writer, [await read()])
    // Again, as whoever took in a newer profile in between held the member until it was stored.
    const change = await read()
    if (!suffices(held, [change])) return undefined
    const changes = change.profiles.length === 0 ? [] : [change]
    const plan = planMembers(writer, changes, held)
    await writePlan(tables, writer, plan)
    const [{ changes: written, leftOut } = nothingPublished] = plan.outcomes
    return { json: await getUser({ tables, caller }, userId), changes: written, leftOut }
  })
}
