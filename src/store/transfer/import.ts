import { Prisma } from '../../../gen/prisma/client.js'
import type { DepartmentOptionModel } from '../../../gen/prisma/models.js'
import { createStatement } from '../../db/statement.js'
import type { Tables } from '../../db/tables.js'
import { byOrganization } from '../by-organization.js'
import { insertDepartmentOptions } from '../department-option.js'
import { importLock, takeLocks } from '../lock.js'
import type { Fault } from './checks.js'
import { type KindStatements, kindStatements } from './kind-statements.js'
import { changedMembers, type ImportedChange, type Outcome } from './outcome.js'
import type { RecordKind } from './record-kind.js'
import { transferTables, writtenTables } from './tables.js'

const findChangedMembers = createStatement<object, ImportedChange>({
  name: 'import_changed_members',
  columns: { organizationId: 'text', userId: 'text', fields: 'text[]', oldOwners: 'jsonb', newOwners: 'jsonb' },
  text: () => changedMembers,
})

const analyzeTables = createStatement<object, Record<never, never>>({
  name: 'import_statistics',
  columns: {},
  text: () => Prisma.raw(`ANALYZE ${writtenTables.join(', ')}`),
})

const findOrganization = createStatement<{ readonly name: string }, { readonly id: string }>({
  name: 'import_organization_named',
  columns: { id: 'text' },
  text: ({ name }) => Prisma.sql`SELECT id FROM organizations WHERE name = ${name} ORDER BY ordinal LIMIT 1`,
})

/** A department that staged people have and their organization does not offer yet. */
type ImportedDepartment = Pick<DepartmentOptionModel, 'organizationId' | 'name'>

const findDepartments = createStatement<object, ImportedDepartment>({
  name: 'find_imported_departments',
  columns: { organizationId: 'text', name: 'text' },
  text: () => Prisma.sql`
SELECT DISTINCT s.organization_id AS "organizationId", s.department AS name
  FROM staged_user s
  LEFT JOIN department_options d ON d.organization_id = s.organization_id AND d.name = s.department
 WHERE s.department <> '' AND d.id IS NULL
 ORDER BY s.organization_id, s.department`,
})

/** The statements of this file. */
export const importStatements = [findDepartments, findOrganization, findChangedMembers, analyzeTables]

/** Keeps other imports from writing until the transaction ends, so that two of the same rows never interleave. */
export async function excludeOtherImports(transaction: Tables): Promise<void> {
  await takeLocks(transaction, [importLock])
}

/** The oldest organization of a name; undefined if there is none. */
export async function findOrganizationNamed(transaction: Tables, name: string): Promise<string | undefined> {
  const [found] = await transaction.run(findOrganization, { name })
  return found?.id
}

/** Whether a kind has anything to write, given the number of different staged records of each. */
export function isWritten(kind: RecordKind, counts: ReadonlyMap<string, number>): boolean {
  const { followers } = statementsOf(kind)
  return counts.has(kind) || (followers !== undefined && counts.has(followers.of))
}

/**
 * The result of writing a kind: how many records are new, how many lines later ones replace, and what only force may
 * do; or what is wrong with the first bad one.
 */
export type WrittenKind =
  | { readonly created: number; readonly replaced: number; readonly refused: readonly Fault[] }
  | { readonly fault: Fault }

/** How the records of a file meet those that stand. */
export interface ImportMode {
  /** What a line does not give stays as it is, instead of becoming empty. */
  readonly isMerge?: boolean | undefined
  /** Nothing is refused that takes a member back from deactivation or from a directory. */
  readonly isForced?: boolean | undefined
}

/**
 * Writes the staged records of a kind and what belongs to them, or nothing if one is at fault. Unique values are
 * checked before: they may change hands between rows of one statement, but not of several.
 */
export async function writeStaged(
  transaction: Tables,
  kind: RecordKind,
  counts: ReadonlyMap<string, number>,
  { isMerge = false, isForced = false }: ImportMode,
): Promise<WrittenKind> {
  const { stage, followers, analyze, ownerChecks, replace, checks, guards, ...statements } = statementsOf(kind)
  const { organizations, findStanding, lock, merge, stageBefore, release, before, upsert, children } = statements
  await transaction.run(stage, {})
  if (followers !== undefined && counts.has(followers.of)) await transaction.run(followers.stage, {})
  await transaction.run(analyze, {})
  // Which lines are of one record is certain only where each has one owner.
  const ownerFault = await firstFault(transaction, ownerChecks)
  if (ownerFault !== undefined) return { fault: ownerFault }
  const [repeated] = replace === undefined ? [] : await transaction.run(replace, {})
  const { lockOf } = transferTables[kind]
  if (lockOf !== undefined && organizations !== undefined) {
    const rows = await transaction.run(organizations, {})
    const locks = rows.map(({ organizationId }) => lockOf(organizationId))
    await takeLocks(transaction, locks)
  }
  for (const rows of await transaction.run(findStanding, {})) await transaction.run(lock, rows)
  if (isMerge) await transaction.run(merge, {})
  const fault = await firstFault(transaction, checks)
  if (fault !== undefined) return { fault }
  let refused: Fault[] = []
  if (!isForced) for (const each of guards) refused = refused.concat(await transaction.run(each, {}))
  await transaction.run(stageBefore, {})
  if (release !== undefined) {
    const ids = (await transaction.run(release.find, {})).map(({ id }) => id)
    if (ids.length > 0) await transaction.run(release.write, { ids })
  }
  for (const each of before) await transaction.run(each, {})
  const [written] = await transaction.run(upsert, {})
  for (const each of children) await transaction.run(each, {})
  return { created: written?.created ?? 0, replaced: repeated?.replaced ?? 0, refused }
}

/** Compares the records of a kind with what stood, after all kinds have been written, and counts those that changed. */
export async function countUpdated(transaction: Tables, kind: RecordKind): Promise<number> {
  const { stageAfter, countUpdated } = statementsOf(kind)
  await transaction.run(stageAfter, {})
  const [counted] = await transaction.run(countUpdated, {})
  return counted?.updated ?? 0
}

/** What becomes of every record of a kind that has been compared, in the order of lines. */
export function outcomesOf(transaction: Tables, kind: RecordKind): Promise<Outcome[]> {
  return transaction.run(statementsOf(kind).outcomes, {})
}

/** The members who stood and are changed, once they have been compared. */
export function changedMembersOf(transaction: Tables): Promise<ImportedChange[]> {
  return transaction.run(findChangedMembers, {})
}

/** Lets PostgreSQL know how large the tables of an import have become. */
export async function analyzeImported(transaction: Tables): Promise<void> {
  await transaction.run(analyzeTables, {})
}

/** What is wrong with the first bad record of a kind after all kinds have been written. */
export async function findFinalFault(transaction: Tables, kind: RecordKind): Promise<Fault | undefined> {
  const { finalTables, finalChecks } = statementsOf(kind)
  for (const each of finalTables) await transaction.run(each, {})
  return firstFault(transaction, finalChecks)
}

async function firstFault(transaction: Tables, checks: KindStatements['checks']): Promise<Fault | undefined> {
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

/** Adds the departments of the staged people to those that their organizations offer. */
export async function addImportedDepartments(transaction: Tables, newId: () => string): Promise<void> {
  for (const [organizationId, missing] of byOrganization(await transaction.run(findDepartments, {}))) {
    const options = missing.map(({ name }) => ({ id: newId(), name }))
    await insertDepartmentOptions(transaction, organizationId, options)
  }
}
