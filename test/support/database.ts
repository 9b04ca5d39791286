import { randomUUID } from 'node:crypto'
import { createDatabase, type Database, type DatabaseOptions } from '../../src/db/database.js'
import type { Row } from '../../src/db/sql.js'
import { currentTestRun } from './current-test-run.js'
import { cloneDatabase, createEmptyDatabase, dropDatabases, queryNodes } from './database-server.js'
import { databaseUrl } from './database-url.js'

/** A database of its own for one suite. */
export interface TestDatabase {
  readonly connectionString: string
  /** Opens a handle on it, which `drop` closes. */
  open(options?: Partial<DatabaseOptions>): Database
  /** Returns the rows of a query on every node where the database is: one, unless a cluster distributes it. */
  queryNodes<R extends Row>(text: string, values?: unknown[]): Promise<R[]>
  /** Closes the handles and drops the database; to be called when the suite ends. */
  drop(): Promise<void>
}

/** Clones a database with all migrations applied; `empty` makes one without. */
export async function createTestDatabase(from: 'template' | 'empty' = 'template'): Promise<TestDatabase> {
  const { adminUrl, nodes, prefix, template } = currentTestRun()
  const name = `${prefix}${randomUUID().replaceAll('-', '')}`
  if (from === 'template') await cloneDatabase(nodes, name, template)
  else await createEmptyDatabase(nodes, name)
  const connectionString = databaseUrl(adminUrl, name)
  const opened: Database[] = []
  const open = (options?: Partial<DatabaseOptions>) => {
    const database = createDatabase({ connectionString, log: { warn: () => {} }, ...options })
    opened.push(database)
    return database
  }
  // Prisma loads its query compiler for all handles of a file at its first use, which jest refuses between two tests.
  await open().prisma.$connect()
  return {
    connectionString,
    open,
    queryNodes: (text, values) => queryNodes(nodes, name, text, values),
    drop: async () => {
      await Promise.all(opened.map((database) => database.close()))
      await dropDatabases(nodes, [name])
    },
  }
}
