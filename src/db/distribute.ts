import type pg from 'pg'
import { type DistributionPlan, FOREIGN_KEYS_TABLE, hasCitus, hasTable, planDistribution } from './distribution-plan.js'
import { lockSchema, withSchemaSession } from './session.js'

const NAME = 'svc distribute'
/** How long to wait for others who change the schema: the session of a killed run ends within a second. */
const LOCK_MILLIS = 10_000

/** The plan for a database of the service, with so many shards per table. Changes nothing. */
export function distributionPlanOf(connectionString: string, shardCount: number): Promise<DistributionPlan> {
  return withSchemaSession(connectionString, NAME, (client) => planDistribution(client, shardCount))
}

/**
 * Distributes a database of the service by organization. An interrupted run is resumed by the next one; until one has
 * finished, the service does not start. Returns the number of steps. Throws, having changed nothing, if the database or
 * its cluster lacks something. `onStep` is called before each step with its title, and the signal ends the run before
 * its next step.
 */
export function distribute(
  connectionString: string,
  shardCount: number,
  onStep: (title: string) => void,
  signal?: AbortSignal,
): Promise<number> {
  return withSchemaSession(connectionString, NAME, async (client) => {
    await lockSchema(client, LOCK_MILLIS)
    const { needs, steps } = await planDistribution(client, shardCount)
    refuse(needs)
    for (const setting of sessionSettings) await client.query(setting)
    for (const { title, statements } of steps) {
      signal?.throwIfAborted()
      onStep(title)
      await client.query('BEGIN')
      for (const text of statements) await client.query(text)
      await client.query('COMMIT')
    }
    return steps.length
  })
}

/** Revoked keys are guarded by a trigger, which works on shards as on tables. Copying may take as long as it needs. */
const sessionSettings = [
  'SET citus.enable_unsafe_triggers = on',
  "SET citus.multi_shard_modify_mode = 'sequential'",
  "SET client_connection_check_interval = '1s'",
  'SET lock_timeout = 0',
  'SET statement_timeout = 0',
]

/** Throws with the list of needs, unless it is empty. */
export function refuse(needs: readonly string[]): void {
  if (needs.length > 0)
    throw new Error(`the database cannot be distributed:\n${needs.map((need) => `  ${need}`).join('\n')}`)
}

/**
 * Whether a database is distributed. Throws, saying what to do, if the distribution is not finished, or if the database
 * is a worker of a cluster. Changes nothing.
 */
export function requireWholeDistribution(connectionString: string): Promise<boolean> {
  return withSchemaSession(connectionString, 'svc start', async (client) => {
    if (await hasTable(client, FOREIGN_KEYS_TABLE)) {
      throw new Error('the distribution of the database is not finished: run "npx svc distribute" again')
    }
    if (!(await hasCitus(client))) return false
    const { rowCount } = await client.query(
      `SELECT FROM pg_dist_partition WHERE logicalrelid = to_regclass('organizations')`,
    )
    if (rowCount === 0) return false
    await refuseWorker(client)
    return true
  })
}

/** Throws if the database is a worker of a cluster. */
export function requireCoordinator(connectionString: string): Promise<void> {
  return withSchemaSession(connectionString, 'svc start', async (client) => {
    if (await hasCitus(client)) await refuseWorker(client)
  })
}

async function refuseWorker(client: pg.Client): Promise<void> {
  const { rowCount } = await client.query('SELECT FROM pg_dist_local_group WHERE groupid <> 0')
  if (rowCount === 0) return
  throw new Error('the database is a worker of a cluster: DATABASE_URL must name the coordinator')
}
