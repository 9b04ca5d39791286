import { createDatabaseClock } from './clock.js'
import { BoundedPool, type PoolOptions } from './pool.js'
import { createModelsClient } from './prisma.js'
import { createReplica } from './replica.js'
import { type RetryCounts, systemTiming, type Timing } from './retries.js'
import { sessionUrl } from './session-settings.js'
import type { TablesUser } from './tables.js'
import { createTables } from './user-tables.js'

/** One pool of connections, for models and statements. */
export type Database = ReturnType<typeof createDatabase>

export interface DatabaseOptions extends PoolOptions {
  /** The URL of a replica, which lists and snapshots are read from while it is fresh enough. */
  readonly replicaConnectionString?: string | undefined
  /** How long one statement may run on the replica: past it, the primary does it. Default 3 s. */
  readonly replicaReadMillis?: number
  /** Default: the machine's. */
  readonly timing?: Timing
}

/** How long statements may continue when the handle is closed. */
const CLOSE_MILLIS = 500

/** Makes a database handle. Connects when first used. */
export function createDatabase(options: DatabaseOptions) {
  const { timing = systemTiming } = options
  const pool = new BoundedPool(options)
  const client = createModelsClient(pool)
  const retries: RetryCounts = { conflict: 0, staleStatement: 0 }
  const primary = { pool, client, timing, retries }
  const { replicaConnectionString: connectionString, replicaReadMillis: readMillis } = options
  const replica =
    connectionString === undefined
      ? undefined
      : createReplica({ ...options, connectionString, readMillis }, createTables(primary, {}), timing)
  const source = { ...primary, replica }
  const tablesFor = (user: TablesUser) => createTables(source, user)
  const tables = tablesFor({})
  return {
    ...tables,
    clock: createDatabaseClock(tables, timing),
    /** The URL of its sessions, with what every one of them has. */
    connectionString: sessionUrl(options),
    pool,
    replica,
    prisma: client.prisma,
    retries: retries as Readonly<RetryCounts>,
    /** The tables as a user has them: a call, or what has a time limit of its own. */
    tablesFor,
    /** No one waits for a call any more: what it still waits for fails with the reason, and is canceled if it runs. */
    stop: (call: object, reason: Error) => {
      pool.stop(call, reason)
      replica?.pool.stop(call, reason)
    },
    /** Waits briefly for running statements, then closes every connection. */
    close: async () => {
      await Promise.all([client.prisma.$disconnect(), pool.close(CLOSE_MILLIS), replica?.pool.close(CLOSE_MILLIS)])
    },
  }
}
