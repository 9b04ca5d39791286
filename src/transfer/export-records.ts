import type { UserTables } from '../db/tables.js'
import { kindStatements } from '../store/transfer/import.js'
import { recordKinds } from '../store/transfer/kind.js'

/**
 * Yields the organization, or the whole database, as the JSON of records that an import accepts, without secrets, as of
 * one moment: each kind in the order of creation. The same data gives the same bytes. Holds a connection until the last
 * one is read or the caller stops.
 */
export async function* exportRecords(
  tables: Pick<UserTables, 'readSnapshot'>,
  organizationId: string | null,
): AsyncGenerator<string> {
  const statements = recordKinds.map((kind) => kindStatements[kind].export)
  for await (const rows of tables.readSnapshot(statements, { organizationId })) {
    for (const { json } of rows) yield json
  }
}
