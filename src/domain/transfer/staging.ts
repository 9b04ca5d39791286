import type { Sql } from '../../db/sql.js'
import type { RecordKind } from './record-kind.js'
import { transferResources } from './resources.js'
import type { StagedRow } from './transfer-resource.js'

/** A row with the line that it came from. */
export interface StagedLine extends StagedRow {
  readonly kind: RecordKind
  readonly line: number
}

/** Takes rows in while earlier ones are on their way to the database. */
export interface Staging {
  /**
   * Adds a row; a later row of one key takes the place of the earlier one. Answers a promise, which is to be awaited,
   * when a batch has been sent with it.
   */
  add(row: StagedLine): Promise<void> | undefined
  /** Sends what has not been sent yet and waits until all of it has come in. */
  flush(): Promise<void>
  /** Waits until nothing is on its way, whatever has become of it. */
  settle(): Promise<void>
}

/** A batch is sent when it has this many rows or characters. */
const MAX_BATCH_ROWS = 1_000
const MAX_BATCH_CHARACTERS = 500_000

/** Rows up to a page's size stay uncompressed and in place: compressing what is read once costs more than it saves. */
const STORAGE = 'WITH (toast_tuple_target = 8160) ON COMMIT DROP'

const createStatement = `
CREATE TEMPORARY TABLE import_rows (
  kind text NOT NULL, key text NOT NULL, first_line integer NOT NULL, line integer NOT NULL, row_values jsonb NOT NULL,
  PRIMARY KEY (kind, key)
) ${STORAGE}`

const addStatement = `
INSERT INTO import_rows (kind, key, first_line, line, row_values)
SELECT b.kind, b.key, b.first_line, b.line, b.row_values
FROM jsonb_to_recordset($1::jsonb) AS b(kind text, key text, first_line integer, line integer, row_values jsonb)
ON CONFLICT (kind, key) DO UPDATE SET line = EXCLUDED.line, row_values = EXCLUDED.row_values`

/** Makes the table that holds all rows of an import until the transaction ends. */
export async function createStaging(sql: Sql): Promise<Staging> {
  await sql.execute(createStatement)
  // Keyed so that one statement never meets a key twice; the JSON is made at once, so that no row is held.
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
    sending = sql.execute(addStatement, [`[${rows.join(',')}]`]).then(
      () => {},
      (error: unknown) => {
        failure = { error }
      },
    )
  }
  return {
    add: ({ kind, key, line, values }) => {
      const batchKey = `${kind} ${key}`
      const firstLine = batch.get(batchKey)?.firstLine ?? line
      const json = JSON.stringify({ kind, key, first_line: firstLine, line, row_values: values })
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

/** Counts the different records of each kind. */
export async function countStaged(sql: Sql): Promise<Map<string, number>> {
  await sql.execute('ANALYZE import_rows')
  const counts = await sql.query<{ kind: string; records: number }>(
    'SELECT kind, count(*)::integer AS records FROM import_rows GROUP BY kind',
  )
  return new Map(counts.map(({ kind, records }) => [kind, records]))
}

/** Makes the staging table of one kind: its rows with their types, and what their owners give. */
export async function createStagedTable(sql: Sql, kind: RecordKind): Promise<void> {
  const { staged, columns, owner } = transferResources[kind]
  const definitions = Object.entries(columns).map(([name, type]) => `${name} ${type}`)
  const given = Object.entries(owner?.gives ?? {}).map(([name, expression]) => `, ${expression} AS ${name}`)
  const join = owner === undefined ? '' : `LEFT JOIN ${owner.table} owner ON owner.id = r.${owner.column}`
  await sql.execute(`
CREATE TEMPORARY TABLE ${staged} ${STORAGE} AS
SELECT i.first_line, i.line, r.*${given.join('')}
FROM import_rows i CROSS JOIN LATERAL jsonb_to_record(i.row_values) AS r(${definitions.join(', ')}) ${join}
WHERE i.kind = '${kind}'`)
  await sql.execute(`ANALYZE ${staged}`)
}
