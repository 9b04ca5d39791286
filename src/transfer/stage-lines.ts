import type { Tables } from '../db/tables.js'
import { ServiceError } from '../errors.js'
import type { Runtime } from '../runtime/runtime.js'
import type { RecordKind } from '../store/transfer/kind.js'
import { columnsGiven, namesOnlyOwner, recordRow } from '../store/transfer/record-row.js'
import { addStagedLines, createStaging, type StagedLine } from '../store/transfer/staging.js'
import { ImportError } from './import-error.js'
import { createRecordReader, givenFields, type TransferLine } from './record-reader.js'
import { settleRecord } from './settle-record.js'
import { textLines } from './text-lines.js'

/** The progress of an import: lines read, or the kind that is being written. */
export type ImportProgress =
  | { readonly phase: 'read'; readonly line: number }
  | { readonly phase: 'write'; readonly kind: RecordKind; readonly records: number }

/** How the records of a file meet those that stand. */
export interface ImportMode {
  /** What a line does not give stays as it is, instead of becoming empty. */
  readonly isMerge?: boolean | undefined
  /** Nothing is refused that takes a member back from deactivation or from a directory. */
  readonly isForced?: boolean | undefined
}

/** What an import needs besides the database and the text. */
export interface ImportOptions extends ImportMode {
  readonly runtime: Runtime
  readonly onProgress?: (progress: ImportProgress) => void
  /** When it aborts, nothing is imported. */
  readonly signal?: AbortSignal
}

/** A batch is sent when its lines are so many, or have so many characters. */
const MAX_BATCH_LINES = 1_000
const MAX_BATCH_CHARACTERS = 500_000

/**
 * Reads every line and stages its record, in the transaction, and returns the ids of the organizations of users. Throws
 * an ImportError for a bad line.
 */
export async function stageLines(
  transaction: Tables,
  chunks: AsyncIterable<Uint8Array | string>,
  { runtime, onProgress, isMerge = false }: ImportOptions,
): Promise<ReadonlySet<string>> {
  const organizationIds = new Set<string>()
  const readRecord = createRecordReader()
  await createStaging(transaction)
  // No statement may have a key twice.
  let batch = new Map<string, StagedLine>()
  let characters = 0
  for await (const { line, text } of textLines(chunks)) {
    const record = atLine(line, '', () => readRecord(text))
    const { case: kind, value } = record.resource
    if (kind === 'user') organizationIds.add(value.organizationId)
    const staged = stagedLine(record, line, runtime)
    const key = `${kind} ${staged.key}`
    const firstLine = batch.get(key)?.firstLine ?? line
    batch.set(key, { ...staged, firstLine, ...(isMerge && { given: columnsGiven(kind, givenFields(text, record)) }) })
    characters += text.length
    if (batch.size < MAX_BATCH_LINES && characters < MAX_BATCH_CHARACTERS) continue
    onProgress?.({ phase: 'read', line })
    await addStagedLines(transaction, [...batch.values()])
    batch = new Map()
    characters = 0
  }
  await addStagedLines(transaction, [...batch.values()])
  return organizationIds
}

function stagedLine({ resource, organizationId }: TransferLine, line: number, runtime: Runtime): StagedLine {
  const { case: kind, value } = resource
  if (organizationId !== '' && !namesOnlyOwner(kind)) {
    throw new ImportError(
      line,
      `organizationId: is only for records that name an owner such as a team, not for ${kind}`,
    )
  }
  const row = atLine(line, `${kind}.`, () => recordRow(kind, value, settleRecord(resource, runtime)))
  return { kind, firstLine: line, line, organizationId, key: `${organizationId}/${row.key}`, values: row.values }
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
