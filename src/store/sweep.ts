import { Prisma } from '../../gen/prisma/client.js'
import { createStatement } from '../db/statement.js'
import { firstRow, type Tables } from '../db/tables.js'
import { byOrganization } from './organization.js'

/** What to delete: what expired or was made by a time, at most so many rows. */
interface Expired {
  readonly by: Date
  readonly rows: number
}

/** The same of one organization. */
export interface ExpiredOf extends Expired {
  readonly organizationId: string
}

/** Deletes expired access tokens and user tokens of all organizations. Returns how many were deleted. */
export async function deleteExpiredTokens({ models }: Tables, { by, rows }: Expired): Promise<number> {
  const isExpired = { expiresAt: { lte: by } }
  const select = { organizationId: true, tokenHash: true } as const
  const sessions = await models.apiKeySession.findMany({ where: isExpired, select, take: rows })
  const userTokens = await models.userToken.findMany({ where: isExpired, select, take: rows })
  let deleted = 0
  const ofEachOrganization = (tokens: typeof sessions) =>
    [...byOrganization(tokens)].map(([organizationId, some]) => {
      return { organizationId, tokenHash: { in: some.map(({ tokenHash }) => tokenHash) } }
    })
  for (const where of ofEachOrganization(sessions)) deleted += (await models.apiKeySession.deleteMany({ where })).count
  for (const where of ofEachOrganization(userTokens)) deleted += (await models.userToken.deleteMany({ where })).count
  return deleted
}

interface ExpiredAttempts {
  readonly spanSeconds: number
  readonly rows: number
}

/** Rows that are in use are left to the next sweep. */
const deleteAttempts = createStatement<ExpiredAttempts, { readonly deleted: number }>({
  name: 'delete_revoke_attempts',
  columns: { deleted: 'int4' },
  text: ({ spanSeconds, rows }) => {
    const isDue = Prisma.sql`accepted_at[cardinality(accepted_at)] < clock_timestamp() - make_interval(secs => ${spanSeconds})`
    return Prisma.sql`
WITH deleted AS (
  DELETE FROM revoke_attempts
   WHERE ctid = ANY (ARRAY(SELECT ctid FROM revoke_attempts WHERE ${isDue} LIMIT ${rows} FOR UPDATE SKIP LOCKED))
     AND ${isDue}
  RETURNING 1
)
SELECT count(*)::int AS deleted FROM deleted`
  },
})

/** Deletes the attempts of addresses whose span is over. Returns how many rows were deleted. */
export async function deleteRevokeAttempts(tables: Tables, attempts: ExpiredAttempts): Promise<number> {
  return (await firstRow(tables, deleteAttempts, attempts))?.deleted ?? 0
}
