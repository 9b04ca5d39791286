import type { Sql } from '../../db/sql.js'
import type { Runtime } from '../runtime.js'
import type { ImportScope } from './import-scope.js'

/** A record that has passed the checks which need no database. */
export interface StagedRow {
  /** Tells records of one kind apart. */
  readonly key: string
  /** The values by column of the staging table. */
  readonly values: Readonly<Record<string, unknown>>
}

/** How one kind of record goes in and out. SQL sees the records as the table `staged_<kind>`, aliased `s`. */
export interface TransferResource<Record_> {
  /** The staging table. */
  readonly staged: string
  /** Checks a record by itself. Throws a ServiceError that names the field. */
  readonly rowOf: (record: Record_, scope: ImportScope) => StagedRow
  /** Columns of the staging table that come from `rowOf`, with their types. */
  readonly columns: Readonly<Record<string, string>>
  /** What the record belongs to; its columns can be read as `owner`. Absent for organizations. */
  readonly owner?: {
    readonly table: 'organizations' | 'teams' | 'access_policies' | 'app_instances' | 'entity_types'
    /** The column that names the owner, and the field that it comes from. */
    readonly column: string
    readonly field: string
    /** Columns of the staging table that the owner gives. */
    readonly gives: Readonly<Record<string, string>>
  }
  /** Queries for what must not be: each gives the line, the field and the fault. They run before anything is written. */
  readonly checks: readonly string[]
  /** Takes locks that have to come before those of rows. */
  readonly prepare?: (sql: Sql) => Promise<void>
  /** Locks the rows that stand, in the order of their keys, so that writers of the API and imports do not deadlock. */
  readonly lock: string
  /** Writes what the records need to stand on. */
  readonly before?: readonly string[]
  /** Writes the records themselves and tells how many are new. */
  readonly upsert: string
  /** Writes what belongs to the records, in order. */
  readonly children: readonly string[]
  /** What SQL alone does not do. */
  readonly finish?: (sql: Sql, runtime: Runtime) => Promise<void>
  /** Checks, in the form of `checks`, that run when all kinds have been written. */
  readonly finalChecks: readonly string[]
  /** Gives every record as the column `record`, in the order of creation. */
  readonly select: string
}
