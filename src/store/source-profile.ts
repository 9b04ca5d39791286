import { Prisma } from '../../gen/prisma/client.js'
import type { SourceProfileModel } from '../../gen/prisma/models.js'
import { schema } from '../../gen/prisma/schema.js'
import { createQuery, type Tables } from '../db/tables.js'
import { rowsOfJson, typesIn } from './resource/resource.js'

export type SourceKey = Pick<SourceProfileModel, 'organizationId' | 'source'>

/** A profile as its source sent it, with the names of the fields. */
export interface SourceProfileDocument {
  readonly email: string
  readonly fields: Readonly<Record<string, string>>
  readonly managerEmail?: string
}

export interface KeptSourceProfile {
  readonly externalId: string
  readonly userId: string
  readonly profile: SourceProfileDocument
  readonly profileHash: Buffer
}

const keep = createQuery<SourceKey & { readonly profiles: string }>({
  name: 'keep_source_profiles',
  columns: {},
  text: ({ organizationId, source, profiles }) => Prisma.sql`
INSERT INTO source_profiles (organization_id, source, external_id, user_id, profile, profile_hash)
SELECT ${organizationId}, ${source}, p.external_id, p.user_id, p.profile, p.profile_hash
  FROM ${rowsOfJson(profiles, 'p', typesIn(schema.SourceProfile, ['external_id', 'user_id', 'profile', 'profile_hash']))}
 ORDER BY p.place
    ON CONFLICT (organization_id, source, external_id) DO UPDATE
       SET profile = EXCLUDED.profile, profile_hash = EXCLUDED.profile_hash,
           changed_at = EXCLUDED.changed_at, change_ordinal = EXCLUDED.change_ordinal`,
})

/** Finds the stored profiles of a source with these external ids, to compare them. */
export function findSourceProfiles(
  { models }: Tables,
  { organizationId, source }: SourceKey,
  externalIds: readonly string[],
) {
  return models.sourceProfile.findMany({
    where: { organizationId, source, externalId: { in: [...externalIds] } },
    select: { externalId: true, userId: true, profileHash: true },
  })
}

/** Stores profiles of one source; their order is the order of their last change. */
export async function keepSourceProfiles(
  tables: Tables,
  source: SourceKey,
  profiles: readonly KeptSourceProfile[],
): Promise<void> {
  if (profiles.length === 0) return
  const rows = profiles.map(({ externalId, userId, profile, profileHash }) => {
    return { externalId, userId, profile, profileHash: `\\x${profileHash.toString('hex')}` }
  })
  await keep(tables, { ...source, profiles: JSON.stringify(rows) })
}

/** All source profiles of a user, in the order of their last change. */
export async function readSourceProfiles(
  { models }: Tables,
  organizationId: string,
  userId: string,
): Promise<SourceProfileDocument[]> {
  const rows = await models.sourceProfile.findMany({
    where: { organizationId, userId },
    orderBy: { changeOrdinal: 'asc' },
    select: { profile: true },
  })
  // It is only written as such a document.
  return rows.map(({ profile }) => profile as unknown as SourceProfileDocument)
}
