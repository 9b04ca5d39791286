import pg from 'pg'
import { sessionUrl } from '../../src/db/session-settings.js'
import type { Tables } from '../../src/db/tables.js'
import { createTestDatabase } from './database.js'
import { insertFixture } from './fixture.js'

/** A database with the fixture and what the statements add, and a session on it, as the service has, that asks for plans. */
export async function createPlannedDatabase(statements: readonly string[]) {
  const testDatabase = await createTestDatabase()
  const database = testDatabase.open()
  await insertFixture(database)
  const client = new pg.Client({ connectionString: sessionUrl({ connectionString: testDatabase.directUrl }) })
  await client.connect()
  for (const statement of statements) await client.query(statement)
  return {
    database,
    client,
    drop: async () => {
      await client.end()
      await testDatabase.drop()
    },
  }
}

/** The same tables; each statement that is sent to them is added to a list. */
export function recordedTables<T extends Tables>(tables: T, sent: SentStatement[]): T {
  const run: Tables['run'] = (statement, values) => {
    const { text, name, planned } = statement
    sent.push({ text, values: statement.values(values), name: planned === 'once' ? name : undefined })
    return tables.run(statement, values)
  }
  return { ...tables, run }
}

/** A statement with its values; `name` if its plan is cached. */
export interface SentStatement {
  readonly text: string
  readonly values: readonly unknown[]
  readonly name: string | undefined
}

/**
 * Runs the statement and returns its plan: the cached one if the statement has a name, otherwise one for the values. In a
 * cluster, that of the coordinator with those of the workers, who always plan for the values.
 */
export async function planOf(client: pg.Client, { text, values, name }: SentStatement): Promise<PlanNode> {
  if (process.env['TEST_ON'] === 'citus') {
    await client.query('SET citus.explain_all_tasks = on')
    const types = await parameterTypes(client, text)
    return explain(
      client,
      text.replaceAll(/\$(\d+)/g, (_, place) => `(${literal(values[place - 1])})::${types[place - 1]?.type}`),
    )
  }
  await client.query(`SET plan_cache_mode = ${name === undefined ? 'force_custom_plan' : 'force_generic_plan'}`)
  await client.query(`PREPARE list AS ${text}`)
  const plan = await explain(client, executionOf('list', values))
  await client.query('DEALLOCATE list')
  return plan
}

/** Keeps the plan that the statement has now, and returns what runs the statement by it, and returns it. */
export async function keepPlan(client: pg.Client, sent: SentStatement): Promise<() => Promise<PlanNode>> {
  const { text, values, name } = sent
  if (process.env['TEST_ON'] === 'citus' || name === undefined) return () => planOf(client, sent)
  await client.query('SET plan_cache_mode = force_generic_plan')
  await client.query(`PREPARE ${name} AS ${text}`)
  await client.query(`EXPLAIN ${executionOf(name, values)}`)
  return () => explain(client, executionOf(name, values))
}

function executionOf(name: string, values: readonly unknown[]): string {
  return `EXECUTE ${name} (${values.map(literal).join(', ')})`
}

async function explain(client: pg.Client, text: string): Promise<PlanNode> {
  const { rows } = await client.query(`EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${text}`)
  return rows[0]['QUERY PLAN'][0].Plan
}

/** The types of a statement's parameters, in order. */
export async function parameterTypes(
  client: pg.Client,
  text: string,
): Promise<{ readonly type: string; readonly isEnum: boolean }[]> {
  await client.query(`PREPARE typed AS ${text}`)
  const { rows } = await client.query<{ type: string; isEnum: boolean }>(
    `SELECT type::regtype::text AS type, typtype = 'e' AS "isEnum"
       FROM pg_prepared_statements, unnest(parameter_types) WITH ORDINALITY given (type, place)
       JOIN pg_type ON oid = type
      WHERE pg_prepared_statements.name = 'typed' ORDER BY place`,
  )
  await client.query('DEALLOCATE typed')
  return rows
}

function literal(value: unknown): string {
  if (value === null || value === undefined) return 'NULL'
  if (Buffer.isBuffer(value)) return `'\\x${value.toString('hex')}'::bytea`
  if (Array.isArray(value) && value.length === 0) return `'{}'`
  if (Array.isArray(value)) return `ARRAY[${value.map(literal).join(', ')}]`
  if (typeof value === 'bigint') return value.toString()
  return pg.escapeLiteral(typeof value === 'string' ? value : JSON.stringify(value))
}

/** A part of a plan. */
export interface PlanNode {
  readonly 'Relation Name'?: string
  readonly 'Actual Rows': number
  readonly 'Actual Loops': number
  readonly 'Rows Removed by Filter'?: number
  readonly 'Rows Removed by Index Recheck'?: number
  readonly 'Shared Hit Blocks': number
  readonly 'Shared Read Blocks': number
  readonly Plans?: readonly PlanNode[]
  /** What the coordinator of a cluster sends to workers. */
  readonly 'Distributed Query'?: { readonly Job: { readonly Tasks: readonly RemoteTask[] } }
}

interface RemoteTask {
  readonly 'Remote Plan': readonly (readonly { readonly Plan: PlanNode }[])[]
}

/** The rows that all parts of a plan have read. */
export function rowsRead(node: PlanNode): number {
  const removed = (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Index Recheck'] ?? 0)
  const own = (node['Actual Rows'] + removed) * node['Actual Loops']
  return own + [...(node.Plans ?? []), ...remotePlansOf(node)].reduce((sum, child) => sum + rowsRead(child), 0)
}

/** How many rows a plan has read from each table, those several times that were read so. */
export function scannedRows(plan: PlanNode): ReadonlyMap<string, number> {
  const scanned = new Map<string, number>()
  for (const part of [plan, ...partsOf(plan).flatMap(remotePlansOf)].flatMap(partsOf)) {
    const { 'Relation Name': table = '', 'Actual Loops': loops } = part
    const removed = (part['Rows Removed by Filter'] ?? 0) + (part['Rows Removed by Index Recheck'] ?? 0)
    if (table !== '') scanned.set(table, (scanned.get(table) ?? 0) + (part['Actual Rows'] + removed) * loops)
  }
  return scanned
}

/**
 * The pages of tables and indexes that all parts of a plan have read, each as often as it was. In a cluster those of the
 * workers: the coordinator reads its catalogue.
 */
export function pagesRead(node: PlanNode): number {
  const remote = partsOf(node).flatMap(remotePlansOf)
  if (remote.length > 0) return remote.reduce((sum, plan) => sum + pagesRead(plan), 0)
  return node['Shared Hit Blocks'] + node['Shared Read Blocks']
}

function partsOf(node: PlanNode): PlanNode[] {
  return [node, ...(node.Plans ?? []).flatMap(partsOf)]
}

function remotePlansOf(node: PlanNode): PlanNode[] {
  const tasks = node['Distributed Query']?.Job.Tasks ?? []
  return tasks.flatMap((task) => task['Remote Plan'].flat().map(({ Plan }) => Plan))
}
