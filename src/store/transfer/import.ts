import { Prisma } from '../../../gen/prisma/client.js'
import { createStatement } from '../../db/statement.js'
import type { Tables } from '../../db/tables.js'
import { importLock, takeLocks } from '../lock.js'
import type { Fault } from './checks.js'
import { perKind, type RecordKind } from './kind.js'
import { kinds, writtenTables } from './kinds.js'
import { type Outcome, type OutcomeDetail, statementsOf } from './statements.js'

const analyzeTables = createStatement<object, Record<never, never>>({
  name: 'import_statistics',
  columns: {},
  text: () => Prisma.raw(`ANALYZE ${writtenTables.join(', ')}`),
})

/** The statements of every kind. */
export const kindStatements = perKind((kind) => statementsOf(kinds[kind]))

/** Keeps other imports from writing until the transaction ends, so that two of the same rows never interleave. */
export async function excludeOtherImports(transaction: Tables): Promise<void> {
  await takeLocks(transaction, [importLock])
}

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

/** What is wrong with the prepared records of a kind, in the order of lines, one fault for each. */
export function findFaults({ run }: Tables, kind: RecordKind): Promise<Fault[]> {
  return run(kindStatements[kind].check, {})
}

/** Takes lines out of the prepared records of a kind. */
export async function takeOut({ run }: Tables, kind: RecordKind, lines: readonly number[]): Promise<void> {
  await run(kindStatements[kind].takeOut, { lines })
}

/** Writes the prepared records of a kind and what belongs to them, and returns how many are new. */
export async function writeKind({ run }: Tables, kind: RecordKind): Promise<number> {
  const { upsert, children } = kindStatements[kind]
  const [written] = await run(upsert, {})
  for (const each of children) await run(each, {})
  return written?.created ?? 0
}

/** Compares the records of a kind with what stood, after all kinds have been written, in the order of lines. */
export function outcomesOf({ run }: Tables, kind: RecordKind, detail: OutcomeDetail): Promise<Outcome[]> {
  return run(kindStatements[kind].outcomes, detail)
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
