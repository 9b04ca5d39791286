import { Prisma } from '../../../gen/prisma/client.js'
import { createStatement } from '../../db/statement.js'
import type { Tables } from '../../db/tables.js'
import { perKind, type RecordKind } from './kind.js'
import { kinds, writtenTables } from './kinds.js'
import { statementsOf } from './statements.js'

const analyzeTables = createStatement<object, Record<never, never>>({
  name: 'import_statistics',
  columns: {},
  text: () => Prisma.raw(`ANALYZE ${writtenTables.join(', ')}`),
})

/** The statements of every kind. */
export const kindStatements = perKind((kind) => statementsOf(kinds[kind]))

/** Whether a kind has anything to write, given the number of different staged records of each. */
export function isWritten(kind: RecordKind, counts: ReadonlyMap<string, number>): boolean {
  const { followers } = kindStatements[kind]
  return counts.has(kind) || (followers !== undefined && counts.has(followers.of))
}

/**
 * Prepares the records of a kind: locks the rows that stand, keeps them as they are, and completes what lines do not
 * give if `isMerge`. Returns how many lines later ones replace.
 */
export async function stageKind(
  { run }: Tables,
  kind: RecordKind,
  counts: ReadonlyMap<string, number>,
  isMerge: boolean,
): Promise<number> {
  const { stage, followers, replace, findStanding, lock, merge, stageBefore } = kindStatements[kind]
  await run(stage, {})
  if (followers !== undefined && counts.has(followers.of)) await run(followers.stage, {})
  const [repeated] = replace === undefined ? [] : await run(replace, {})
  for (const rows of await run(findStanding, {})) await run(lock, rows)
  if (isMerge) await run(merge, {})
  await run(stageBefore, {})
  return repeated?.replaced ?? 0
}

/** Writes the prepared records of a kind and what belongs to them, and returns how many are new. */
export async function writeKind({ run }: Tables, kind: RecordKind): Promise<number> {
  const { upsert, children } = kindStatements[kind]
  const [written] = await run(upsert, {})
  for (const each of children) await run(each, {})
  return written?.created ?? 0
}

/** Those of the groups that the directory manages. */
export async function findDirectoryGroups(
  { models }: Tables,
  organizationId: string,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  const where = { organizationId, id: { in: [...ids] }, directoryExternalId: { not: null } }
  return new Set((await models.group.findMany({ where, select: { id: true } })).map(({ id }) => id))
}

/** Lets PostgreSQL know how large the tables of an import have become. */
export async function analyzeImported({ run }: Tables): Promise<void> {
  await run(analyzeTables, {})
}
