import { databaseFailure } from '../db/errors.js'
import type { PreparedTransaction, Store } from '../db/queryable.js'
import { takenValueError, takenValueOf } from '../domain/value/taken-value.js'
import type { Runtime } from '../runtime/runtime.js'
import { excludeOtherImports, findFinalFault, isWritten, writeStaged } from '../store/transfer/import.js'
import { addImportedDepartments } from '../store/transfer/imported-department.js'
import { type RecordKind, recordKinds } from '../store/transfer/record-kind.js'
import { countStaged, createStaging, type Staging } from '../store/transfer/staging.js'
import { ImportError } from './import-error.js'

/** What an import did. */
export interface ImportSummary {
  /**
   * For each kind in the file, in the order of writing: the number of records, and how many of them are new.
   */
  readonly kinds: readonly { readonly kind: RecordKind; readonly records: number; readonly created: number }[]
}

/** What an import is made of. */
export interface ImportSteps {
  readonly runtime: Runtime
  /** Adds every row. If it fails, the import ends with nothing written. */
  readonly stage: (staging: Staging) => Promise<void>
  /** Called before each kind is written, with the number of its records: those twice that have two owners in the file. */
  readonly onWrite?: ((kind: RecordKind, records: number) => void) | undefined
  /** When it aborts, nothing is written. */
  readonly signal?: AbortSignal | undefined
}

const MAX_TRIES = 6

/**
 * Stages rows and writes them, all or nothing, in one transaction. Throws an ImportError with the line of whatever
 * refers to nothing or is already taken.
 */
export async function importRows(
  tables: Pick<Store, 'preparedTransaction'>,
  steps: ImportSteps,
): Promise<ImportSummary> {
  let isStaged = false
  const work = async (transaction: PreparedTransaction) => {
    // The input can be read only once, so the transaction cannot be repeated; the part that can be is repeated below.
    if (isStaged) throw new ImportError(undefined, 'the database was too busy, and nothing was imported: try again')
    isStaged = true
    const staging = await createStaging(transaction)
    try {
      await steps.stage(staging)
      await staging.flush()
    } finally {
      await staging.settle()
    }
    await excludeOtherImports(transaction)
    return writeWithRetries(transaction, steps)
  }
  // However long the input takes to arrive, and however large it is.
  return tables.preparedTransaction(work, { isUnhurried: true, ...(steps.signal && { signal: steps.signal }) })
}

/** Writers of the API may take locks in another order; the loser of a deadlock starts again after the staging. */
async function writeWithRetries(transaction: PreparedTransaction, steps: ImportSteps): Promise<ImportSummary> {
  for (let tries = 1; ; tries++) {
    try {
      return await transaction.nested(() => write(transaction, steps))
    } catch (error) {
      const taken = takenValueOf(error)
      if (taken !== undefined) throw new ImportError(undefined, takenValueError(taken).message, error)
      if (databaseFailure(error)?.kind !== 'retryable' || tries === MAX_TRIES) throw error
    }
  }
}

async function write(transaction: PreparedTransaction, { runtime, onWrite }: ImportSteps): Promise<ImportSummary> {
  const counts = await countStaged(transaction)
  const kinds: { kind: RecordKind; records: number; created: number }[] = []
  for (const kind of recordKinds) {
    if (!isWritten(kind, counts)) continue
    const records = counts.get(kind) ?? 0
    if (records > 0) onWrite?.(kind, records)
    const written = await writeStaged(transaction, kind, counts)
    if ('fault' in written) throw importError(kind, written.fault)
    if (kind === 'user') await addImportedDepartments(transaction, runtime.newId)
    if (records > 0) kinds.push({ kind, records: records - written.replaced, created: written.created })
  }
  for (const { kind } of kinds) {
    const fault = await findFinalFault(transaction, kind)
    if (fault !== undefined) throw importError(kind, fault)
  }
  return { kinds }
}

function importError(kind: RecordKind, { line, field, fault }: { line: number; field: string; fault: string }) {
  return new ImportError(line, `${kind}.${field}: ${fault}`)
}
