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
const deferConstraints = statement('defer_constraints', Prisma.sql`SET CONSTRAINTS ALL DEFERRED`)
const judgeConstraints = statement('judge_constraints', Prisma.sql`SET CONSTRAINTS ALL IMMEDIATE`)

function statement(name: string, text: Prisma.Sql): PreparedStatement<object, Record<never, never>> {
  return createPreparedStatement({ name, reason: 'lock', columns: {}, text: () => text })
}

/** The statements of this file. */
export const importStatements = [lockImports, deferConstraints, judgeConstraints]

/** Lets no other import write until the transaction ends, so that two of the same rows never meet halfway. */
export async function excludeOtherImports(transaction: PreparedTransaction): Promise<void> {
  await transaction.run(lockImports, {})
}

/** Runs the work with uniqueness judged when all of its rows stand: values may change hands between them. */
export async function judgeAtTheEnd<T>(transaction: PreparedTransaction, work: () => Promise<T>): Promise<T> {
  await transaction.run(deferConstraints, {})
  const result = await work()
  await transaction.run(judgeConstraints, {})
  return result
}

/** How the writing of a kind went: how many of its records are new, or what keeps the first bad one from being written. */
export type WrittenKind = { readonly created: number } | { readonly fault: Fault }

/** Writes the staged records of a kind and what belongs to them; nothing of the kind where one is at fault. */
export async function writeStaged(transaction: PreparedTransaction, kind: RecordKind): Promise<WrittenKind> {
  const { stage, analyze, checks, prepare, lock, before, upsert, children } = statementsOf(kind)
  for (const each of [stage, analyze]) await transaction.run(each, {})
  const fault = await firstFault(transaction, checks)
  if (fault !== undefined) return { fault }
  for (const each of [...prepare, lock, ...before]) await transaction.run(each, {})
  const [written] = await transaction.run(upsert, {})
  for (const each of children) await transaction.run(each, {})
  return { created: written?.created ?? 0 }
}

/** What is wrong with the first bad record of a kind, when all kinds have been written. */
export function findFinalFault(transaction: PreparedTransaction, kind: RecordKind): Promise<Fault | undefined> {
  return firstFault(transaction, statementsOf(kind).finalChecks)
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
