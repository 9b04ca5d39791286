// Databases as the schema engine needs them: @prisma/adapter-pg with what it lacks for migrations.
import { randomUUID } from 'node:crypto'
import { PrismaPg } from '@prisma/adapter-pg'
import { ColumnTypeEnum, DriverAdapterError } from '@prisma/driver-adapter-utils'
import pg from 'pg'
import { concurrentIndexOf } from '../dist/src/db/concurrent-index.js'
import { splitStatements } from '../dist/src/db/migrate.js'

/** Type of the one-byte "char" columns of the system catalogs, and of text. */
const CHAR_OID = 18
const TEXT_OID = 25

/** The databases of a migration command: the one at `url`, and shadow databases at `shadowUrl` or temporary ones. */
export function databaseFactory({ url, shadowDatabaseUrl: shadowUrl }) {
  return {
    provider: 'postgres',
    adapterName: '@prisma/adapter-pg',
    connect: () => connect(url),
    connectToShadowDb: () => (shadowUrl ? connect(shadowUrl) : connectToTemporaryDatabase(url)),
  }
}

/** Used if no URL is given: schema files can be compared, everything else finds no database. */
export function noDatabaseFactory() {
  const unreachable = async () => {
    throw new DriverAdapterError({ kind: 'DatabaseNotReachable' })
  }
  const version = {
    columnNames: ['exists', 'version', 'numeric_version'],
    columnTypes: [ColumnTypeEnum.Boolean, ColumnTypeEnum.Text, ColumnTypeEnum.Int32],
    rows: [[true, 'PostgreSQL 15.0', 150000]],
  }
  const adapter = {
    provider: 'postgres',
    adapterName: 'none',
    executeRaw: unreachable,
    executeScript: unreachable,
    startTransaction: unreachable,
    dispose: async () => {},
    getConnectionInfo: () => ({ schemaName: 'public', supportsRelationJoins: true }),
    // The only query that the engine sends, whatever it is used for.
    queryRaw: ({ sql }) => (sql.includes('numeric_version') ? Promise.resolve(version) : unreachable()),
  }
  return { provider: 'postgres', adapterName: 'none', connect: async () => adapter, connectToShadowDb: unreachable }
}

/** Runs one statement on a connection of its own. */
export async function runStatement(url, statement) {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    if (statement !== undefined) await client.query(statement)
  } finally {
    await client.end()
  }
}

/** The same server's URL of another database. */
export function urlOf(url, database) {
  const other = new URL(url)
  other.pathname = `/${encodeURIComponent(database)}`
  return other.href
}

async function connect(url) {
  // One session, so that advisory locks and settings last.
  const adapter = await new PrismaPg({ connectionString: url, max: 1 }).connect()
  const pool = adapter.underlyingDriver()
  // The adapter would split a script at every semicolon, even inside functions; and the server refuses scripts of
  // several statements that make or drop indexes concurrently.
  adapter.executeScript = async (script) => {
    const statements = splitStatements(script)
    try {
      if (statements.some(concurrentIndexOf)) for (const statement of statements) await pool.query(statement)
      else await pool.query(script)
    } catch (error) {
      adapter.onError(error)
    }
  }
  adapter.queryRaw = (query) => queryWithCharColumns(adapter, query)
  return adapter
}

/** The adapter does not support "char" columns: makes it read them as text, and calls them characters afterwards. */
async function queryWithCharColumns(adapter, query) {
  const inherited = Object.getPrototypeOf(adapter)
  const charColumns = new Set()
  const performIO = async (statement) => {
    const result = await inherited.performIO.call(adapter, statement)
    for (const [index, field] of result.fields.entries()) {
      if (field.dataTypeID !== CHAR_OID) continue
      field.dataTypeID = TEXT_OID
      charColumns.add(index)
    }
    return result
  }
  const set = await inherited.queryRaw.call(Object.create(adapter, { performIO: { value: performIO } }), query)
  for (const index of charColumns) set.columnTypes[index] = ColumnTypeEnum.Character
  return set
}

/** The adapter's own shadow database would be the main one if it was given a URL. */
async function connectToTemporaryDatabase(url) {
  const name = `prisma_migrate_shadow_db_${randomUUID()}`
  await runStatement(url, `CREATE DATABASE "${name}"`)
  const adapter = await connect(urlOf(url, name))
  const dispose = adapter.dispose.bind(adapter)
  adapter.dispose = async () => {
    await dispose()
    await runStatement(url, `DROP DATABASE IF EXISTS "${name}" WITH (FORCE)`)
  }
  return adapter
}
