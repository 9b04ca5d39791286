import { databaseFailure } from '../db/errors.js'
import type { Tables, TransactionOptions } from '../db/tables.js'
import type { AuditEvent } from '../domain/audit/audit-event.js'
import { takenValueError, takenValueOf } from '../domain/value/taken-value.js'
import { importLock, type Lock, takeLocks } from '../store/lock.js'
import {
  analyzeImported,
  countStaged,
  isWritten,
  kindStatements,
  stageKind,
  writeKind,
} from '../store/transfer/import.js'
import { type RecordKind, recordKinds } from '../store/transfer/kind.js'
import type { Outcome, OutcomeDetail } from '../store/transfer/statements.js'
import { areForceable, ImportError, type Refusal, refusalText, refusedError } from './import-error.js'
import { operatorUsers, type UserWriter } from './import-users.js'
import { type ImportOptions, linesOfText, type RecordLine, stageLines } from './stage-lines.js'
import type { Chunks } from './text-lines.js'

export interface ImportSummary {
  /** For each kind in the file, in the order of writing: how many records, and how many are new or changed. */
  readonly kinds: readonly {
    readonly kind: RecordKind
    readonly records: number
    readonly created: number
    readonly updated: number
  }[]
}

/** The plan of an import, in the order of lines. */
export interface ImportPlan extends ImportSummary {
  readonly records: readonly PlannedRecord[]
}

export interface PlannedRecord {
  readonly line: number
  readonly kind: RecordKind
  readonly id: string
  /** Empty if there is no such organization. */
  readonly organizationId: string
  readonly outcome: 'created' | 'updated' | 'unchanged' | 'refused'
  /** The fields that would change, by their names in JSON. */
  readonly fields: readonly string[]
  /** Why it is refused, and with it the whole import. */
  readonly faults: readonly string[]
}

const MAX_TRIES = 6
/** From so many records on, plans of statements need new statistics at once. */
const MANY_RECORDS = 1_000

/**
 * Imports newline-delimited JSON, one `svc.v2.ImportRecord` per line, in one transaction: either all of it, or nothing
 * with an ImportError that names the lines. Importing the same again changes nothing.
 */
export async function importRecords(tables: Tables, chunks: Chunks, options: ImportOptions): Promise<ImportSummary> {
  const work = writesOf(chunks, options)
  const importAll = async (transaction: Tables) => {
    const { kinds, refusals } = await work(transaction)
    if (refusals.length > 0) throw refusedError(refusals)
    return kinds
  }
  const kinds = await tables.transaction(importAll, inputTransaction(options))
  // Whoever plans a statement next needs to know how large the tables have become.
  const records = kinds.reduce((sum, each) => sum + each.records, 0)
  if (records >= MANY_RECORDS) await tables.transaction((each) => analyzeImported(each, {}), { withoutTimeout: true })
  return { kinds }
}

/**
 * Returns what an import would do with each record, and whether force would import all refused ones; writes nothing.
 * Throws an ImportError for text that is no record.
 */
export async function planImport(
  tables: Tables,
  chunks: Chunks,
  options: ImportOptions,
): Promise<{ readonly plan: ImportPlan; readonly isForceable: boolean }> {
  const written = await rolledBack(tables, writesOf(chunks, { ...options, isWhole: true }), inputTransaction(options))
  return { plan: planOf(written), isForceable: areForceable(written.refusals) }
}

/** The options of a transaction that lasts as long as its input, which can be slow or large. */
function inputTransaction({ signal }: ImportOptions): TransactionOptions {
  return { withoutTimeout: true, ...(signal && { signal }) }
}

/** Writes the text once: the input cannot be read again, so the transaction cannot be repeated. */
function writesOf(chunks: Chunks, options: WriteOptions): (transaction: Tables) => Promise<WrittenRecords> {
  let isRead = false
  return async (transaction) => {
    if (isRead) throw new ImportError(undefined, 'the database was too busy, and nothing was imported: try again')
    isRead = true
    return writeRecords(transaction, linesOfText(chunks, options), { ...options, tries: MAX_TRIES })
  }
}

/** Does the work in a transaction that is rolled back, and returns its result. */
export async function rolledBack(
  tables: Tables,
  work: (transaction: Tables) => Promise<WrittenRecords>,
  options?: TransactionOptions,
): Promise<WrittenRecords> {
  let result: WrittenRecords = { kinds: [], outcomes: new Map(), refusals: [] }
  const rollback = new Error('the plan is made')
  const workAndRollBack = async (transaction: Tables) => {
    result = await work(transaction)
    throw rollback
  }
  await tables.transaction(workAndRollBack, options).catch((error: unknown) => {
    if (error !== rollback) throw error
  })
  return result
}

export interface WriteOptions extends ImportOptions, Partial<OutcomeDetail> {
  /** How often to write at most, where the transaction cannot be repeated. Default once. */
  readonly tries?: number
  /** How users are written; default: as an operator does. */
  readonly users?: UserWriter
  /** The locks for the writes. Default: against every other import. Empty if the transaction has them. */
  readonly locks?: readonly Lock[]
}

/** The written and the refused records. Only a transaction that is rolled back may have refused ones. */
export interface WrittenRecords extends ImportSummary {
  /** The outcomes of written records, by kind. */
  readonly outcomes: ReadonlyMap<RecordKind, readonly Outcome[]>
  readonly refusals: readonly Refusal[]
}

/**
 * Writes records, under a lock against other imports, with an audit event for each user and group that is changed.
 * Leaves out records that cannot be written.
 */
