import pg from 'pg'

/** A statement with its values; `name` if its plan is cached. */
export interface SentStatement {
  readonly text: string
  readonly values: readonly unknown[]
  readonly name: string | undefined
}

/** Runs the statement and returns its plan: the cached one if the statement has a name, otherwise one for the values. */
export async function planOf(client: pg.Client, { text, values, name }: SentStatement): Promise<PlanNode> {
  await client.query(`SET plan_cache_mode = ${name === undefined ? 'force_custom_plan' : 'force_generic_plan'}`)
  await client.query(`PREPARE list AS ${text}`)
  const { rows } = await client.query(
    `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) EXECUTE list (${values.map(literal).join(', ')})`,
  )
  await client.query('DEALLOCATE list')
  return rows[0]['QUERY PLAN'][0].Plan
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
  readonly 'Actual Rows': number
  readonly 'Actual Loops': number
  readonly 'Rows Removed by Filter'?: number
  readonly 'Rows Removed by Index Recheck'?: number
  readonly 'Shared Hit Blocks': number
  readonly 'Shared Read Blocks': number
  readonly Plans?: readonly PlanNode[]
}

/** The rows that all parts of a plan have read. */
export function rowsRead(node: PlanNode): number {
  const removed = (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Index Recheck'] ?? 0)
  const own = (node['Actual Rows'] + removed) * node['Actual Loops']
  return own + (node.Plans ?? []).reduce((sum, child) => sum + rowsRead(child), 0)
}

/** The pages of tables and indexes that all parts of a plan have read, each as often as it was. */
export function pagesRead(node: PlanNode): number {
  return node['Shared Hit Blocks'] + node['Shared Read Blocks']
}
