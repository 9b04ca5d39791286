import { databaseFailure } from '../db/errors.js'
import type { Tables } from '../db/tables.js'
import { takenValueError, takenValueOf } from '../domain/value/taken-value.js'
import {
  addImportedDepartments,
  analyzeImported,
  countUpdated,
  excludeOtherImports,
  findFinalFault,
  isWritten,
  outcomesOf,
  writeStaged,
} from '../store/transfer/import.js'
import type { Outcome } from '../store/transfer/outcome.js'
import { type RecordKind, recordKinds } from '../store/transfer/record-kind.js'
import { countStaged } from '../store/transfer/staging.js'
import { recordImport } from './import-audit.js'
import { ImportError, type LineFault, refusal } from './import-error.js'
import { type ImportOptions, stageLines } from './stage-lines.js'

/** What an import did. */
export interface ImportSummary {
  /**
   * For each kind in the file, in the order of writing: the number of records, and how many of them are new or changed.
   */
  readonly kinds: readonly ImportedKind[]
}

/** Records of one kind. */
export interface ImportedKind {
  readonly kind: RecordKind
  readonly records: number
  readonly created: number
  readonly updated: number
}

/** What an import would do, in the order of lines. */
export interface ImportPlan extends ImportSummary {
  readonly records: readonly PlannedRecord[]
}

/** What would become of a record. */
export interface PlannedRecord {
  readonly line: number
  readonly kind: RecordKind
  readonly id: string
  readonly organizationId: string
  readonly outcome: 'created' | 'updated' | 'unchanged' | 'refused'
  /** The fields that would change, by their names in JSON. */
  readonly fields: readonly string[]
  /** Why only force may import it. */
  readonly faults: readonly string[]
}

/** Pieces of a text, cut anywhere. */
type Chunks = AsyncIterable<Uint8Array | string>

const MAX_TRIES = 6
/** From so many records on, plans of statements need new statistics at once. */
const MANY_RECORDS = 1_000

/**
 * Imports newline-delimited JSON, one `svc.v2.ImportRecord` per line, in one transaction: either all of it, or nothing
 * with an ImportError that names the line, or those that only force may import. `chunks` are pieces of the text, cut
 * anywhere. Importing the same again changes nothing.
 */
export async function importRecords(tables: Tables, chunks: Chunks, options: ImportOptions): Promise<ImportSummary> {
  const kinds = await inImport(tables, chunks, options, async (transaction) => {
    const { kinds, refused } = await write(transaction, options)
    if (refused.length > 0) throw refusal(refused)
    if (kinds.some(({ kind, updated }) => kind === 'user' && updated > 0))
      await recordImport(transaction, options.runtime)
    return kinds
  })
  // Whoever plans a statement next needs to know how large the tables have become.
  const records = kinds.reduce((sum, each) => sum + each.records, 0)
  if (records >= MANY_RECORDS) await tables.transaction(analyzeImported, { isUnhurried: true })
  return { kinds }
}

/** Tells what an import would do with each record, and writes nothing. Throws an ImportError for what not even force imports. */
export async function planImport(tables: Tables, chunks: Chunks, options: ImportOptions): Promise<ImportPlan> {
  const undone = new PlanMade()
  await inImport(tables, chunks, options, async (transaction) => {
    const { kinds, refused } = await write(transaction, options)
    const faultsOf = byLine(refused)
    const records: PlannedRecord[] = []
    for (const { kind } of kinds) {
      const outcomes = await outcomesOf(transaction, kind)
      for (const each of outcomes) records.push(plannedRecord(kind, each, faultsOf.get(each.line) ?? []))
    }
    undone.plan = { kinds, records: records.sort((one, other) => one.line - other.line) }
    throw undone
  }).catch((error: unknown) => {
    if (error !== undone) throw error
  })
  return undone.plan
}

/** Ends the transaction of a plan. */
class PlanMade extends Error {
  plan: ImportPlan = { kinds: [], records: [] }
}

function byLine(faults: readonly LineFault[]): ReadonlyMap<number, LineFault[]> {
  const found = new Map<number, LineFault[]>()
  for (const fault of faults) found.set(fault.line, [...(found.get(fault.line) ?? []), fault])
  return found
}

function plannedRecord(kind: RecordKind, { isNew, ...rest }: Outcome, faults: readonly LineFault[]): PlannedRecord {
  const written = isNew ? 'created' : rest.fields.length > 0 ? 'updated' : 'unchanged'
  const outcome = faults.length > 0 ? 'refused' : written
  return { ...rest, kind, outcome, faults: faults.map(({ fault }) => fault) }
}

/** Runs the work in a transaction in which every row is staged and no other import writes. */
async function inImport<T>(
  tables: Tables,
  chunks: Chunks,
  options: ImportOptions,
  work: (transaction: Tables) => Promise<T>,
): Promise<T> {
  const { signal } = options
  let isStaged = false
  const stageAndWork = async (transaction: Tables) => {
    // The input can be read only once, so the transaction cannot be repeated; the part that can be is repeated below.
    if (isStaged) throw new ImportError(undefined, 'the database was too busy, and nothing was imported: try again')
    isStaged = true
    await stageLines(transaction, chunks, options)
    await excludeOtherImports(transaction)
    return withRetries(transaction, work)
  }
  // However long the input takes to arrive, and however large it is.
  return tables.transaction(stageAndWork, { isUnhurried: true, ...(signal && { signal }) })
}

/** Writers of the API may take locks in another order; the loser of a deadlock starts again after the staging. */
async function withRetries<T>(transaction: Tables, work: (transaction: Tables) => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await transaction.transaction(work)
    } catch (error) {
      const taken = takenValueOf(error)
      if (taken !== undefined) throw new ImportError(undefined, takenValueError(taken).message, error)
      if (databaseFailure(error)?.kind !== 'retryable' || tries === MAX_TRIES) throw error
    }
  }
}

/** What has been written, and what of it only force may import, in the order of lines. */
interface WrittenRows {
  readonly kinds: ImportedKind[]
  readonly refused: readonly LineFault[]
}

async function write(transaction: Tables, options: ImportOptions): Promise<WrittenRows> {
  const { runtime, onProgress } = options
  const counts = await countStaged(transaction)
  const written: Omit<ImportedKind, 'updated'>[] = []
  const refused: LineFault[] = []
  for (const kind of recordKinds) {
    if (!isWritten(kind, counts)) continue
    const records = counts.get(kind) ?? 0
    if (records > 0) onProgress?.({ phase: 'write', kind, records })
    const result = await writeStaged(transaction, kind, counts, options)
    if ('fault' in result) throw importError(kind, result.fault)
    for (const { line, field, fault } of result.refused) refused.push({ line, fault: `${kind}.${field}: ${fault}` })
    if (kind === 'user') await addImportedDepartments(transaction, runtime.newId)
    if (records > 0) written.push({ kind, records: records - result.replaced, created: result.created })
  }
  const kinds: ImportedKind[] = []
  for (const each of written) {
    const fault = await findFinalFault(transaction, each.kind)
    if (fault !== undefined) throw importError(each.kind, fault)
    kinds.push({ ...each, updated: await countUpdated(transaction, each.kind) })
  }
  return { kinds, refused: refused.sort((one, other) => one.line - other.line) }
}

function importError(kind: RecordKind, { line, field, fault }: { line: number; field: string; fault: string }) {
  return new ImportError(line, `${kind}.${field}: ${fault}`)
}
