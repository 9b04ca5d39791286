import { Prisma } from '../../gen/prisma/client.js'
import type { Queryable } from '../db/queryable.js'
import { createStatement, type Parameter } from '../db/statement.js'

/** Until when expired tokens are kept, the span of the limiter of revocations, and how many rows a statement deletes. */
export interface SweepLimits {
  readonly keptSeconds: number
  readonly spanSeconds: number
  readonly rows: number
}

interface SweptTable {
  readonly name: string
  readonly table: Prisma.Sql
  readonly isDue: (limits: { readonly keptSeconds: Parameter; readonly spanSeconds: Parameter }) => Prisma.Sql
}

/** Rows that somebody works on are left to the next sweep. */
function createSweep({ name, table, isDue }: SweptTable) {
  return createStatement<SweepLimits, { readonly deleted: number }>({
    name,
    reason: 'set',
    columns: { deleted: 'int4' },
    text: (limits) => Prisma.sql`
WITH deleted AS (
  DELETE FROM ${table}
   WHERE ctid = ANY (ARRAY(SELECT ctid FROM ${table} WHERE ${isDue(limits)} LIMIT ${limits.rows} FOR UPDATE SKIP LOCKED))
     AND ${isDue(limits)}
  RETURNING true
)
SELECT count(*)::int AS deleted FROM deleted`,
  })
}

const isExpired: SweptTable['isDue'] = ({ keptSeconds }) =>
  Prisma.sql`expires_at <= now() - make_interval(secs => ${keptSeconds})`

/** The statements of this file. */
export const sweepStatements = [
  createSweep({ name: 'sweep_api_key_sessions', table: Prisma.sql`api_key_sessions`, isDue: isExpired }),
  createSweep({ name: 'sweep_user_tokens', table: Prisma.sql`user_tokens`, isDue: isExpired }),
  createSweep({
    name: 'sweep_revoke_attempts',
    table: Prisma.sql`revoke_attempts`,
    isDue: ({ spanSeconds }) =>
      Prisma.sql`accepted_at[cardinality(accepted_at)] < clock_timestamp() - make_interval(secs => ${spanSeconds})`,
  }),
]

/** Deletes what decides nothing any more. Answers how many rows went. */
export async function sweep(tables: Pick<Queryable, 'run'>, limits: SweepLimits): Promise<number> {
  let swept = 0
  for (const statement of sweepStatements) {
    for (let last = limits.rows; last === limits.rows; swept += last) {
      const [row] = await tables.run(statement, limits)
      last = row?.deleted ?? 0
    }
  }
  return swept
}
