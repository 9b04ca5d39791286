import type { Logger } from 'pino'
import type { Config } from '../config.js'
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../db/embedded/embedded-postgres.js'
import { hasCluster } from '../db/embedded/place.js'
import { dataFolderOf, type OpenedDatabase } from './command-context.js'
import type { OpenOptions } from './open-database.js'

/** See `CommandContext.openDatabase` and `makeDatabase`. */
export async function openConfiguredDatabase(options: OpenOptions): Promise<OpenedDatabase> {
  const { config, log, make } = options
  for (const advice of config.databaseAdvice) log.warn(advice)
  const [embedded, { openDatabase }] = await Promise.all([
    config.databaseUrl === undefined ? openEmbedded(config, log, make) : undefined,
    // Loaded while the embedded server starts.
    import('./open-database.js'),
  ])
  try {
    return await openDatabase(options, embedded)
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
