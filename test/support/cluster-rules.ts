import pg from 'pg'
import { sampledText } from './sampled-text.js'
import { unscopedTables } from './tenant-condition.js'

/** The tables of the service, by where a cluster has them. */
export interface PlacedTables {
  /** Distributed by organization. */
  readonly distributed: readonly string[]
  /** Copied to every node. */
  readonly copied: readonly string[]
}

/** Statements that are sent only where tables are not distributed. */
export const ofOneServer: readonly string[] = ['insert_app_resources', 'insert_events_and_outbox', 'update_priority']

/** Statements whose rows get ordinals, which the coordinator of a cluster gives and sends with them to where they belong. */
export const sentWithOrdinals: readonly string[] = ['keep_source_profiles', 'write_members']

const INSERTION = /\bINSERT INTO (\w+)( AS \w+)?\s*\(/g
const LOCK = /\bFOR (?:NO KEY UPDATE|UPDATE|SHARE|KEY SHARE)\b(?:\s+OF\s+(\w+(?:,\s*\w+)*))?/g
const LOCKED =
  /(?:\b(?:FROM|JOIN)|,)\s+(\w+)(?:\s+(?:AS\s+)?(?!(?:WHERE|ON|JOIN|LEFT|CROSS|ORDER|LIMIT|FOR)\b)(\w+))?/gi

/** What in a statement's text a cluster would refuse, or would make organizations wait for each other. */
export function clusterFaults(text: string, tables: PlacedTables): string[] {
  return [
    ...insertsWithoutAlias(text),
    ...looseLocks(text, tables),
    ...rowsByPlace(text, tables),
    ...strayLocks(text, tables),
  ]
}

/** A lock on a text works only within one node: beside rows, it would be taken on theirs. */
function strayLocks(text: string, { distributed }: PlacedTables): string[] {
  if (!/\bpg_(?:try_)?advisory_\w*lock/.test(text)) return []
  const read = distributed.filter((table) => new RegExp(`\\b(?:FROM|JOIN)\\s+${table}\\b`).test(text))
  return read.map((table) => `a word is locked where the rows of ${table} are`)
}

function insertsWithoutAlias(text: string): string[] {
  return [...text.matchAll(INSERTION)].flatMap(({ 1: table, 2: alias, index }) => {
    const query = queryAround(text, index)
    const isAnswered = /\bSELECT\b/.test(query) && /\bRETURNING\b/.test(query)
    return isAnswered && alias === undefined ? [`${table} is inserted from a query and returned without an alias`] : []
  })
}

function looseLocks(text: string, { distributed, copied }: PlacedTables): string[] {
  return [...text.matchAll(LOCK)].flatMap(({ 1: list, index }) => {
    const query = queryAround(text, index)
    const loose = unscopedTables(query, distributed)
    return [...query.matchAll(LOCKED)].flatMap(([, table = '', name = table]) => {
      if (list !== undefined && !list.split(/,\s*/).includes(name)) return []
      if (copied.includes(table)) return [`rows of ${table} are locked`]
      const isOneOrganization = table === 'organizations' && /\bWHERE id = \$\d/.test(query)
      return loose.includes(table) && !isOneOrganization ? [`rows of ${table} are locked in all organizations`] : []
    })
  })
}

/** The place of a row (`ctid`) means nothing outside of its shard. */
function rowsByPlace(text: string, { distributed, copied }: PlacedTables): string[] {
  const tables = [...distributed, ...copied].filter((table) => new RegExp(`\\b${table}\\b`).test(text))
  return /\bctid\b/.test(text) ? tables.map((table) => `rows of ${table} are found by their place`) : []
}

/** The query in which an index of the text is, without the queries within it. */
function queryAround(text: string, index: number): string {
  let before = ''
  for (let at = index - 1, depth = 0; at >= 0 && depth >= 0; at--) {
    if (text[at] === ')') depth++
    if (text[at] === '(') depth--
    if (depth === 0 && text[at] !== '(') before = text[at] + before
  }
  let after = ''
  for (let at = index, depth = 0; at < text.length && depth >= 0; at++) {
    if (text[at] === '(') depth++
    if (depth === 0) after += text[at]
    if (text[at] === ')') depth--
  }
  return before + after
}

/** A part of a plan, as EXPLAIN prints it. */
interface PlanNode {
  readonly 'Node Type': string
  readonly 'Relation Name'?: string
  readonly Alias?: string
  readonly Output?: readonly string[]
  readonly Plans?: readonly PlanNode[]
}

/**
 * What the writes of a statement return that is not constant for the database: times, random numbers, enums as text. A
 * cluster refuses such statements.
 */
export async function nonConstantReturns(client: pg.Client, text: string): Promise<string[]> {
  const nonConstant: string[] = []
  for (const { 'Relation Name': table = '', Alias: alias = '', Output = [] } of (await planOf(client, text)).filter(
    (node) => node['Node Type'] === 'ModifyTable',
  )) {
    for (const returned of Output) {
      const expression = returned.replaceAll(`${alias}.`, '').replaceAll(/\$\d+/g, 'NULL')
      if (!(await isConstant(client, table, expression))) nonConstant.push(`${table}: ${returned}`)
    }
  }
  return nonConstant
}

/** What a cluster says of a statement whose writes return something that is not constant. */
const REFUSED_RETURN = /non-IMMUTABLE functions are not allowed in the RETURNING clause/

/** Whether the cluster of a session refuses what the writes of a statement return. */
export async function isReturnRefused(client: pg.Client, text: string): Promise<boolean> {
  const sampled = await sampledText(client, text)
  await client.query('SAVEPOINT planned')
  try {
    await client.query(`EXPLAIN ${sampled}`)
    return false
  } catch (error) {
    if (!(error instanceof pg.DatabaseError && REFUSED_RETURN.test(error.message))) throw error
    return true
  } finally {
    await client.query('ROLLBACK TO SAVEPOINT planned')
  }
}

/** The parts of a statement's cached plan. */
async function planOf(client: pg.Client, text: string): Promise<PlanNode[]> {
  await client.query(`PREPARE explained AS ${text}`)
  try {
    const { rows } = await client.query<{ count: number }>(
      `SELECT cardinality(parameter_types) AS count FROM pg_prepared_statements WHERE name = 'explained'`,
    )
    const values = Array.from({ length: rows[0]?.count ?? 0 }, () => 'NULL').join(', ')
    const explained = await client.query<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(
      `EXPLAIN (VERBOSE, FORMAT JSON) EXECUTE explained ${values && `(${values})`}`,
    )
    return explained.rows.flatMap((row) => row['QUERY PLAN'].flatMap(({ Plan }) => nodesOf(Plan)))
  } finally {
    await client.query('DEALLOCATE explained')
  }
}

function nodesOf(node: PlanNode): PlanNode[] {
  return [node, ...(node.Plans ?? []).flatMap(nodesOf)]
}

/** Whether PostgreSQL would make an index of the expression: it refuses to if the expression is not constant. */
async function isConstant(client: pg.Client, table: string, expression: string): Promise<boolean> {
  if (/^[\w."]+$/.test(expression)) return true
  await client.query('SAVEPOINT index')
  try {
    await client.query(`CREATE INDEX ON ${pg.escapeIdentifier(table)} ((${expression}))`)
    return true
  } catch (error) {
    if (!(error instanceof pg.DatabaseError)) throw error
    return error.code === NO_ORDER || error.code === SYSTEM_COLUMN
  } finally {
    await client.query('ROLLBACK TO SAVEPOINT index')
  }
}

/** PostgreSQL's codes for types that an index cannot order, such as json, and for columns that it cannot have. */
const NO_ORDER = '42704'
const SYSTEM_COLUMN = '0A000'
