import type { Logger } from 'pino'
import type { Config } from '../config.js'
import { createDatabase } from '../db/database.js'
import type { EmbeddedPostgres } from '../db/embedded/embedded-postgres.js'
import { migrate, pendingMigrations } from '../db/migrate.js'
import { loadMigrations } from '../db/migration.js'
import { requireWholeDistribution } from '../db/require-whole-distribution.js'
import { requireSessions } from '../db/session-settings.js'
import { directUrlOf, type OpenedDatabase, requireNoPending, sessionsOf } from './command-context.js'

/** How a command reaches its database. */
export interface OpenOptions {
  readonly config: Config
  readonly log: Logger
  /** Whether to make and migrate the database, as `CommandContext.makeDatabase` does. */
  readonly make: boolean
  /** Called with the embedded server before its database is used. */
  readonly beforeUse?: (embedded: EmbeddedPostgres) => Promise<void>
  /** How long one statement may run. Default 10 minutes, for what operators wait for, such as a large import. */
  readonly statementTimeoutMillis?: number
  /** Whether to use the pooler, if there is one. Default no: what operators do may take a session of its own. */
  readonly usesPooler?: boolean
}

/** Opens the database of the embedded server, or the one that the configuration names, as `openConfiguredDatabase` does. */
export async function openDatabase(
  { config, log, make, beforeUse, statementTimeoutMillis = 600_000, usesPooler = false }: OpenOptions,
  embedded: EmbeddedPostgres | undefined,
): Promise<OpenedDatabase> {
  const directUrl = embedded?.connectionString ?? directUrlOf(config)
  const statementNames = config.databaseStatementNames
  const sessions = usesPooler ? sessionsOf(config, directUrl) : { connectionString: directUrl, statementNames }
  if (embedded === undefined) {
    await requireSessions({ ...sessions, statementNames })
    await requireWholeDistribution(directUrl)
  } else await beforeUse?.(embedded)
  const migrations = await loadMigrations()
  const appliedMigrations = make ? await migrate(directUrl, migrations) : []
  if (!make) requireNoPending(await pendingMigrations(directUrl, migrations))
  const database = createDatabase({
    ...sessions,
    replicaConnectionString: config.databaseReplicaUrl,
    log,
    maxConnections: config.databasePoolSize,
    statementTimeoutMillis,
  })
  return {
    database,
    connectionString: sessions.connectionString,
    directUrl,
    appliedMigrations,
    embedded,
    close: async () => {
      await database.close()
      await embedded?.stop()
    },
  }
}
