import { Prisma } from '../../../gen/prisma/client.js'
import { createStatement } from '../../db/statement.js'
import type { Tables } from '../../db/tables.js'
import { importLock, takeLocks } from '../lock.js'
import type { Fault } from './checks.js'
import { perKind, type RecordKind, stagedKind } from './kind.js'
import { kinds, writtenTables } from './kinds.js'
import { type Outcome, statementsOf } from './statements.js'

const analyzeTables = createStatement<object, Record<never, never>>({
  name: 'import_statistics',
  columns: {},
  text: () => Prisma.raw(`ANALYZE ${writtenTables.join(', ')}`),
})

/** The statements of every kind. */
export const kindStatements = perKind((kind) => statementsOf(stagedKind(kind, kinds[kind])))

/** The statements of this file. */
export const importStatements = [...Object.values(kindStatements).flatMap(({ all }) => all), analyzeTables]

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
 * Prepares the records of a kind: locks the rows that stand, completes what lines do not give if `isMerge`, and checks
 * all. Returns how many lines later ones replace, or what is wrong with the first bad one.
 */
export async function stageKind(
  { run }: Tables,
  kind: RecordKind,
  counts: ReadonlyMap<string, number>,
  isMerge: boolean,
): Promise<{ readonly replaced: number; readonly fault: Fault | undefined }> {
  const { stage, followers, replace, findStanding, lock, merge, check, stageBefore } = kindStatements[kind]
  await run(stage, {})
  if (followers !== undefined && counts.has(followers.of)) await run(followers.stage, {})
  const [repeated] = replace === undefined ? [] : await run(replace, {})
  for (const rows of await run(findStanding, {})) await run(lock, rows)
  if (isMerge) await run(merge, {})
  const [fault] = await run(check, {})
  if (fault === undefined) await run(stageBefore, {})
  return { replaced: repeated?.replaced ?? 0, fault }
}

/** Writes the prepared records of a kind and what belongs to them, and returns how many are new. */
export async function writeKind({ run }: Tables, kind: RecordKind): Promise<number> {
  const { upsert, children } = kindStatements[kind]
  const [written] = await run(upsert, {})
  for (const each of children) await run(each, {})
  return written?.created ?? 0
}

/**
 * Compares the records of a kind with what stood, after all kinds have been written: what has become of those that stood
 * and are changed, or of all if `isWhole`, in the order of lines.
 */
export function outcomesOf({ run }: Tables, kind: RecordKind, isWhole: boolean): Promise<Outcome[]> {
  return run(kindStatements[kind].outcomes, { isWhole })
}

/** Lets PostgreSQL know how large the tables of an import have become. */
export async function analyzeImported({ run }: Tables): Promise<void> {
  await run(analyzeTables, {})
}