export async function writeRecords(
  transaction: Tables,
  lines: AsyncIterable<RecordLine> | Iterable<RecordLine>,
  options: WriteOptions,
): Promise<WrittenRecords> {
  const { users = operatorUsers(options.runtime) } = options
  await stageLines(transaction, lines, options.onProgress)
  await takeLocks(transaction, options.locks ?? [importLock])
  return withRetries(transaction, options.tries ?? 1, async (part) => {
    const result = await writeStaged(part, users, options)
    const changed = result.outcomes.get('user') ?? []
    await users.recordChanges(part, changed.filter(isUpdated))
    const groups = result.outcomes.get('group') ?? []
    if (groups.some(isUpdated)) await users.record(part, groups.filter(isUpdated).map(groupEvent))
    return result
  })
}

/**
 * Repeats the work after the staging if it loses to a writer of the API, which may take locks in another order or
 * delete an object to which a record refers.
 */
async function withRetries<T>(
  transaction: Tables,
  maxTries: number,
  work: (transaction: Tables) => Promise<T>,
): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await transaction.transaction(work)
    } catch (error) {
      const taken = takenValueOf(error)
      if (taken !== undefined) throw new ImportError(undefined, takenValueError(taken).message, error)
      const kind = databaseFailure(error)?.kind
      const hasLost = kind === 'retryable' || kind === 'foreign_key_violation'
      if (!hasLost || tries === maxTries) throw error
    }
  }
}

/** Writes every staged record, and compares it with the one before. */
async function writeStaged(
  transaction: Tables,
  users: UserWriter,
  { onProgress, isMerge = false, isForced = false, isWhole = false, hasRecords = false }: WriteOptions,
): Promise<WrittenRecords> {
  const counts = await countStaged(transaction)
  const staged: { kind: RecordKind; records: number; created: number }[] = []
  const refusals: Refusal[] = []
  for (const kind of recordKinds) {
    if (!isWritten(kind, counts)) continue
    const records = counts.get(kind) ?? 0
    if (records > 0) onProgress?.({ kind })
    const replaced = await stageKind(transaction, kind, counts, isMerge)
    const found = await takeOutFaulty(transaction, kind, users)
    refusals.push(...found.filter(({ isForceable }) => !(isForceable && isForced)))
    const created = await (kind === 'user' ? users.write(transaction) : writeKind(transaction, kind))
    if (records > 0) staged.push({ kind, records: records - replaced, created })
  }
  const outcomes = new Map<RecordKind, readonly Outcome[]>()
  for (const { kind } of staged) {
    const detail = { isWhole, hasRecords: hasRecords || kind === 'group' }
    outcomes.set(kind, await transaction.run(kindStatements[kind].outcomes, detail))
  }
  return {
    kinds: staged.map((each) => ({ ...each, updated: outcomes.get(each.kind)?.filter(isUpdated).length ?? 0 })),
    outcomes,
    refusals: refusals.sort((one, other) => one.line - other.line),
  }
}

/**
 * Takes out records that cannot be written, and then those that refer to them, until none is left. Returns why each is
 * refused.
 */
async function takeOutFaulty(transaction: Tables, kind: RecordKind, users: UserWriter): Promise<Refusal[]> {
  const { check, takeOut } = kindStatements[kind]
  const refusals: Refusal[] = []
  for (;;) {
    const faults: Omit<Refusal, 'kind'>[] = await transaction.run(check, {})
    if (faults.length === 0 && kind === 'user') {
      const { unwritable, refused } = await users.judge(transaction)
      faults.push(...unwritable)
      refusals.push(...refused.map((fault) => ({ ...refusalFrom(kind, fault), isForceable: true })))
    }
    if (faults.length === 0) return refusals
    refusals.push(...faults.map((fault) => refusalFrom(kind, fault)))
    await transaction.run(takeOut, { lines: faults.map(({ line }) => line) })
  }
}

function refusalFrom(kind: RecordKind, { field, ...fault }: Omit<Refusal, 'kind'>): Refusal {
  return { ...fault, kind, field: `${kind}.${field}` }
}

/** The outcome of each record, in the order of lines. */
export function planOf({ kinds, outcomes, refusals }: WrittenRecords): ImportPlan {
  const records = new Map<number, PlannedRecord>()
  for (const [kind, ofKind] of outcomes) {
    for (const each of ofKind) records.set(each.line, plannedRecord(kind, each))
  }
  for (const refusal of refusals) {
    const { line, kind, id, organizationId } = refusal
    const known = records.get(line) ?? { line, kind, id, organizationId, fields: [], faults: [] }
    records.set(line, { ...known, outcome: 'refused', faults: [...known.faults, refusalText(refusal)] })
  }
  return { kinds, records: [...records.values()].sort((one, other) => one.line - other.line) }
}

/** The event of a changed group, with the members that were added and removed. */
function groupEvent({ organizationId, id, fields, before, after }: Outcome): AuditEvent {
  const [old, now] = [membersIn(before), membersIn(after)]
  const members = {
    added: [...now].filter((userId) => !old.has(userId)),
    removed: [...old].filter((userId) => !now.has(userId)),
  }
  const changedFields = fields.map((field) => (field === 'userIds' ? 'members' : field))
  return { organizationId, action: 'group.update', targetId: id, changedFields, members }
}

function membersIn(record: string | null): ReadonlySet<string> {
  return new Set(JSON.parse(record ?? '{}').userIds)
}

function plannedRecord(kind: RecordKind, outcome: Outcome): PlannedRecord {
  const { line, id, organizationId, isNew, fields } = outcome
  const written = isUpdated(outcome) ? 'updated' : 'unchanged'
  return { line, kind, id, organizationId, outcome: isNew ? 'created' : written, fields, faults: [] }
}

function isUpdated({ isNew, fields }: Outcome): boolean {
  return !isNew && fields.length > 0
}
