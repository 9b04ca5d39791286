import type { Tables } from '../db/tables.js'
import { ServiceError } from '../errors.js'
import type { Runtime } from '../runtime/runtime.js'
import type { ImportMode } from '../store/transfer/import.js'
import type { RecordKind } from '../store/transfer/record-kind.js'
import { columnsGiven, namesOnlyOwner, recordRow } from '../store/transfer/record-row.js'
import type { StagedLine } from '../store/transfer/staging.js'
import { givenFields } from './given-fields.js'
import { ImportError } from './import-error.js'
import { type ImportPlan, type ImportSteps, type ImportSummary, importRows, planRows } from './import-rows.js'
import { createRecordReader } from './record-reader.js'
import { settleRecord } from './settle-record.js'
import { textLines } from './text-lines.js'
import type { TransferLine } from './transfer-record.js'

/** The progress of an import: lines read, or the kind that is being written. */
export type ImportProgress =
  | { readonly phase: 'read'; readonly line: number }
  | { readonly phase: 'write'; readonly kind: RecordKind; readonly records: number }

/** What an import needs besides the database and the text. */
export interface ImportOptions extends ImportMode {
  readonly runtime: Runtime
  readonly onProgress?: (progress: ImportProgress) => void
  /** When it aborts, nothing is imported. */
  readonly signal?: AbortSignal
}

/**
 * Imports newline-delimited JSON, one `svc.v2.ImportRecord` per line, in one transaction: either all of it, or nothing
 * with an ImportError that names the line. `chunks` are pieces of the text, cut anywhere. Importing the same again
 * changes nothing.
 */
export function importRecords(
  tables: Tables,
  chunks: AsyncIterable<Uint8Array | string>,
  options: ImportOptions,
): Promise<ImportSummary> {
  return importRows(tables, stepsOf(chunks, options))
}

/** Tells what an import would do with each record, and writes nothing. Throws an ImportError for a bad line. */
export function planImport(
  tables: Tables,
  chunks: AsyncIterable<Uint8Array | string>,
  options: ImportOptions,
): Promise<ImportPlan> {
  return planRows(tables, stepsOf(chunks, options))
}

function stepsOf(chunks: AsyncIterable<Uint8Array | string>, options: ImportOptions): ImportSteps {
  const { runtime, onProgress, isMerge = false } = options
  const readRecord = createRecordReader()
  return {
    ...options,
    stage: async (staging) => {
      for await (const { line, text } of textLines(chunks)) {
        const record = atLine(line, '', () => readRecord(text))
        const given = isMerge ? columnsGiven(record.resource.case, givenFields(text, record)) : undefined
        const row = { ...stagedRow(record, line, runtime), given }
        const sent = staging.add(row)
        if (sent !== undefined) {
          onProgress?.({ phase: 'read', line })
          await sent
        }
      }
    },
    onWrite: (kind, records) => onProgress?.({ phase: 'write', kind, records }),
  }
}

function stagedRow({ resource, organizationId }: TransferLine, line: number, runtime: Runtime): StagedLine {
  const { case: kind, value } = resource
  if (organizationId !== '' && !namesOnlyOwner(kind)) {
    throw new ImportError(
      line,
      `organizationId: is only for records that name an owner such as a team, not for ${kind}`,
    )
  }
  const row = atLine(line, `${kind}.`, () => recordRow(kind, value, settleRecord(resource, runtime)))
  return { kind, line, organizationId, key: `${organizationId}/${row.key}`, values: row.values }
}

/** Adds the line, and `at` before the name of the field, to errors. */
function atLine<T>(line: number, at: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (error instanceof ServiceError) throw new ImportError(line, at + error.message, error)
    throw error
  }
}
