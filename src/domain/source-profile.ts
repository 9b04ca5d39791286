import { createHash } from 'node:crypto'
import type { Sql } from '../db/sql.js'
import type { FieldViolation } from '../errors.js'
import { emailViolations } from './email-address.js'
import type { Publication } from './profile-publication.js'
import { type ProfileInput, profileValuesOf, type TextField, textFields } from './profile-value.js'
import { optionalNameLimits, requiredViolations, textViolations } from './text-field.js'

/** A person as a connected app knows it. An absent field is not supplied; an empty one clears. */
export interface SourceProfile {
  readonly externalId: string
  readonly email: string
  readonly profile: ProfileInput
  readonly managerEmail: string | undefined
}

/** A source profile as it is kept: the fields as they were sent. */
export interface StoredProfile {
  readonly email: string
  readonly fields: Readonly<Partial<Record<TextField, string>>>
  readonly managerEmail?: string
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
export function storedProfileOf({ email, profile, managerEmail }: SourceProfile): StoredProfile {
  const fields: Partial<Record<TextField, string>> = {}
  for (const field of textFields) if (profile[field] !== undefined) fields[field] = profile[field]
  return { email, fields, ...(managerEmail === undefined ? {} : { managerEmail }) }
}

/** SHA-256 of what was sent. */
export function profileHashOf({ email, fields, managerEmail }: StoredProfile): Buffer {
  const values = textFields.map((field) => fields[field] ?? null)
  return createHash('sha256')
    .update(JSON.stringify([email, managerEmail ?? null, values]))
    .digest()
}

/** What a kept profile publishes. A value that this version does not take any more is not supplied. */
export function publicationOf(userId: string, { fields, managerEmail }: StoredProfile): Publication {
  return { userId, supplied: profileValuesOf(fields).values, managerEmail }
}

/** First half of the key of the advisory lock on a source of an organization; the second half is a hash of both. */
const SOURCE_LOCK = 0x737263

/** Lets no other transaction take in profiles of the source until this one ends. */
export async function lockSource(sql: Sql, organizationId: string, source: string): Promise<void> {
  // No organization id has a slash.
  await sql.query('SELECT pg_advisory_xact_lock($1, hashtext($2))', [SOURCE_LOCK, `${organizationId}/${source}`])
}

/** What is known of a source profile before a call. */
export interface KnownProfile {
  readonly userId: string
  readonly hash: Buffer
}

/** The profiles of a source that are kept already, by external id. */
export async function findSourceProfiles(
  sql: Sql,
  organizationId: string,
  source: string,
  externalIds: readonly string[],
): Promise<Map<string, KnownProfile>> {
  const rows = await sql.query<{ external_id: string; user_id: string; profile_hash: Buffer }>(
    `SELECT external_id, user_id, profile_hash FROM source_profiles
      WHERE organization_id = $1 AND source = $2 AND external_id = ANY ($3)`,
    [organizationId, source, externalIds],
    'find_source_profiles',
  )
  return new Map(rows.map((row) => [row.external_id, { userId: row.user_id, hash: row.profile_hash }]))
}

/** A source profile to keep. */
export interface KeptProfile {
  readonly externalId: string
  readonly userId: string
  readonly stored: StoredProfile
}

/** Keeps profiles of one source; their order is the order of their last change. */
export async function keepSourceProfiles(
  sql: Sql,
  organizationId: string,
  source: string,
  profiles: readonly KeptProfile[],
): Promise<void> {
  if (profiles.length === 0) return
  await sql.execute(
    `INSERT INTO source_profiles (organization_id, source, external_id, user_id, profile, profile_hash)
     SELECT $1, $2, p.external_id, p.user_id, p.profile, p.profile_hash
       FROM unnest($3::text[], $4::text[], $5::jsonb[], $6::bytea[])
            WITH ORDINALITY AS p (external_id, user_id, profile, profile_hash, place)
      ORDER BY p.place
         ON CONFLICT (organization_id, source, external_id) DO UPDATE
            SET profile = EXCLUDED.profile, profile_hash = EXCLUDED.profile_hash,
                changed_at = EXCLUDED.changed_at, change_ordinal = EXCLUDED.change_ordinal`,
    [
      ...[organizationId, source],
      ...[profiles.map(({ externalId }) => externalId), profiles.map(({ userId }) => userId)],
      ...[profiles.map(({ stored }) => JSON.stringify(stored)), profiles.map(({ stored }) => profileHashOf(stored))],
    ],
    'keep_source_profiles',
  )
}

/** All source profiles of a user, in the order of their last change. */
export async function readSourceProfiles(sql: Sql, organizationId: string, userId: string): Promise<StoredProfile[]> {
  const rows = await sql.query<{ profile: StoredProfile }>(
    `SELECT profile FROM source_profiles WHERE organization_id = $1 AND user_id = $2 ORDER BY change_ordinal`,
    [organizationId, userId],
    'read_source_profiles',
  )
  return rows.map(({ profile }) => profile)
}
