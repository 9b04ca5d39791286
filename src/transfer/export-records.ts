import type { Database } from '../db/database.js'
import { kindStatements } from '../store/transfer/import.js'
import { recordKinds } from '../store/transfer/kind.js'

/**
 * Yields the whole database as lines that `importRecords` accepts, each with its line end, without secrets, as of one
 * moment: each kind in the order of creation. The same data gives the same bytes. Holds a connection until the last line
 * is read or the caller stops.
 */
export async function* exportRecords(tables: Pick<Database, 'readSnapshot'>): AsyncGenerator<string> {
  const statements = recordKinds.map((kind) => kindStatements[kind].export)
  for await (const { index, row } of tables.readSnapshot(statements)) {
    const { json, organizationId } = row
    const organization = organizationId === null ? '' : `"organizationId":${JSON.stringify(organizationId)},`
    yield `{${organization}"${recordKinds[index]}":${json}}\n`
  }
}
