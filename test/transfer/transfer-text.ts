import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { packageRoot } from '../../src/package.js'
import { exportRecords } from '../../src/transfer/export-records.js'
import type { ImportPlan, ImportSummary } from '../../src/transfer/import-records.js'
import { importRecords, planImport } from '../../src/transfer/import-records.js'
import type { ImportOptions } from '../../src/transfer/stage-lines.js'
import { createTestRuntime } from '../support/runtime.js'
import type { Database } from '../support/sql.js'

/** The lines of the demo organization. */
export const demoLines: readonly string[] = readFileSync(join(packageRoot(), 'demo', 'organization.ndjson'), 'utf8')
  .trim()
  .split('\n')

/** A line of a file. */
export function line(kind: string, record: object): string {
  return JSON.stringify({ [kind]: record })
}

/** Imports lines. */
export function importLines(
  database: Database,
  lines: readonly string[],
  mode: Partial<ImportOptions> = {},
): Promise<ImportSummary> {
  return importRecords(database, streamOf([`${lines.join('\n')}\n`]), { runtime: createTestRuntime(), ...mode })
}

/** Plans the import of lines. */
export async function planLines(
  database: Database,
  lines: readonly string[],
  mode: Partial<ImportOptions> = {},
): Promise<ImportPlan> {
  const options = { runtime: createTestRuntime(), ...mode }
  return (await planImport(database, streamOf([`${lines.join('\n')}\n`]), options)).plan
}

/** Imports pieces of a file. */
export function importChunks(database: Database, chunks: readonly (Uint8Array | string)[]): Promise<ImportSummary> {
  return importRecords(database, streamOf(chunks), { runtime: createTestRuntime() })
}

async function* streamOf<T>(items: readonly T[]): AsyncGenerator<T> {
  yield* items
}

/** The whole export, a line an element. */
export async function exportLines(database: Database): Promise<string[]> {
  const lines: string[] = []
  for await (const json of exportRecords(database, null)) lines.push(`${json}\n`)
  return lines
}

/** The one exported record of a kind with an id. */
export async function exportedRecord(database: Database, kind: string, id: string): Promise<Record<string, unknown>> {
  const records = (await exportLines(database)).flatMap((text) => JSON.parse(text)[kind] ?? [])
  const found = records.filter((record) => record.id === id)
  if (found.length !== 1) throw new Error(`${found.length} records ${kind} ${id}`)
  return found[0]
}

const transferTables = [
  'organizations',
  'teams',
  'memberships',
  'team_members',
  'groups',
  'group_members',
  'department_options',
  'access_policies',
  'approval_procedures',
  'approval_steps',
  'approval_step_approvers',
  'app_instances',
  'app_instance_shares',
  'app_resources',
  'priorities',
  'journeys',
  'journey_tasks',
  'journey_health_checks',
  'journey_workflow_failures',
  'journey_custom_fields',
  'sla_definitions',
  'sla_conditions',
  'sla_actions',
  'entity_types',
  'entity_ingestion_configs',
  'entity_field_mappings',
]

/** Columns that records do not carry: the service writes them when it writes the row. */
const ownColumns: Readonly<Record<string, readonly string[]>> = {
  memberships: ['updated_at'],
  groups: ['created_at', 'updated_at'],
}

/** Every row of every table that an import writes, as records carry it. */
export async function allRows(database: Database): Promise<Record<string, string[]>> {
  const rows: Record<string, string[]> = {}
  for (const table of transferTables) {
    const found = await database.query<{ row: string }>(
      `SELECT (to_jsonb(t) - $1::text[])::text AS row FROM ${table} t ORDER BY 1`,
      [ownColumns[table] ?? []],
    )
    rows[table] = found.map(({ row }) => row)
  }
  return rows
}
