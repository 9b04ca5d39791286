import { statfs } from 'node:fs/promises'
import { Prisma } from '../../gen/prisma/client.js'
import { createStatement } from './statement.js'
import { firstRow, type Tables } from './tables.js'

/** The report of a database about itself. */
interface Report {
  /** Such as `15.4`. */
  readonly version: string
  readonly majorVersion: number
  readonly onlyReads: boolean
  /** How many more sessions the server accepts. */
  readonly freeConnections: number
  /** The data directory, if it is on this machine and the server reports it. */
  readonly folder: string | null
}

/** The state of a database for operators; `freeBytes` is infinite where it is not known. */
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
       CASE WHEN inet_server_addr() IS NULL
            AND (SELECT rolsuper FROM pg_roles WHERE rolname = current_user) THEN current_setting('data_directory') END AS folder`,
})

/** Below this, PostgreSQL may not get the next file of its write-ahead log, of 16 MiB, and refuses writes. */
export const LEAST_FREE_BYTES = 32 * 1024 * 1024

/** Reads the state of a database. `freeBytes` returns the free bytes on the disk of a folder. */
export async function diagnoseDatabase(
  tables: Pick<Tables, 'run'>,
  freeBytes = freeBytesOf,
): Promise<DatabaseDiagnosis> {
  const row = await firstRow(tables, report, {})
  if (row === undefined) throw new Error('the database does not respond')
  const { folder, ...reported } = row
  return { ...reported, freeBytes: folder === null ? Number.POSITIVE_INFINITY : await freeBytes(folder) }
}

/** The free bytes on the disk of a folder; infinite if this machine does not have the folder. */
export async function freeBytesOf(folder: string): Promise<number> {
  try {
    const { bavail, bsize } = await statfs(folder)
    return bavail * bsize
  } catch {
    return Number.POSITIVE_INFINITY
  }
}
