import type { Snapshots } from '../db/queryable.js'
import { exportRows } from '../store/transfer/export.js'
import { createRecordJson } from './record-json.js'

/**
 * Gives the whole database as lines that `importRecords` takes, each with its end, without secrets, as of one moment. The
 * same data gives the same bytes.
 */
export async function* exportRecords(tables: Snapshots): AsyncGenerator<string> {
  const recordJson = createRecordJson()
  for await (const { kind, record } of exportRows(tables)) yield recordJson.textFromRecord(kind, record)
}
