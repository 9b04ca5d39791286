import { Prisma } from '../../gen/prisma/client.js'
import { freeBytesOf, LOCAL_FOLDER } from './readiness.js'
import { createStatement } from './statement.js'
import { firstRow, type Tables } from './tables.js'

/** What a database reports about itself. */
interface Report {
  /** Such as `15.4`. */
  readonly version: string
  readonly majorVersion: number
  readonly onlyReads: boolean
  /** How many more sessions the server accepts. */
  readonly freeConnections: number
  /** Of its data, if that is on a disk of this machine and the server reports it. */
  readonly folder: string | null
}

/** What an operator should know about a database; `freeBytes` is any number where that is not known. */
export type DatabaseDiagnosis = Omit<Report, 'folder'> & { readonly freeBytes: number }

const report = createStatement<Record<never, never>, Report>({
  name: 'diagnose_database',
  columns: { version: 'text', majorVersion: 'int4', onlyReads: 'bool', freeConnections: 'int4', folder: 'text' },
  text: () => Prisma.sql`
SELECT current_setting('server_version') AS version,
       current_setting('server_version_num')::int / 10000 AS "majorVersion",
       current_setting('transaction_read_only')::boolean AS "onlyReads",
       current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
         - (SELECT count(*)::int FROM pg_stat_activity WHERE backend_type = 'client backend') AS "freeConnections",
       ${Prisma.raw(LOCAL_FOLDER)} AS folder`,
})

/** Reads that. */
export async function diagnoseDatabase(tables: Pick<Tables, 'run'>): Promise<DatabaseDiagnosis> {
  const row = await firstRow(tables, report, {})
  if (row === undefined) throw new Error('the database does not respond')
  const { folder, ...reported } = row
  return { ...reported, freeBytes: folder === null ? Number.POSITIVE_INFINITY : await freeBytesOf(folder) }
}
