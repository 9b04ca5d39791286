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
  readonly firstLine: number
  readonly line: number
  /** The organization of a record that names only its owner, empty if the line does not say. */
  readonly organizationId: string
  /** The values, in camel case by the columns of the staging table of the kind. */
  readonly values: Readonly<Record<string, unknown>>
  /** The columns of the staging table that the line gives; the others keep what stands. Default: it gives all. */
  readonly given?: readonly string[] | undefined
}

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
SELECT * FROM json_to_recordset(${rows}::json)
  AS b(kind text, key text, "firstLine" integer, line integer, "organizationId" text, "values" json, given text[])
ON CONFLICT (kind, key) DO UPDATE SET line = EXCLUDED.line, row_values = EXCLUDED.row_values, given = EXCLUDED.given`,
})

const count = createStatement<object, { readonly kind: string; readonly records: number }>({
  name: 'count_import_rows',
  columns: { kind: 'text', records: 'int4' },
  text: () => Prisma.sql`SELECT kind, count(*)::integer AS records FROM import_rows GROUP BY kind`,
})

/** Makes the table that holds all rows of an import until the transaction ends. */
export async function createStaging({ run }: Tables): Promise<void> {
  await run(create, {})
}

/** Adds rows with different keys, each of which replaces an earlier one with its key. */
export async function addStagedLines({ run }: Tables, lines: readonly StagedLine[]): Promise<void> {
  if (lines.length > 0) await run(add, { rows: JSON.stringify(lines) })
}

/** Counts the records of each kind, those twice that two lines give to different owners. */
export async function countStaged({ run }: Tables): Promise<Map<string, number>> {
  const counts = await run(count, {})
  return new Map(counts.map(({ kind, records }) => [kind, records]))
}
