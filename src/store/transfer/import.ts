import { Prisma } from '../../../gen/prisma/client.js'
import type { PreparedTransaction } from '../../db/queryable.js'
import { createPreparedStatement, type PreparedStatement } from '../../db/statement.js'
import type { Fault } from './checks.js'
import { type KindStatements, kindStatements } from './kind-statements.js'
import type { RecordKind } from './record-kind.js'

/** Key of the advisory lock of imports. */
const IMPORT_LOCK = Prisma.raw(String(0x696d706f7274))

const lockImports = statement(
  'lock_imports',
  Prisma.sql`SELECT FROM (VALUES (true)) one WHERE pg_advisory_xact_lock(${IMPORT_LOCK}) IS NOT NULL`,
)

function statement(name: string, text: Prisma.Sql): PreparedStatement<object, Record<never, never>> {
  return createPreparedStatement({ name, reason: 'lock', columns: {}, text: () => text })
}

/** The statements of this file. */
export const importStatements = [lockImports]

/** Keeps other imports from writing until the transaction ends, so that two of the same rows never interleave. */
export async function excludeOtherImports(transaction: PreparedTransaction): Promise<void> {
  await transaction.run(lockImports, {})
}

/** Whether a kind has anything to write, given the number of different staged records of each. */
export function isWritten(kind: RecordKind, counts: ReadonlyMap<string, number>): boolean {
  const { followers } = statementsOf(kind)
  return counts.has(kind) || (followers !== undefined && counts.has(followers.of))
}

/**
 * The result of writing a kind: how many records are new and how many lines later ones replace, or what is wrong with the
 * first bad one.
 */
export type WrittenKind = { readonly created: number; readonly replaced: number } | { readonly fault: Fault }

/**
 * Writes the staged records of a kind and what belongs to them, or nothing if one is at fault. Unique values are
 * checked before: they may change hands between rows of one statement, but not of several.
 */
export async function writeStaged(
  transaction: PreparedTransaction,
  kind: RecordKind,
  counts: ReadonlyMap<string, number>,
): Promise<WrittenKind> {
  const { stage, followers, analyze, ownerChecks, replace, checks, ...statements } = statementsOf(kind)
  const { prepare, findStanding, lock, release, before, upsert, children } = statements
  await transaction.run(stage, {})
  if (followers !== undefined && counts.has(followers.of)) await transaction.run(followers.stage, {})
  await transaction.run(analyze, {})
  // Which lines are of one record is certain only where each has one owner.
  const ownerFault = await firstFault(transaction, ownerChecks)
  if (ownerFault !== undefined) return { fault: ownerFault }
  const [repeated] = replace === undefined ? [] : await transaction.run(replace, {})
  const fault = await firstFault(transaction, checks)
  if (fault !== undefined) return { fault }
  for (const each of prepare) await transaction.run(each, {})
  for (const rows of await transaction.run(findStanding, {})) await transaction.run(lock, rows)
  if (release !== undefined) {
    const ids = (await transaction.run(release.find, {})).map(({ id }) => id)
    if (ids.length > 0) await transaction.run(release.write, { ids })
  }
  for (const each of before) await transaction.run(each, {})
  const [written] = await transaction.run(upsert, {})
  for (const each of children) await transaction.run(each, {})
  return { created: written?.created ?? 0, replaced: repeated?.replaced ?? 0 }
}

/** What is wrong with the first bad record of a kind after all kinds have been written. */
export async function findFinalFault(transaction: PreparedTransaction, kind: RecordKind): Promise<Fault | undefined> {
  const { finalTables, finalChecks } = statementsOf(kind)
  for (const each of finalTables) await transaction.run(each, {})
  return firstFault(transaction, finalChecks)
}

async function firstFault(
  transaction: PreparedTransaction,
  checks: KindStatements['checks'],
): Promise<Fault | undefined> {
  for (const check of checks) {
    const [fault] = await transaction.run(check, {})
    if (fault !== undefined) return fault
  }
  return undefined
}

function statementsOf(kind: RecordKind): KindStatements {
  const statements = kindStatements.get(kind)
  if (statements === undefined) throw new Error(`there are no statements for ${kind}`)
  return statements
}
