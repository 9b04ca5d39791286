import { createHash } from 'node:crypto'
import type { AnyTransaction, PreparedQueryable } from '../../db/queryable.js'
import type { FieldViolation } from '../../errors.js'
import {
  type SourceKey,
  type SourceProfileDocument,
  selectSourceProfiles,
  writeSourceProfiles,
} from '../../store/source-profile.js'
import { type ProfileInput, profileValuesOf, type TextField, textFields } from '../profile/profile-value.js'
import { emailViolations } from '../value/email-address.js'
import { optionalNameLimits, requiredViolations, textViolations } from '../value/text-field.js'
import type { Publication } from './profile-publication.js'

/** A person as a connected app knows it. An absent field is not supplied; an empty one clears. */
export interface SourceProfile {
  readonly externalId: string
  readonly email: string
  readonly profile: ProfileInput
  readonly managerEmail: string | undefined
}

/** The form of names of sources. */
export const sourceFormat = /^[a-z0-9_.-]{1,64}$/

/** What is wrong with a profile; `path` is its place in the request, such as `profiles[3].`. */
export function sourceProfileViolations(profile: SourceProfile, path: string): FieldViolation[] {
  const { externalId, email, managerEmail } = profile
  return [
    ...requiredViolations(`${path}externalId`, externalId),
    ...textViolations(`${path}externalId`, externalId, optionalNameLimits),
    ...emailViolations(`${path}email`, email),
    ...profileValuesOf(profile.profile, path).violations,
    // Empty clears.
    ...(managerEmail ? emailViolations(`${path}managerEmail`, managerEmail) : []),
  ]
}

/** The profile as it is kept. */
export function storedProfileOf({ email, profile, managerEmail }: SourceProfile): SourceProfileDocument {
  const fields: Partial<Record<TextField, string>> = {}
  for (const field of textFields) if (profile[field] !== undefined) fields[field] = profile[field]
  return { email, fields, ...(managerEmail === undefined ? {} : { managerEmail }) }
}

/** SHA-256 of what was sent. */
export function profileHashOf({ email, fields, managerEmail }: SourceProfileDocument): Buffer {
  const values = textFields.map((field) => fields[field] ?? null)
  return createHash('sha256')
    .update(JSON.stringify([email, managerEmail ?? null, values]))
    .digest()
}

/** What a kept profile publishes. A value that this version does not take any more is not supplied. */
export function publicationOf(userId: string, { fields, managerEmail }: SourceProfileDocument): Publication {
  return { userId, supplied: profileValuesOf(fields).values, managerEmail }
}

/** What is known of a source profile before a call. */
export interface KnownProfile {
  readonly userId: string
  readonly hash: Uint8Array
}

/** The profiles of a source that are kept already, by external id. */
export async function findSourceProfiles(
  tables: PreparedQueryable,
  source: SourceKey,
  externalIds: readonly string[],
): Promise<Map<string, KnownProfile>> {
  const rows = await selectSourceProfiles(tables, source, externalIds)
  return new Map(rows.map(({ externalId, userId, profileHash }) => [externalId, { userId, hash: profileHash }]))
}

/** A source profile to keep. */
export interface KeptProfile {
  readonly externalId: string
  readonly userId: string
  readonly stored: SourceProfileDocument
}

/** Keeps profiles of one source; their order is the order of their last change. */
export async function keepSourceProfiles(
  transaction: AnyTransaction,
  source: SourceKey,
  profiles: readonly KeptProfile[],
): Promise<void> {
  if (profiles.length === 0) return
  const rows = profiles.map(({ externalId, userId, stored }) => {
    return { externalId, userId, profile: JSON.stringify(stored), profileHash: profileHashOf(stored) }
  })
  await writeSourceProfiles(transaction, source, rows)
}
