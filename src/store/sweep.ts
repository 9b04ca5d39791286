import { Prisma } from '../../gen/prisma/client.js'
import type { UserTokenModel } from '../../gen/prisma/models.js'
import { createStatement, type Places } from '../db/statement.js'
import type { Tables } from '../db/tables.js'
import { byOrganization } from './by-organization.js'

/** The time until which expired tokens are kept, the span of the revocation limit, and the rows per deletion. */
export interface SweepLimits {
  readonly keptSeconds: number
  readonly spanSeconds: number
  readonly rows: number
}

type TokenTable = 'api_key_sessions' | 'user_tokens'

/** The key of an expired token, and its table. */
type ExpiredToken = Pick<UserTokenModel, 'organizationId' | 'tokenHash'> & { readonly table: TokenTable }

type TokenLimits = Pick<SweepLimits, 'keptSeconds' | 'rows'>

const expired = ({ keptSeconds }: Places<Pick<SweepLimits, 'keptSeconds'>>) =>
  Prisma.sql`expires_at <= now() - make_interval(secs => ${keptSeconds})`

const expiredIn = (table: TokenTable, limits: Places<TokenLimits>) => Prisma.sql`
(SELECT '${Prisma.raw(table)}' AS "table", organization_id AS "organizationId", token_hash AS "tokenHash"
   FROM ${Prisma.raw(table)} WHERE ${expired(limits)} LIMIT ${limits.rows})`

/** Of all organizations. */
const findTokens = createStatement<TokenLimits, ExpiredToken>({
  name: 'find_expired_tokens',
  columns: { table: 'text', organizationId: 'text', tokenHash: 'bytea' },
  text: (limits) => Prisma.sql`${expiredIn('api_key_sessions', limits)} UNION ALL ${expiredIn('user_tokens', limits)}`,
})

interface TokensToDelete extends Pick<SweepLimits, 'keptSeconds'> {
  readonly organizationId: string
  readonly tokenHashes: readonly Uint8Array[]
}

interface Deleted {
  readonly deleted: number
}

/** Rows that are in use are left to the next sweep. */
const createTokenSweep = (table: TokenTable) =>
  createStatement<TokensToDelete, Deleted>({
    name: `sweep_${table}`,
    columns: { deleted: 'int4' },
    text: ({ organizationId, tokenHashes, keptSeconds }) => Prisma.sql`
WITH due AS (
  SELECT token_hash FROM ${Prisma.raw(table)}
   WHERE organization_id = ${organizationId} AND token_hash = ANY (${tokenHashes}::bytea[]) AND ${expired({ keptSeconds })}
     FOR UPDATE SKIP LOCKED
), deleted AS (
  DELETE FROM ${Prisma.raw(table)} token USING due
   WHERE token.organization_id = ${organizationId} AND token.token_hash = due.token_hash
  RETURNING 1
)
SELECT count(*)::int AS deleted FROM deleted`,
  })

const sweepTokens: Readonly<Record<TokenTable, ReturnType<typeof createTokenSweep>>> = {
  api_key_sessions: createTokenSweep('api_key_sessions'),
  user_tokens: createTokenSweep('user_tokens'),
}

const sweepAttempts = createStatement<Pick<SweepLimits, 'spanSeconds' | 'rows'>, Deleted>({
  name: 'sweep_revoke_attempts',
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

/** The statements of this file. */
export const sweepStatements = [findTokens, ...Object.values(sweepTokens), sweepAttempts]

/** Deletes rows that have no effect any more. Returns how many were deleted. */
export async function sweep(tables: Tables, limits: SweepLimits): Promise<number> {
  let swept = 0
  for (let last = limits.rows; last >= limits.rows; swept += last) last = await sweepExpiredTokens(tables, limits)
  for (let last = limits.rows; last >= limits.rows; swept += last) {
    last = await deletedBy(tables.run(sweepAttempts, limits))
  }
  return swept
}

/** Deletes tokens of each table in batches, by their keys; if fewer are deleted than found, the others are in use. */
async function sweepExpiredTokens(tables: Tables, limits: SweepLimits): Promise<number> {
  const found = await tables.run(findTokens, limits)
  let swept = 0
  for (const [table, statement] of Object.entries(sweepTokens)) {
    const tokens = byOrganization(found.filter((token) => token.table === table))
    for (const [organizationId, some] of tokens) {
      const tokenHashes = some.map(({ tokenHash }) => tokenHash)
      swept += await deletedBy(tables.run(statement, { organizationId, tokenHashes, keptSeconds: limits.keptSeconds }))
    }
  }
  return swept
}

async function deletedBy(rows: Promise<Deleted[]>): Promise<number> {
  return (await rows)[0]?.deleted ?? 0
}
