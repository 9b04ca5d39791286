import { randomUUID } from 'node:crypto'
import { cloneDatabase, createEmptyDatabase, dropDatabases, queryNodes } from '../../harness/database-server.js'
import { databaseUrl } from '../../harness/database-url.js'
import { createDatabase, type DatabaseOptions } from '../../src/db/database.js'
import { currentTestRun } from './current-test-run.js'
import { type Database, type Row, withSql } from './sql.js'

/** A database of its own for one suite. */
export interface TestDatabase {
  /** Where the service reaches it. */
  readonly connectionString: string
  /** The database itself, even if there is a pooler in front of it. */
  readonly directUrl: string
  /** The environment of a service on it. */
  readonly environment: Readonly<Record<string, string>>
  /** What a handle on it needs besides its URL. */
  readonly sessions: Pick<DatabaseOptions, 'sessions' | 'statementNames' | 'isDistributed'>
  /** Opens a handle on it, which `drop` closes. */
  open(options?: Partial<DatabaseOptions>): Database
  /** Returns the rows of a query on every node where the database is: one, unless a cluster distributes it. */
  queryNodes<R extends Row>(text: string, values?: unknown[]): Promise<R[]>
  /** Closes the handles and drops the database; to be called when the suite ends. */
  drop(): Promise<void>
}

/** Clones a database with all migrations applied; `empty` makes one without. */
export async function createTestDatabase(from: 'template' | 'empty' = 'template'): Promise<TestDatabase> {
  const { adminUrl, nodes, pooler, prefix, template, cloneStrategy: strategy } = currentTestRun()
  const name = `${prefix}${randomUUID().replaceAll('-', '')}`
  if (from === 'template') await cloneDatabase(nodes, { name, template, strategy })
  else await createEmptyDatabase(nodes, name)
  const directUrl = databaseUrl(adminUrl, name)
  const connectionString = pooler === undefined ? directUrl : pooledUrl(directUrl, pooler)
  const sessions: TestDatabase['sessions'] = {
    isDistributed: from === 'template' && nodes.length > 1,
    ...(pooler !== undefined && { sessions: 'pooler', statementNames: false }),
  }
  const opened: Database[] = []
  const open = (options?: Partial<DatabaseOptions>) => {
    const database = withSql(createDatabase({ connectionString, log: { warn: () => {} }, ...sessions, ...options }))
    opened.push(database)
    return database
  }
  // Prisma loads its query compiler for all handles of a file at its first use, which jest refuses between two tests.
  await open().prisma.$connect()
  return {
    connectionString,
    directUrl,
    environment: environmentOf(connectionString),
    sessions,
    open,
    queryNodes: (text, values) => queryNodes(nodes, name, text, values),
    drop: async () => {
      await Promise.all(opened.map((database) => database.close()))
      await dropDatabases(nodes, [name])
    },
  }
}

/** The environment of a service on the test database of a URL. */
export function environmentOf(connectionString: string): Record<string, string> {
  const { adminUrl, pooler } = currentTestRun()
  if (pooler === undefined) return { DATABASE_URL: connectionString }
  const directUrl = databaseUrl(adminUrl, new URL(connectionString).pathname.slice(1))
  return { DATABASE_URL: connectionString, DATABASE_DIRECT_URL: directUrl, DATABASE_STATEMENT_NAMES: 'off' }
}

function pooledUrl(directUrl: string, { host, port }: { readonly host: string; readonly port: number }): string {
  const url = new URL(directUrl)
  url.host = `${host}:${port}`
  return url.href
}
