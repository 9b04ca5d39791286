import type { Tables } from '../db/tables.js'
import { invalidField, invalidFields, ServiceError } from '../errors.js'
import type { Runtime } from '../runtime/runtime.js'
import { addStagedLines, createStaging, type StagedLine } from '../store/transfer/import.js'
import type { RecordKind } from '../store/transfer/kind.js'
import { columnsGiven, namesOnlyOwner, recordRow } from '../store/transfer/kinds.js'
import { ImportError } from './import-error.js'
import { createRecordReader, givenFields, type TransferLine } from './record-reader.js'
import { settleRecord } from './settle-record.js'
import { type Chunks, type TextLine, textLines } from './text-lines.js'

/** The progress of an import: the line up to which it is read, or the kind that is being written. */
export type ImportProgress = { readonly line: number } | { readonly kind: RecordKind }

/** The options of an import. */
export interface ImportOptions {
  readonly runtime: Runtime
  readonly onProgress?: (progress: ImportProgress) => void
  /** When it aborts, nothing is imported. */
  readonly signal?: AbortSignal
  /** Fields that a line does not give stay as they are, instead of becoming empty. */
  readonly isMerge?: boolean | undefined
  /** Nothing is refused that takes a member back from deactivation or from a directory. */
  readonly isForced?: boolean | undefined
}

/** A batch is sent when its lines are so many, or have so many characters. */
const MAX_BATCH_LINES = 1_000
const MAX_BATCH_CHARACTERS = 500_000

/** A record that has been read, and how it is staged. */
export interface RecordLine {
  readonly record: TransferLine
  readonly staged: StagedLine
  /** The length of its text; absent where all are short. */
  readonly characters?: number
}

/** The records of newline-delimited JSON. Throws an ImportError for a bad line. */
export async function* linesOfText(
  chunks: Chunks,
  { runtime, isMerge = false }: ImportOptions,
): AsyncGenerator<RecordLine> {
  const recordReader = createRecordReader()
  const lineFrom = ({ line, text }: TextLine): RecordLine => {
    try {
      const record = recordReader.fromText(text)
      const staged = stagedLine(record, line, runtime)
      const given = isMerge ? columnsGiven(staged.kind, givenFields(text, record)) : undefined
      return { record, staged: { ...staged, given }, characters: text.length }
    } catch (error) {
      throw error instanceof ServiceError ? new ImportError(line, error.message, error) : error
    }
  }
  for await (const each of textLines(chunks)) yield lineFrom(each)
}

export async function stageLines(
  transaction: Tables,
  lines: AsyncIterable<RecordLine> | Iterable<RecordLine>,
  onProgress: ImportOptions['onProgress'],
): Promise<void> {
  await createStaging(transaction, {})
  // No statement may have a key twice.
  let batch = new Map<string, StagedLine>()
  let batchCharacters = 0
  // PostgreSQL takes a batch while the next one is read.
  let failure: Promise<unknown> = Promise.resolve()
  const sent = async () => {
    const error = await failure
    if (error !== undefined) throw error
  }
  const send = async () => {
    await sent()
    failure = addStagedLines(transaction, [...batch.values()]).then(
      () => undefined,
      (thrown: unknown) => thrown,
    )
    batch = new Map()
    batchCharacters = 0
  }
  for await (const { staged, characters = 0 } of lines) {
    const { kind, line } = staged
    const key = `${kind} ${staged.key}`
    batch.set(key, { ...staged, firstLine: batch.get(key)?.firstLine ?? line })
    batchCharacters += characters
    if (batch.size < MAX_BATCH_LINES && batchCharacters < MAX_BATCH_CHARACTERS) continue
    onProgress?.({ line })
    await send()
  }
  await send()
  await sent()
}

/** A record as it is staged. Throws a ServiceError that names the field for one that breaks rules of its own. */
export function stagedLine({ resource, organizationId }: TransferLine, line: number, runtime: Runtime): StagedLine {
  const { case: kind, value } = resource
  if (organizationId !== '' && !namesOnlyOwner(kind)) {
    throw invalidField('organizationId', `is only for records that name an owner such as a team, not for ${kind}`)
  }
  try {
    const row = recordRow(kind, value, settleRecord(resource, runtime))
    return { kind, firstLine: line, line, organizationId, key: `${organizationId}/${row.key}`, values: row.values }
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    const violations = error.violations.map((violation) => ({ ...violation, field: `${kind}.${violation.field}` }))
    const [first, ...others] = violations
    throw first === undefined ? error : invalidFields([first, ...others])
  }
}
