import type { Database } from '../../db/database.js'
import { exportRows } from '../../domain/transfer/export-rows.js'
import { createRecordJson } from './record-json.js'

/**
 * Gives the whole database as lines that `importRecords` takes, each with its end, without secrets, as of one moment. The
 * same data gives the same bytes.
 */
export async function* exportRecords(database: Pick<Database, 'pool'>): AsyncGenerator<string> {
  const recordJson = createRecordJson()
  for await (const { kind, record } of exportRows(database)) yield recordJson.textFromRecord(kind, record)
}
