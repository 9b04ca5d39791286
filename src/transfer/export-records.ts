import type { Database } from '../db/database.js'
import { exportedRecords } from '../store/transfer/export.js'

/**
 * Yields the whole database as lines that `importRecords` accepts, each with its line end, without secrets, as of one
 * moment. The same data gives the same bytes.
 */
export async function* exportRecords(tables: Pick<Database, 'readSnapshot'>): AsyncGenerator<string> {
  for await (const { kind, json, organizationId } of exportedRecords(tables)) {
    const organization = organizationId === null ? '' : `"organizationId":${JSON.stringify(organizationId)},`
    yield `{${organization}"${kind}":${json}}\n`
  }
}
