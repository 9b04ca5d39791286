import { Prisma } from '../../../gen/prisma/client.js'
import { createStatement } from '../../db/statement.js'
import type { Tables } from '../../db/tables.js'
import type { RecordKind } from './kind.js'
import { TEMPORARY } from './staged-table.js'

/** A record that has passed the checks without a database, with its line. */
export interface StagedLine {
  readonly kind: RecordKind
  /** Equal only for lines of one record; lines of one record that name different owners have different ones. */
  readonly key: string
  readonly line: number
  /** The organization of a record that names only its owner, empty if the line does not say. */
  readonly organizationId: string
  /** The values, in camel case by the columns of the staging table of the kind. */
  readonly values: Readonly<Record<string, unknown>>
  /** The columns of the staging table that the line gives; the others keep what stands. Default: it gives all. */
  readonly given?: readonly string[] | undefined
}

/** Accepts rows while earlier ones are on their way to the database. */
export interface Staging {
  /**
   * Adds a row, which replaces an earlier one with the same key. If a batch was sent, returns a promise that must be
   * awaited.
   */
  add(row: StagedLine): Promise<void> | undefined
  /** Sends all remaining rows and waits until everything has arrived. */
  flush(): Promise<void>
  /** Waits until nothing is on its way, even if it failed. */
  settle(): Promise<void>
}

/** A batch is sent when it has this many rows or characters. */
const MAX_BATCH_ROWS = 1_000
const MAX_BATCH_CHARACTERS = 500_000

const create = createStatement<object, Record<never, never>>({
  name: 'stage_import_rows',
  columns: {},
  text: () => Prisma.sql`
CREATE TEMPORARY TABLE import_rows (
  kind text NOT NULL, key text NOT NULL, first_line integer NOT NULL, line integer NOT NULL,
  organization_id text NOT NULL, row_values json NOT NULL, given text[], PRIMARY KEY (kind, key)
) ${TEMPORARY}`,
})

const add = createStatement<{ readonly rows: string }, Record<never, never>>({
  name: 'add_import_rows',
  columns: {},
  text: ({ rows }) => Prisma.sql`
INSERT INTO import_rows (kind, key, first_line, line, organization_id, row_values, given)
SELECT b.kind, b.key, b.first_line, b.line, b.organization_id, b.row_values, b.given
FROM json_to_recordset(${rows}::json)
  AS b(kind text, key text, first_line integer, line integer, organization_id text, row_values json,
       given text[])
ON CONFLICT (kind, key) DO UPDATE SET line = EXCLUDED.line, row_values = EXCLUDED.row_values,
  given = EXCLUDED.given`,
})

const count = createStatement<object, { readonly kind: string; readonly records: number }>({
  name: 'count_import_rows',
  columns: { kind: 'text', records: 'int4' },
  text: () => Prisma.sql`SELECT kind, count(*)::integer AS records FROM import_rows GROUP BY kind`,
})

/** The statements of this file. */
export const stagingStatements = [create, add, count]

/** Makes the table that holds all rows of an import until the transaction ends. */
export async function createStaging(transaction: Tables): Promise<Staging> {
  await transaction.run(create, {})
  // Keyed so that no statement has a key twice; the JSON is made at once, so that no row is kept in memory.
  let batch = new Map<string, { firstLine: number; json: string }>()
  let characters = 0
  let sending: Promise<void> = Promise.resolve()
  let failure: { readonly error: unknown } | undefined
  const settle = async () => {
    await sending
    if (failure !== undefined) throw failure.error
  }
  const send = async () => {
    const rows = [...batch.values()].map(({ json }) => json)
    batch = new Map()
    characters = 0
    await settle()
    sending = transaction.run(add, { rows: `[${rows.join(',')}]` }).then(
      () => {},
      (error: unknown) => {
        failure = { error }
      },
    )
  }
  return {
    add: ({ kind, key, line, organizationId, values, given }) => {
      const batchKey = `${kind} ${key}`
      const firstLine = batch.get(batchKey)?.firstLine ?? line
      const places = { first_line: firstLine, line, organization_id: organizationId }
      const json = JSON.stringify({ kind, key, row_values: values, given, ...places })
      batch.set(batchKey, { firstLine, json })
      characters += json.length
      return batch.size >= MAX_BATCH_ROWS || characters >= MAX_BATCH_CHARACTERS ? send() : undefined
    },
    flush: async () => {
      if (batch.size > 0) await send()
      await settle()
    },
    settle: () => sending,
  }
}

/** Counts the records of each kind, those twice that two lines give to different owners. */
export async function countStaged(transaction: Tables): Promise<Map<string, number>> {
  const counts = await transaction.run(count, {})
  return new Map(counts.map(({ kind, records }) => [kind, records]))
}
