import { createHash } from 'node:crypto'
import type { Tables } from '../../db/tables.js'
import type { FieldViolation } from '../../errors.js'
import {
  type SourceKey,
  type SourceProfileDocument,
  selectSourceProfiles,
  writeSourceProfiles,
} from '../../store/source-profile.js'
import { commandsOfIngestion, type FieldCommand, type GovernedField } from '../profile/field-ownership.js'
import { type ProfileInput, profileValuesOf, type TextField, textFields } from '../profile/profile-value.js'
import { emailViolations } from '../value/email-address.js'

/**
 * A person as a connected app describes them. An absent field means that the app does not supply it; an empty one clears
 * the value.
 */
export interface SourceProfile {
  readonly externalId: string
  readonly email: string
  readonly profile: ProfileInput
  readonly managerEmail: string | undefined
}

/** A profile as it is stored, the SHA-256 of that, and the commands for publishing it. */
export interface JudgedProfile {
  readonly externalId: string
  readonly stored: SourceProfileDocument
  readonly hash: Buffer
  readonly commands: readonly FieldCommand[]
}

/** Validates one profile; `path` is its place in the request, such as `profiles[3].`. */
export function judgeProfile(
  { externalId, email, profile, managerEmail }: SourceProfile,
  path: string,
): { readonly judged: JudgedProfile; readonly violations: FieldViolation[] } {
  const { values, violations } = profileValuesOf(profile, path)
  const fields: Partial<Record<TextField, string>> = {}
  for (const field of textFields) if (profile[field] !== undefined) fields[field] = profile[field]
  const stored = { email, fields, ...(managerEmail === undefined ? {} : { managerEmail }) }
  return {
    judged: { externalId, stored, hash: hashOf(stored), commands: commandsOf(values, managerEmail) },
    violations: [
      ...emailViolations(`${path}email`, email),
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
export function commandsOfKept({ fields, managerEmail }: SourceProfileDocument): FieldCommand[] {
  return commandsOf(profileValuesOf(fields).values, managerEmail)
}

function commandsOf(values: ReadonlyMap<GovernedField, string>, managerEmail: string | undefined): FieldCommand[] {
  const manager = managerEmail === undefined ? [] : [['MANAGER', managerEmail] as const]
  return [...commandsOfIngestion(values), ...commandsOfIngestion(new Map(manager))]
}

/** What is known about a source profile before a call. */
export interface KnownProfile {
  readonly userId: string
  readonly hash: Uint8Array
}

/** The profiles of a source that are already stored, by external id. */
export async function findSourceProfiles(
  tables: Tables,
  source: SourceKey,
  externalIds: readonly string[],
): Promise<Map<string, KnownProfile>> {
  const rows = await selectSourceProfiles(tables, source, externalIds)
  return new Map(rows.map(({ externalId, userId, profileHash }) => [externalId, { userId, hash: profileHash }]))
}

/** Stores profiles of one source; their order becomes the order of their last change. */
export async function keepSourceProfiles(
  transaction: Tables,
  source: SourceKey,
  profiles: readonly (Pick<JudgedProfile, 'externalId' | 'stored' | 'hash'> & { readonly userId: string })[],
): Promise<void> {
  if (profiles.length === 0) return
  const rows = profiles.map(({ externalId, userId, stored, hash }) => {
    return { externalId, userId, profile: JSON.stringify(stored), profileHash: hash }
  })
  await writeSourceProfiles(transaction, source, rows)
}
