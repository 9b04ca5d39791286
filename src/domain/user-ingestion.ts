import { createHash } from 'node:crypto'
import type { Tables } from '../db/tables.js'
import { type FieldViolation, refuseViolations, ServiceError } from '../errors.js'
import { takeLocks } from '../store/lock.js'
import { lockMemberRows } from '../store/member.js'
import type { PrintedObject } from '../store/resource/print.js'
import {
  findSourceProfiles,
  type KeptSourceProfile,
  keepSourceProfiles,
  readSourceProfiles,
  type SourceProfileDocument,
} from '../store/source-profile.js'
import { type CallContext, requirePermissionIn } from './caller/caller.js'
import { commandsOfRequest, type GovernedField, governedFields } from './profile/field-ownership.js'
import { fieldNames, type ProfileInput, profileValuesOf, type TextField, textFields } from './profile/profile-value.js'
import { lockMembers } from './user/lock.js'
import type { ChangedMember, MemberCommand } from './user/member.js'
import { planMembers } from './user/plan.js'
import { memberWriterOf, printMember, requireMemberPermission } from './user/user.js'
import { memberTransaction, writePlan } from './user/write.js'
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
  /** The limits of the schema that it breaks. */
  readonly limits: readonly FieldViolation[]
}

/** A value that cannot be taken, and what it must be instead. */
export interface RefusedValue {
  readonly field: GovernedField
  readonly message: string
}

/** A profile as it is stored, with the SHA-256 of what was sent, and the commands for publishing it. */
interface JudgedProfile extends Omit<KeptSourceProfile, 'userId'> {
  readonly commands: readonly MemberCommand[]
  readonly refusedValues: readonly RefusedValue[]
}

/**
 * Validates one profile. Without a valid external id and email address it is refused; other invalid values are only
 * left out.
 */
function judgeProfile({
  externalId,
  email,
  profile,
  managerEmail,
  limits,
}: SourceProfile): JudgedProfile | ServiceError {
  const faults = new Map(limits.map((violation) => [violation.field, violation]))
  const kept: Partial<Record<TextField, string>> = {}
  for (const field of textFields) {
    const text = profile[field]
    if (text !== undefined && !faults.has(fieldNames[field])) kept[field] = text
  }
  const { values, violations } = profileValuesOf({ ...kept, ...(!faults.has('email') && { email }) })
  // An empty address clears the manager.
  const isAddressJudged = managerEmail !== undefined && managerEmail !== '' && !faults.has('managerEmail')
  const ofManager = isAddressJudged ? emailViolations('managerEmail', managerEmail) : []
  for (const violation of [...violations, ...ofManager]) faults.set(violation.field, violation)
  for (const name of ['externalId', 'email']) {
    const fault = faults.get(name)
    if (fault === undefined) continue
    return new ServiceError(fault.reason, `${name}: ${fault.description}`, { metadata: { field: name } })
  }
  const refusedValues = governedFields.flatMap((field) => {
    const fault = faults.get(field === 'MANAGER' ? 'managerEmail' : fieldNames[field])
    return fault === undefined ? [] : { field, message: fault.description }
  })
  for (const { field } of refusedValues) if (field !== 'MANAGER') delete kept[field]
  const manager = faults.has('managerEmail') ? undefined : managerEmail
  return {
    externalId,
    profile: documentOf(email, kept, manager),
    profileHash: hashOf(documentOf(email, givenIn(profile), managerEmail)),
    commands: commandsOf(values, manager),
    refusedValues,
  }
}

function documentOf(email: string, fields: ProfileFields, managerEmail: string | undefined): SourceProfileDocument {
  return { email, fields, ...(managerEmail === undefined ? {} : { managerEmail }) }
}

type ProfileFields = SourceProfileDocument['fields']

