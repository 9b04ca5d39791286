import type pg from 'pg'
import { FOREIGN_KEYS_TABLE } from './distribution-plan.js'
import { rowsOf, withSchemaSession } from './schema-session.js'

/**
 * Throws where a database is distributed in part alone, or in a way that calls would fail by, and where it is the worker of a
 * cluster: with what to do about it. Changes nothing; of a database that nobody distributes it asks one question.
 */
export function requireWholeDistribution(connectionString: string): Promise<void> {
  return withSchemaSession(connectionString, 'svc start', judge)
}

async function judge(client: pg.Client): Promise<void> {
  const [database] = await rowsOf<{ isUnfinished: boolean; hasCitus: boolean }>(
    client,
    `SELECT to_regclass($1) IS NOT NULL AS "isUnfinished", to_regclass('pg_dist_partition') IS NOT NULL AS "hasCitus"`,
    [FOREIGN_KEYS_TABLE],
  )
  if (database?.isUnfinished === true) {
    throw new Error('the distribution of the database is not finished: run "npx svc distribute" again')
  }
  if (database?.hasCitus !== true) return
  const [cluster] = await rowsOf<{ isDistributed: boolean; isWorker: boolean; mode: string | null; name: string }>(
    client,
    `SELECT EXISTS (SELECT FROM pg_dist_partition WHERE logicalrelid = to_regclass('organizations')) AS "isDistributed",
            (SELECT groupid <> 0 FROM pg_dist_local_group) AS "isWorker",
            current_setting('citus.multi_shard_modify_mode', true) AS mode, quote_ident(current_database()) AS name`,
  )
  if (cluster?.isDistributed !== true) return
  if (cluster.isWorker) {
    throw new Error('the database is the worker of a cluster: give the coordinator in DATABASE_URL')
  }
  if (cluster.mode !== 'sequential') {
    throw new Error(
      `citus.multi_shard_modify_mode has to be sequential and is ${cluster.mode}: ` +
        `ALTER DATABASE ${cluster.name} SET citus.multi_shard_modify_mode = 'sequential', or run "npx svc distribute" again`,
    )
  }
}
