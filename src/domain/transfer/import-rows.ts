import type { Database } from '../../db/database.js'
import { databaseFailure } from '../../db/errors.js'
import type { Sql } from '../../db/sql.js'
import { constraintReason } from '../constraint-reason.js'
import type { Runtime } from '../runtime.js'
import { ImportError } from './import-error.js'
import { type RecordKind, recordKinds } from './record-kind.js'
import { transferResources } from './resources.js'
import { countStaged, createStagedTable, createStaging, type Staging } from './staging.js'

/** What an import has done. */
export interface ImportSummary {
  /** Per kind that the file has, in the order of writing: how many different records, and how many of them are new. */
  readonly kinds: readonly { readonly kind: RecordKind; readonly records: number; readonly created: number }[]
}

/** What an import is made of. */
export interface ImportSteps {
  readonly runtime: Runtime
  /** Adds every row. A failure of it ends the import with nothing written. */
  readonly stage: (staging: Staging) => Promise<void>
  /** Told before each kind is written, and how many of its records there are. */
  readonly onWrite?: ((kind: RecordKind, records: number) => void) | undefined
  /** When it aborts, nothing is written. */
  readonly signal?: AbortSignal | undefined
}

/** Imports exclude each other while they write, so that two of the same rows never meet halfway. */
const IMPORT_LOCK = 0x696d706f7274
const MAX_TRIES = 6

/**
 * Stages rows and writes them, all or nothing, in one transaction. Throws an ImportError with the line of what refers to
 * nothing, is taken, or belongs to another organization.
 */
export async function importRows(database: Database, steps: ImportSteps): Promise<ImportSummary> {
  let isStaged = false
  return database.transaction(async (sql) => {
    // The input can be read once, so that the transaction cannot be repeated; the part that can is repeated below.
    if (isStaged) throw new ImportError(undefined, 'the database was too busy, nothing was imported')
    isStaged = true
    // However long the input takes to come, and however much it is.
    await sql.execute('SET LOCAL statement_timeout = 0')
    await sql.execute('SET LOCAL idle_in_transaction_session_timeout = 0')
    await sql.execute('SET LOCAL lock_timeout = 0')
    await sql.execute('SET LOCAL jit = off')
    await sql.execute(`SET LOCAL work_mem = '64MB'`)
    const staging = await createStaging(sql)
    try {
      await steps.stage(staging)
      await staging.flush()
    } finally {
      await staging.settle()
    }
    await sql.query('SELECT pg_advisory_xact_lock($1)', [IMPORT_LOCK])
    return writeWithRetries(sql, steps)
  }, steps.signal && { signal: steps.signal })
}

/** Writers of the API may take locks in another order; the loser of a deadlock starts again behind the staging. */
async function writeWithRetries(sql: Sql, steps: ImportSteps): Promise<ImportSummary> {
  for (let tries = 1; ; tries++) {
    await sql.execute('SAVEPOINT import_staged')
    try {
      return await write(sql, steps)
    } catch (error) {
      const failure = databaseFailure(error)
      if (failure?.kind === 'unique_violation') {
        const reason = constraintReason(failure.constraint, error)
        if (reason !== undefined) throw new ImportError(undefined, reason.message, error)
      }
      if (failure?.kind !== 'retryable' || tries === MAX_TRIES) throw error
      await sql.execute('ROLLBACK TO SAVEPOINT import_staged')
    }
  }
}

async function write(sql: Sql, { runtime, onWrite }: ImportSteps): Promise<ImportSummary> {
  // Values may change hands between lines, so that uniqueness is judged when all of them stand.
  await sql.execute('SET CONSTRAINTS ALL DEFERRED')
  const counts = await countStaged(sql)
  const kinds: { kind: RecordKind; records: number; created: number }[] = []
  for (const kind of recordKinds) {
    const records = counts.get(kind) ?? 0
    if (records === 0) continue
    onWrite?.(kind, records)
    kinds.push({ kind, records, created: await writeKind(sql, kind, runtime) })
  }
  for (const { kind } of kinds) await runChecks(sql, kind, transferResources[kind].finalChecks)
  await sql.execute('SET CONSTRAINTS ALL IMMEDIATE')
  return { kinds }
}

async function writeKind(sql: Sql, kind: RecordKind, runtime: Runtime): Promise<number> {
  const { staged, owner, checks, prepare, lock, before = [], upsert, children, finish } = transferResources[kind]
  await createStagedTable(sql, kind)
  if (owner !== undefined) {
    const noun = owner.table.replaceAll('_', ' ').replace(/ies$/, 'y').replace(/s$/, '')
    await runChecks(sql, kind, [
      `SELECT s.line, '${owner.field}' AS field, format('there is no ${noun} %s', s.${owner.column}) AS fault
       FROM ${staged} s WHERE s.organization_id IS NULL`,
    ])
  }
  await runChecks(sql, kind, checks)
  await prepare?.(sql)
  await sql.query(lock)
  for (const statement of before) await sql.execute(statement)
  const [written] = await sql.query<{ created: number }>(upsert)
  for (const statement of children) await sql.execute(statement)
  await finish?.(sql, runtime)
  return written?.created ?? 0
}

async function runChecks(sql: Sql, kind: RecordKind, checks: readonly string[]): Promise<void> {
  for (const check of checks) {
    const [found] = await sql.query<{ line: number; field: string; fault: string }>(
      `SELECT found.* FROM (${check}) found ORDER BY found.line LIMIT 1`,
    )
    if (found !== undefined) throw new ImportError(found.line, `${kind}.${found.field}: ${found.fault}`)
  }
}
