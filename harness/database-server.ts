import pg from 'pg'
import { distribute } from '../src/db/distribute.js'
import { loadMigrations, migrate } from '../src/db/migrate.js'
import { databaseUrl } from './database-url.js'

/** Shards per table: enough for several on each node, and few enough that test databases are made quickly. */
const SHARDS = 4

/**
 * URLs of the servers on which a run creates and drops its databases. A cluster has several, the coordinator's first;
 * each database is on every node.
 */
export type DatabaseNodes = readonly string[]

/** The nodes of the cluster to which the database of a URL belongs; only the database itself if there is no cluster. */
export async function nodesOf(adminUrl: string): Promise<DatabaseNodes> {
  const [found] = await query<{ isCluster: boolean }>(
    adminUrl,
    `SELECT to_regclass('pg_dist_node') IS NOT NULL AS "isCluster"`,
  )
  if (found?.isCluster !== true) return [adminUrl]
  const nodes = await query<{ host: string; port: number }>(
    adminUrl,
    'SELECT nodename AS host, nodeport AS port FROM pg_dist_node ORDER BY groupid',
  )
  return nodes.map(({ host, port }) => {
    const url = new URL(adminUrl)
    url.host = `${host}:${port}`
    url.pathname = '/postgres'
    return url.href
  })
}

/** Makes the database from which others are cloned, with all migrations; in a cluster, its tables are distributed. */
export async function createTemplate(nodes: DatabaseNodes, name: string): Promise<void> {
  const coordinator = await createLocalDatabase(nodes, name)
  if (nodes.length === 1) return
  await distribute(coordinator, SHARDS, () => {})
  // Citus' own open sessions would keep it from being cloned.
  await onEach(nodes, `ALTER DATABASE ${name} WITH ALLOW_CONNECTIONS false`)
  for (const node of nodes) {
    await query(node, 'SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE datname = $1', [name])
  }
}

/** Creates a database with all migrations whose tables are only on the first node, and returns its URL there. */
export async function createLocalDatabase(nodes: DatabaseNodes, name: string): Promise<string> {
  const [coordinator = '', ...workers] = nodes.map((node) => databaseUrl(node, name))
  await onEach(nodes, `CREATE DATABASE ${name} TEMPLATE template0`)
  if (workers.length > 0) {
    for (const url of [coordinator, ...workers]) await query(url, 'CREATE EXTENSION citus')
    await query(coordinator, 'SELECT citus_set_coordinator_host($1, $2)', place(coordinator))
    for (const worker of workers) await query(coordinator, 'SELECT citus_add_node($1, $2)', place(worker))
  }
  await migrate(coordinator, await loadMigrations())
  return coordinator
}

/** Copying the files takes half as long as logging each block where the server does not wait for its disk. */
export type CloneStrategy = 'FILE_COPY'

/** Clones a database on every node. */
export async function cloneDatabase(
  nodes: DatabaseNodes,
  { name, template, strategy }: { name: string; template: string; strategy: CloneStrategy | undefined },
): Promise<void> {
  await onEach(nodes, `CREATE DATABASE ${name} TEMPLATE ${template}${strategy ? ` STRATEGY ${strategy}` : ''}`)
  const [coordinator = '', ...workers] = nodes
  // A clone does not have the settings of the database.
  if (workers.length > 0) await distribute(databaseUrl(coordinator, name), SHARDS, () => {})
}

/** Makes a database without tables, which belongs to no cluster. */
export async function createEmptyDatabase([node = '']: DatabaseNodes, name: string): Promise<void> {
  await query(node, `CREATE DATABASE ${name} TEMPLATE template0`)
}

/** Drops databases on every node, even if they are in use. */
export async function dropDatabases(nodes: DatabaseNodes, names: readonly string[]): Promise<void> {
  for (const name of names) await onEach(nodes, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)
}

/** The rows that a query returns on each of the nodes, in order. */
export async function queryNodes<Row extends pg.QueryResultRow>(
  nodes: DatabaseNodes,
  name: string,
  text: string,
  values: unknown[] = [],
): Promise<Row[]> {
  const rows = await Promise.all(nodes.map((node) => query<Row>(databaseUrl(node, name), text, values)))
  return rows.flat()
}

function onEach(nodes: DatabaseNodes, statement: string): Promise<unknown> {
  return Promise.all(nodes.map((node) => query(node, statement)))
}

function place(url: string): [host: string, port: number] {
  const { hostname, port } = new URL(url)
  return [hostname, Number(port)]
}

async function query<Row extends pg.QueryResultRow>(
  connectionString: string,
  text: string,
  values: unknown[] = [],
): Promise<Row[]> {
  const client = new pg.Client({ connectionString })
  await client.connect()
  try {
    return (await client.query<Row>(text, values)).rows
  } finally {
    await client.end()
  }
}
