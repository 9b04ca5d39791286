import type pg from 'pg'
import { FOREIGN_KEYS_TABLE } from './distribution-plan.js'
import { rowsOf, withSchemaSession } from './schema-session.js'

/**
 * Throws, saying what to do, if a database is only partly distributed, is distributed so that calls would fail, or is a
 * worker of a cluster. Changes nothing; sends one query to a database that is not distributed.
 */
export function requireWholeDistribution(connectionString: string): Promise<void> {
  return withSchemaSession(connectionString, NAME, async (client) => {
    const [database] = await rowsOf<{ isUnfinished: boolean; hasCitus: boolean }>(
      client,
      `SELECT to_regclass($1) IS NOT NULL AS "isUnfinished", ${hasCitus}`,
      [FOREIGN_KEYS_TABLE],
    )
    if (database?.isUnfinished === true) {
      throw new Error('the distribution of the database is not finished: run "npx svc distribute" again')
    }
    if (database?.hasCitus === true) await judgeCluster(client)
  })
}

/** Throws if the database is a worker of a cluster. */
export function requireCoordinator(connectionString: string): Promise<void> {
  return withSchemaSession(connectionString, NAME, async (client) => {
    const [database] = await rowsOf<{ hasCitus: boolean }>(client, `SELECT ${hasCitus}`)
    if (database?.hasCitus === true && (await isWorker(client))) throw workerGiven()
  })
}

const NAME = 'svc start'
const hasCitus = `to_regclass('pg_catalog.pg_dist_partition') IS NOT NULL AS "hasCitus"`

async function judgeCluster(client: pg.Client): Promise<void> {
  const [cluster] = await rowsOf<{ isDistributed: boolean; mode: string | null; name: string }>(
    client,
    `SELECT EXISTS (SELECT FROM pg_dist_partition WHERE logicalrelid = to_regclass('organizations')) AS "isDistributed",
            current_setting('citus.multi_shard_modify_mode', true) AS mode, quote_ident(current_database()) AS name`,
  )
  if (cluster?.isDistributed !== true) return
  if (await isWorker(client)) throw workerGiven()
  if (cluster.mode !== 'sequential') {
    throw new Error(
      `citus.multi_shard_modify_mode must be sequential, but is ${cluster.mode}: ` +
        `ALTER DATABASE ${cluster.name} SET citus.multi_shard_modify_mode = 'sequential', or run "npx svc distribute" again`,
    )
  }
}

async function isWorker(client: pg.Client): Promise<boolean> {
  const [node] = await rowsOf<{ isWorker: boolean }>(
    client,
    'SELECT groupid <> 0 AS "isWorker" FROM pg_dist_local_group',
  )
  return node?.isWorker === true
}

function workerGiven(): Error {
  return new Error('the database is a worker of a cluster: DATABASE_URL must name the coordinator')
}
