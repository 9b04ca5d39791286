import type { Logger } from 'pino'
import type { Config } from '../config.js'
import { requireWholeDistribution } from '../db/distribute.js'
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../db/embedded/embedded-postgres.js'
import { hasCluster } from '../db/embedded/place.js'
import { sessionFault } from '../db/session-check.js'
import { dataFolderOf, directUrlOf, requireNoPending, sessionsOf } from './command-context.js'

interface OpenOptions {
  readonly config: Config
  readonly log: Logger
  /** Whether to create and migrate the database, as `CommandContext.onPreparedDatabase` does. */
  readonly make: boolean
  /**
   * Whether calls are served from it: through the pooler if there is one, with the configured limits, and by no one
   * else if it is the embedded one. Operators have sessions of their own, whose statements may run for 10 minutes.
   */
  readonly serves?: boolean
}

/** Opens the configured database. Throws where there is none, and none is to be made, or where it lacks migrations. */
export async function openDatabase({ config, log, make, serves = false }: OpenOptions) {
  const [embedded, { createDatabase }, { loadMigrations, migrate, pendingMigrations }] = await Promise.all([
    config.databaseUrl === undefined ? openEmbedded(config, log, make) : undefined,
    // Loaded while the embedded server starts.
    import('../db/database.js'),
    import('../db/migrate.js'),
  ])
  try {
    const directUrl = embedded?.connectionString ?? directUrlOf(config)
    const { databaseStatementNames: statementNames } = config
    const operatorSessions = { connectionString: directUrl, statementNames, limits: { statement_timeout: 600_000 } }
    const sessions = serves ? sessionsOf(config, directUrl) : operatorSessions
    let isDistributed = false
    if (embedded === undefined) {
      const fault = await sessionFault(sessions)
      if (fault !== undefined) throw new Error(`database sessions ${fault}`)
      isDistributed = await requireWholeDistribution(directUrl)
    } else if (serves) await embedded.lockServe()
    const migrations = await loadMigrations()
    const appliedMigrations = make ? await migrate(directUrl, migrations) : []
    if (!make) requireNoPending(await pendingMigrations(directUrl, migrations))
    const database = createDatabase({
      ...sessions,
      isDistributed,
      replicaConnectionString: config.databaseReplicaUrl,
      log,
      maxConnections: config.databasePoolSize,
    })
    await database.clock.measure().catch(async (error: unknown) => {
      await database.close()
      throw error
    })
    return {
      database,
      connectionString: sessions.connectionString,
      /** The database's own address, past a pooler if there is one: for work that needs a session. */
      directUrl,
      appliedMigrations,
      isEmbedded: embedded !== undefined,
      close: async () => {
        await database.close()
        await embedded?.stop()
      },
    }
  } catch (error) {
    await embedded?.stop()
    throw error
  }
}

/** Starts or joins the embedded database. Throws where there is none and none is to be made. */
export async function openEmbedded(
  config: Config,
  log: Pick<Logger, 'debug'>,
  make: boolean,
): Promise<EmbeddedPostgres> {
  const dataDir = dataFolderOf(config)
  if (!make && !hasCluster(dataDir)) {
    throw new Error(
      `there is no database in ${dataDir}: create one with "npx svc serve", "migrate" or "import", ` +
        'or set SVC_DATA_DIR to another folder or DATABASE_URL to a server',
    )
  }
  return startEmbeddedPostgres({ dataDir, log: (message) => log.debug(message) })
}
