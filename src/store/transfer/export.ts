import type { Database } from '../../db/database.js'
import { kindStatements } from './kind-statements.js'
import type { RecordKind } from './record-kind.js'

/** A record in the JSON of the API, without computed fields. */
export interface ExportedRecord {
  readonly kind: RecordKind
  readonly json: string
  /** Where the id of the record's owner does not say which organization it is of. */
  readonly organizationId: string | null
}

/**
 * Yields every record of the database, each kind in the order of creation, all as of one moment. Holds a connection
 * until the last one is read or the caller stops.
 */
export async function* exportedRecords(tables: Pick<Database, 'readSnapshot'>): AsyncGenerator<ExportedRecord> {
  const kinds = [...kindStatements]
  const statements = kinds.map(([, statement]) => statement.export)
  for await (const { index, row } of tables.readSnapshot(statements)) {
    const [kind] = kinds[index] ?? []
    if (kind !== undefined) yield { kind, ...row }
  }
}
