import type { Store } from '../db/queryable.js'
import { ServiceError } from '../errors.js'
import type { Runtime } from '../runtime/runtime.js'
import type { RecordKind } from '../store/transfer/record-kind.js'
import type { StagedLine } from '../store/transfer/staging.js'
import { ImportError } from './import-error.js'
import { type ImportSummary, importRows } from './import-rows.js'
import { createImportScope, type ImportScope } from './import-scope.js'
import { createRecordJson, type RecordJson } from './record-json.js'
import type { TransferRecord } from './record-kind.js'
import { stagedRowOf } from './resources.js'
import { textLines } from './text-lines.js'

/** How far an import has come: lines read, or the kind that is being written. */
export type ImportProgress =
  | { readonly phase: 'read'; readonly line: number }
  | { readonly phase: 'write'; readonly kind: RecordKind; readonly records: number }

/** What an import needs besides the database and the text. */
export interface ImportOptions {
  readonly runtime: Runtime
  readonly onProgress?: (progress: ImportProgress) => void
  /** When it aborts, nothing is imported. */
  readonly signal?: AbortSignal
}

/**
 * Imports newline-delimited JSON, one `svc.v2.ImportRecord` a line, in one transaction: all of it, or nothing and an
 * ImportError that names the line. `chunks` are pieces of the text, cut anywhere. Importing the same again changes nothing.
 */
export function importRecords(
  tables: Pick<Store, 'preparedTransaction'>,
  chunks: AsyncIterable<Uint8Array | string>,
  { runtime, onProgress, signal }: ImportOptions,
): Promise<ImportSummary> {
  const recordJson = createRecordJson()
  const scope = createImportScope(runtime)
  return importRows(tables, {
    runtime,
    signal,
    stage: async (staging) => {
      for await (const { line, text } of textLines(chunks)) {
        const sent = staging.add(stagedLineOf(recordJson, line, text, scope))
        if (sent !== undefined) {
          onProgress?.({ phase: 'read', line })
          await sent
        }
      }
    },
    onWrite: (kind, records) => onProgress?.({ phase: 'write', kind, records }),
  })
}

function stagedLineOf(recordJson: RecordJson, line: number, text: string, scope: ImportScope): StagedLine {
  let kind: TransferRecord['kind'] | undefined
  try {
    const transferRecord = recordJson.recordFromText(text)
    kind = transferRecord.kind
    return { kind, line, ...stagedRowOf(transferRecord.kind, transferRecord.record, scope) }
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    throw new ImportError(line, kind === undefined ? error.message : `${kind}.${error.message}`, error)
  }
}
