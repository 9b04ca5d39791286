import { Prisma } from '../../../gen/prisma/client.js'
import { createQuery, type Tables } from '../../db/tables.js'
import { jsonInSlices } from '../../runtime/slices.js'
import type { Table } from '../resource/resource.js'
import { perKind, type RecordKind } from './kind.js'
import { kinds, writtenTables } from './kinds.js'
import { TEMPORARY } from './staged-table.js'
import { statementsOf } from './statements.js'

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
  /** The columns of the staging table that the line gives; the others keep their values. Default: it gives all. */
  readonly given?: readonly string[] | undefined
}

/** Makes the table that keeps all rows of an import until the transaction ends. */
export const createStaging = createQuery<object>({
  name: 'stage_import_rows',
  columns: {},
  text: () => Prisma.sql`
CREATE TEMPORARY TABLE import_rows (
  kind text NOT NULL, key text NOT NULL, first_line integer NOT NULL, line integer NOT NULL,
  organization_id text NOT NULL, row_values json NOT NULL, given text[], PRIMARY KEY (kind, key)
) ${TEMPORARY}`,
})

const add = createQuery<{ readonly rows: string }>({
  name: 'add_import_rows',
  columns: {},
  text: ({ rows }) => Prisma.sql`
INSERT INTO import_rows (kind, key, first_line, line, organization_id, row_values, given)
SELECT * FROM json_to_recordset(${rows}::json)
  AS b(kind text, key text, "firstLine" integer, line integer, "organizationId" text, "values" json, given text[])
ON CONFLICT (kind, key) DO UPDATE SET line = EXCLUDED.line, row_values = EXCLUDED.row_values, given = EXCLUDED.given`,
})

const count = createQuery<object, { readonly kind: string; readonly records: number }>({
  name: 'count_import_rows',
  columns: { kind: 'text', records: 'int4' },
  text: () => Prisma.sql`SELECT kind, count(*)::integer AS records FROM import_rows GROUP BY kind`,
})

/** Adds rows with different keys, each of which replaces an earlier one with its key. */
export async function addStagedLines(tables: Tables, lines: readonly StagedLine[]): Promise<void> {
  if (lines.length > 0) await add(tables, { rows: await jsonInSlices(lines, (line) => line) })
}

/** Counts the records of each kind, those twice that two lines give to different owners. */
export async function countStaged(tables: Tables): Promise<Map<string, number>> {
  const counts = await count(tables, {})
  return new Map(counts.map(({ kind, records }) => [kind, records]))
}

const analyzedColumns = ({ name, key, references }: Table) =>
  `${name} (${[...new Set([...key, ...Object.keys(references)])].join(', ')})`

/**
 * Updates PostgreSQL's statistics of the tables of an import. Only of keys and references, which plans need at once:
 * what else is indexed, such as the words of names, takes five times as long, and is left to autovacuum, for which this
 * does not count.
 */
export const analyzeImported = createQuery<object>({
  name: 'import_statistics',
  columns: {},
  text: () => Prisma.raw(`ANALYZE ${writtenTables.map(analyzedColumns).join(', ')}`),
})

export const kindStatements = perKind((kind) => statementsOf(kinds[kind]))

/** Whether a kind has anything to write, given the number of different staged records of each. */
export function isWritten(kind: RecordKind, counts: ReadonlyMap<string, number>): boolean {
  const { followers } = kindStatements[kind]
  return counts.has(kind) || (followers !== undefined && counts.has(followers.of))
}

/**
 * Prepares the records of a kind: locks the existing rows, copies them, and with `isMerge` completes what lines do not
 * give. Returns how many lines later ones replace.
 */
export async function stageKind(
  { run }: Tables,
  kind: RecordKind,
  counts: ReadonlyMap<string, number>,
  isMerge: boolean,
): Promise<number> {
  const { stage, followers, replace, findExisting, lock, merge, stageBefore } = kindStatements[kind]
  await run(stage, {})
  if (followers !== undefined && counts.has(followers.of)) await run(followers.stage, {})
  const [repeated] = replace === undefined ? [] : await run(replace, {})
  for (const rows of await run(findExisting, {})) await run(lock, rows)
  if (isMerge) await run(merge, {})
  await run(stageBefore, {})
  return repeated?.replaced ?? 0
}

/** Writes the prepared records of a kind and what belongs to them, and returns how many are new. */
export async function writeKind({ run }: Tables, kind: RecordKind): Promise<number> {
  const { upsert, lists, after, raise } = kindStatements[kind]
  const [written] = await run(upsert, {})
  for (const each of [...lists, ...after, ...(raise === undefined ? [] : [raise])]) await run(each, {})
  return written?.created ?? 0
}

export async function writeLists({ run }: Tables, kind: RecordKind): Promise<void> {
  for (const each of kindStatements[kind].lists) await run(each, {})
}

/** Finds which of the groups the directory manages. */
export async function findDirectoryGroups(
  { models }: Tables,
  organizationId: string,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  const where = { organizationId, id: { in: [...ids] }, directoryExternalId: { not: null } }
  return new Set((await models.group.findMany({ where, select: { id: true } })).map(({ id }) => id))
}
