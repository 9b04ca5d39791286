import { createHash } from 'node:crypto'
import type { FieldViolation } from '../../errors.js'
import type { KeptSourceProfile, SourceProfileDocument } from '../../store/source-profile.js'
import { commandsOfRequest, type GovernedField, type SkippedFields, skippedFields } from '../profile/field-ownership.js'
import { type ProfileInput, profileValuesOf, type TextField, textFields } from '../profile/profile-value.js'
import type { ChangedMember, MemberCommand } from '../user/member.js'
import { emailViolations } from '../value/email-address.js'

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
export interface JudgedProfile extends Omit<KeptSourceProfile, 'userId'> {
  readonly commands: readonly MemberCommand[]
}

/** Validates one profile; `path` is its place in the request, such as `profiles[3].`. */
export function judgeProfile(
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
export function commandsOfStored({ fields, managerEmail }: SourceProfileDocument): MemberCommand[] {
  return commandsOf(profileValuesOf(fields).values, managerEmail)
}

function commandsOf(values: ReadonlyMap<GovernedField, string>, managerEmail: string | undefined): MemberCommand[] {
  const commands = commandsOfRequest({ writer: 'automation', values })
  if (managerEmail === undefined) return commands
  if (managerEmail === '') return [...commands, { kind: 'set', field: 'MANAGER', value: '', as: 'AUTOMATION' }]
  return [...commands, { kind: 'set manager by email', field: 'MANAGER', email: managerEmail, as: 'AUTOMATION' }]
}

/** What a publication left alone or left out. */
export interface PublishedFields {
  readonly skipped: SkippedFields
  readonly skippedPhone: boolean
  readonly unresolvedManager: boolean
}

/** The same from the outcome for a member, or for nothing published if there is no outcome. */
export function publishedFields(published?: Pick<ChangedMember, 'changes' | 'leftOut'>): PublishedFields {
  return {
    skipped: skippedFields(published?.changes ?? []),
    skippedPhone: published?.leftOut.has('PRIMARY_PHONE') === true,
    unresolvedManager: published?.leftOut.has('MANAGER') === true,
  }
}
