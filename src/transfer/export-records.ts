import type { UserTables } from '../db/tables.js'
import { ServiceError } from '../errors.js'
import { kindStatements } from '../store/transfer/import.js'
import { recordKinds } from '../store/transfer/kind.js'

/**
 * Yields the organization, or the whole database, as the JSON of records that an import accepts, without secrets, from
 * one snapshot: each kind in the order of creation. The same data gives the same bytes. Keeps a connection until the
 * last record is read or the caller stops.
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

/** The slowest that a reader may be, after the patience, before the export is ended. */
const BYTES_PER_SECOND = 128 * 1024
const PATIENCE_MILLIS = 10_000

/**
 * Yields texts as long as they are read fast enough: an export keeps a connection to the database, which a slow reader
 * must not keep for ever. Throws `DEADLINE_EXCEEDED`, with a cause, so that it is logged. `now` is in milliseconds.
 */
export async function* requireReading(texts: AsyncIterable<string>, now: () => number): AsyncGenerator<string> {
  let bytes = 0
  let waited = 0
  for await (const text of texts) {
    const since = now()
    yield text
    waited += now() - since
    bytes += Buffer.byteLength(text)
    if (waited < PATIENCE_MILLIS + (bytes * 1_000) / BYTES_PER_SECOND) continue
    const read = `${bytes} bytes in ${Math.round(waited / 1_000)} seconds`
    throw new ServiceError(
      'DEADLINE_EXCEEDED',
      `the export was read too slowly, ${read}: read it faster, such as into a file`,
      { cause: new Error(`an export was read too slowly: ${read}`) },
    )
  }
}