function givenIn(profile: ProfileInput): ProfileFields {
  const given: Record<string, string> = {}
  for (const [field, text] of Object.entries(profile)) if (text !== undefined) given[field] = text
  return given
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

/** The outcomes for the fields of a publication. */
export type PublishedFields = Pick<ChangedMember, 'changes' | 'leftOut'>

const nothingPublished: PublishedFields = { changes: [], leftOut: new Set() }

export interface IngestionRequest {
  readonly source: string
  readonly profiles: readonly SourceProfile[]
}

export interface IngestionResult extends PublishedFields {
  readonly externalId: string
  /** Empty if the profile is refused. */
  readonly userId: string
  readonly outcome: 'CREATED' | 'UPDATED' | 'UNCHANGED' | 'REFUSED'
  readonly refusedValues: readonly RefusedValue[]
  readonly refusal: ServiceError | undefined
}

/** The result of publishing a profile that was not refused. */
type Published = Omit<IngestionResult, 'refusedValues' | 'refusal'>

/**
 * Stores the profiles of one source and publishes those that are new or changed. Returns one result per profile, in
 * order (docs/field-ownership.md). Throws `DUPLICATE_ID` for the request, and `PERMISSION_MISSING`; then nothing is
 * written.
 */
export async function ingestUserProfiles(context: CallContext, request: IngestionRequest): Promise<IngestionResult[]> {
  const { source, profiles } = request
  const externalIds = profiles.map(({ externalId }) => externalId)
  // An id that is missing is one profile's fault alone.
  const given = externalIds.map((externalId, index) => externalId || `\0${index}`)
  refuseViolations(repeats('profiles', 'externalId', given, 'send each external id once').flat())
  requirePermissionIn(context.caller, null, 'ingestion:write')
  const judged = profiles.map(judgeProfile)
  const taken = judged.flatMap((each) => (each instanceof ServiceError ? [] : each))
  const published = await memberTransaction(context.tables, (transaction) =>
    ingest(transaction, context, source, taken),
  )
  return judged.flatMap((each, index): IngestionResult | [] => {
    const externalId = externalIds[index] ?? ''
    if (each instanceof ServiceError) {
      const refused = { externalId, userId: '', outcome: 'REFUSED', refusedValues: [], refusal: each } as const
      return { ...refused, ...nothingPublished }
    }
    const result = published.get(externalId)
    return result === undefined ? [] : { ...result, refusedValues: each.refusedValues, refusal: undefined }
  })
}

/** Publishes profiles, and returns what came of them by their external ids. */
async function ingest(
  transaction: Tables,
  context: CallContext,
  source: string,
  profiles: readonly JudgedProfile[],
): Promise<ReadonlyMap<string, Published>> {
  const { organizationId } = context.caller
  await takeLocks(transaction, [{ kind: 'source', organizationId, value: source }])
  const externalIds = profiles.map(({ externalId }) => externalId)
  const rows = await findSourceProfiles(transaction, { organizationId, source }, externalIds)
  const known = new Map(rows.map((row) => [row.externalId, row]))
  const changes = profiles.flatMap((profile) => {
    const before = known.get(profile.externalId)
    if (before !== undefined && profile.profileHash.equals(before.profileHash)) return []
    const target = before === undefined ? { email: profile.profile.email } : { userId: before.userId }
    return { ...profile, target, refusedValues: 'leave out' as const }
  })
  const writer = memberWriterOf(context, 'user.ingest')
  const plan = planMembers(writer, changes, await lockMembers(transaction, writer, changes))
  await writePlan(transaction, writer, plan)
  const published = plan.outcomes
  const kept = published.map(({ change, member }) => ({ userId: member.userId, ...change }))
  await keepSourceProfiles(transaction, { organizationId, source }, kept)
  const results = new Map(
    published.map(({ change: { externalId }, member: { userId }, isNew, ...fields }): [string, Published] => [
      externalId,
      { externalId, userId, outcome: isNew ? 'CREATED' : 'UPDATED', ...fields },
    ]),
  )
  for (const { externalId, userId } of rows) {
    if (!results.has(externalId))
      results.set(externalId, { externalId, userId, outcome: 'UNCHANGED', ...nothingPublished })
  }
  return results
}

/**
 * Publishes all source profiles of a user again, in the order of their last change, and returns the user:
 * whatever ingestion left out is reconsidered (docs/field-ownership.md). Throws `RESOURCE_NOT_FOUND` and
 * `PERMISSION_MISSING`.
 */
export async function republishUser(
  context: CallContext,
  userId: string,
): Promise<PublishedFields & { readonly user: PrintedObject }> {
  const { caller } = context
  await requireMemberPermission(context, 'ingestion:write', userId)
  const writer = memberWriterOf(context, 'user.republish')
  return memberTransaction(context.tables, async (tables) => {
    // An ingestion of a newer profile locks the member until the profile is stored.
    const rows = await lockMemberRows(tables, caller.organizationId, [userId])
    const profiles = await readSourceProfiles(tables, caller.organizationId, userId)
    if (profiles.length === 0) return { user: await printMember({ tables, caller }, userId), ...nothingPublished }
    const change = {
      target: { userId },
      commands: profiles.flatMap(commandsOfStored),
      refusedValues: 'leave out',
    } as const
    const plan = planMembers(writer, [change], await lockMembers(tables, writer, [change], rows))
    await writePlan(tables, writer, plan)
    const [{ changes, leftOut }] = plan.outcomes
    return { user: await printMember({ tables, caller }, userId), changes, leftOut }
  })
}
