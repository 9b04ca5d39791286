import { databaseFailure } from '../db/errors.js'
import type { Tables } from '../db/tables.js'
import { takenValueError, takenValueOf } from '../domain/value/taken-value.js'
import { managerLock, takeLocks } from '../store/lock.js'
import type { Fault } from '../store/transfer/checks.js'
import {
  analyzeImported,
  excludeOtherImports,
  isWritten,
  outcomesOf,
  stageKind,
  writeKind,
} from '../store/transfer/import.js'
import { type RecordKind, recordKinds } from '../store/transfer/kind.js'
import { countStaged } from '../store/transfer/staging.js'
import type { Outcome } from '../store/transfer/statements.js'
import { ImportError, type LineFault, refusal } from './import-error.js'
import { prepareUsers, recordChangedUsers } from './import-users.js'
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
  const kinds = await inImport(tables, chunks, options, async (transaction, organizationIds) => {
    const { written, refused } = await write(transaction, organizationIds, options, false)
    if (refused.length > 0) throw refusal(refused)
    const users = written.find(({ kind }) => kind === 'user')?.outcomes ?? []
    await recordChangedUsers(transaction, users, options.runtime)
    return written.map(summaryOf)
  })
  // Whoever plans a statement next needs to know how large the tables have become.
  const records = kinds.reduce((sum, each) => sum + each.records, 0)
  if (records >= MANY_RECORDS) await tables.transaction(analyzeImported, { isUnhurried: true })
  return { kinds }
}

/** Tells what an import would do with each record, and writes nothing. Throws an ImportError for what not even force imports. */
export async function planImport(tables: Tables, chunks: Chunks, options: ImportOptions): Promise<ImportPlan> {
  let plan: ImportPlan = { kinds: [], records: [] }
  const undone = new Error('the plan is made')
  await inImport(tables, chunks, options, async (transaction, organizationIds) => {
    const { written, refused } = await write(transaction, organizationIds, options, true)
    const faultsOf = byLine(refused)
    const records = written.flatMap(({ kind, outcomes }) =>
      outcomes.map((each) => plannedRecord(kind, each, faultsOf.get(each.line) ?? [])),
    )
    plan = { kinds: written.map(summaryOf), records: records.sort((one, other) => one.line - other.line) }
    throw undone
  }).catch((error: unknown) => {
    if (error !== undone) throw error
  })
  return plan
}

function byLine(faults: readonly LineFault[]): ReadonlyMap<number, LineFault[]> {
  const found = new Map<number, LineFault[]>()
  for (const fault of faults) found.set(fault.line, [...(found.get(fault.line) ?? []), fault])
  return found
}

function plannedRecord(
  kind: RecordKind,
  { line, id, organizationId, isNew, fields }: Outcome,
  faults: readonly LineFault[],
): PlannedRecord {
  const written = isNew ? 'created' : fields.length > 0 ? 'updated' : 'unchanged'
  const outcome = faults.length > 0 ? 'refused' : written
  return { line, id, organizationId, fields, kind, outcome, faults: faults.map(({ fault }) => fault) }
}

/** Does work in an import, where every row is staged; the ids are those of the organizations of users. */
type ImportWork<T> = (transaction: Tables, organizationIds: ReadonlySet<string>) => Promise<T>

/** Runs the work in a transaction in which every row is staged and no other import writes. */
async function inImport<T>(tables: Tables, chunks: Chunks, options: ImportOptions, work: ImportWork<T>): Promise<T> {
  const { signal } = options
  let isStaged = false
  const stageAndWork = async (transaction: Tables) => {
    // The input can be read only once, so the transaction cannot be repeated; the part that can be is repeated below.
    if (isStaged) throw new ImportError(undefined, 'the database was too busy, and nothing was imported: try again')
    isStaged = true
    const organizationIds = await stageLines(transaction, chunks, options)
    await excludeOtherImports(transaction)
    return withRetries(transaction, (part) => work(part, organizationIds))
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

/** Records of one kind that have been written, and what has become of them. */
interface WrittenKind extends ImportedKind {
  readonly outcomes: readonly Outcome[]
}

/**
 * Writes every staged record, and compares them with what stood: those that stood and are changed, or all if `isWhole`.
 * Returns also, in the order of lines, what only force may import.
 */
async function write(
  transaction: Tables,
  organizationIds: ReadonlySet<string>,
  { runtime, onProgress, isMerge = false, isForced = false }: ImportOptions,
  isWhole: boolean,
): Promise<{ readonly written: WrittenKind[]; readonly refused: LineFault[] }> {
  const counts = await countStaged(transaction)
  // Nobody else assigns managers in the organizations, so that cycles are found.
  await takeLocks(transaction, [...organizationIds].map(managerLock))
  const written: Omit<WrittenKind, 'updated' | 'outcomes'>[] = []
  const refused: LineFault[] = []
  for (const kind of recordKinds) {
    if (!isWritten(kind, counts)) continue
    const records = counts.get(kind) ?? 0
    if (records > 0) onProgress?.({ phase: 'write', kind, records })
    const { replaced, fault } = await stageKind(transaction, kind, counts, isMerge)
    if (fault !== undefined) throw importError(kind, fault)
    if (kind === 'user') {
      const prepared = await prepareUsers(transaction, runtime.newId)
      if ('fault' in prepared) throw importError(kind, prepared.fault)
      if (!isForced) for (const { line, ...each } of prepared.refused) refused.push({ line, fault: textOf(kind, each) })
    }
    const created = await writeKind(transaction, kind)
    if (records > 0) written.push({ kind, records: records - replaced, created })
  }
  const compared: WrittenKind[] = []
  for (const each of written) {
    const outcomes = await outcomesOf(transaction, each.kind, isWhole)
    compared.push({ ...each, outcomes, updated: outcomes.filter(({ fields }) => fields.length > 0).length })
  }
  return { written: compared, refused }
}

function summaryOf({ kind, records, created, updated }: WrittenKind): ImportedKind {
  return { kind, records, created, updated }
}

function importError(kind: RecordKind, { line, ...fault }: Fault): ImportError {
  return new ImportError(line, textOf(kind, fault))
}

function textOf(kind: RecordKind, { field, fault }: Pick<Fault, 'field' | 'fault'>): string {
  return `${kind}.${field}: ${fault}`
}
