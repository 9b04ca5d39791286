import pg from 'pg'
import { schema } from '../../gen/prisma/schema.js'
import { rowsOf } from './schema-session.js'

/** Statements of one transaction, and a few words on what they do. */
export interface DistributionStep {
  readonly title: string
  readonly statements: readonly string[]
}

/** What is left to do until a database is distributed. */
export interface DistributionPlan {
  /** What is missing before anything can be done, a sentence each; empty if nothing is. */
  readonly needs: readonly string[]
  /** In order. Each is done completely or not at all, and is not planned again once it is done. */
  readonly steps: readonly DistributionStep[]
}

/** How to distribute. */
export interface DistributionOptions {
  /** Shards per table. */
  readonly shardCount: number
}

const TENANTS = 'organizations'
/** Counts the addresses of strangers, who have no organization, in a statement that Citus runs on local tables only. */
const STAYS_ON_COORDINATOR: readonly string[] = ['revoke_attempts']
/** Where foreign keys are recorded while they are dropped: each is either in place or in here. */
export const FOREIGN_KEYS_TABLE = 'distribution_foreign_keys'

/** Settings that reach the workers only as defaults of the database, not from sessions of the coordinator. */
const databaseSettings: readonly (readonly [name: string, value: string])[] = [
  ['TimeZone', 'UTC'],
  ['jit', 'off'],
  ['lock_timeout', '5s'],
  ['citus.multi_shard_modify_mode', 'sequential'],
  ['citus.propagate_set_commands', 'local'],
]

/**
 * The statements that distribute tables made since the database was distributed; none if it is not. A table must be
 * distributed before it gets its foreign keys.
 */
export async function placeNewTables(client: pg.Client): Promise<string[]> {
  const [database] = await rowsOf<{ isInstalled: boolean }>(
    client,
    `SELECT to_regclass('pg_catalog.pg_dist_partition') IS NOT NULL AS "isInstalled"`,
  )
  if (database?.isInstalled !== true) return []
  const places = await placesOf(client, true)
  if (!places.some(({ table, isDistributed }) => table === TENANTS && isDistributed)) return []
  const left = places.filter(({ isDistributed }) => !isDistributed).map(({ table }) => table)
  const made = await rowsOf<{ table: string }>(
    client,
    'SELECT name AS table FROM unnest($1::text[]) AS name WHERE to_regclass(quote_ident(name)) IS NOT NULL',
    [left],
  )
  return made.map(({ table }) => placeStatement(table))
}

interface Place {
  readonly table: string
  readonly isDistributed: boolean
}

interface ForeignKey {
  readonly table: string
  readonly target: string
  /** Quoted if necessary. */
  readonly name: string
  readonly definition: string
}

/** Plans what is left to do, and what it needs. Changes nothing, and asks Citus nothing if it is not installed. */
export async function planDistribution(client: pg.Client, options: DistributionOptions): Promise<DistributionPlan> {
  const [row] = await rowsOf<{ isInstalled: boolean; database: string }>(
    client,
    `SELECT EXISTS (SELECT FROM pg_extension WHERE extname = 'citus') AS "isInstalled",
            quote_ident(current_database()) AS database`,
  )
  const isInstalled = row?.isInstalled === true
  const places = await placesOf(client, isInstalled)
  const left = places.filter(({ isDistributed }) => !isDistributed).map(({ table }) => table)
  const keys = await foreignKeysOf(client)
  const dropped = keys.filter(({ table, target }) => left.includes(table) || left.includes(target))
  const noted = await notedKeysOf(client)
  const unfinished = noted.length + dropped.length > 0 || (await hasNotes(client))
  return {
    needs: [...(isInstalled ? await clusterNeeds(client) : [extensionIsMissing]), ...(await sessionNeeds(client))],
    steps: [
      settingsStep(row?.database ?? ''),
      ...(dropped.length > 0 ? [dropStep(dropped)] : []),
      ...left.map((table) => distributeStep(table, options)),
      ...[...noted, ...dropped].map(addStep),
      ...(unfinished ? lastSteps(places) : []),
    ],
  }
}

const extensionIsMissing =
  'the extension citus is not in this database: add it to shared_preload_libraries on every node, then CREATE EXTENSION citus in this database on every node'

async function clusterNeeds(client: pg.Client): Promise<string[]> {
  const [cluster] = await rowsOf<{ isCoordinator: boolean; isKnown: boolean; takesShards: boolean }>(
    client,
    `SELECT (SELECT groupid = 0 FROM pg_dist_local_group) AS "isCoordinator",
            EXISTS (SELECT FROM pg_dist_node WHERE groupid = 0) AS "isKnown",
            EXISTS (SELECT FROM pg_dist_node WHERE isactive AND shouldhaveshards) AS "takesShards"`,
  )
  if (cluster?.isCoordinator !== true) return ['this node is a worker: connect to the coordinator']
  const needs: string[] = []
  if (!cluster.isKnown) {
    needs.push("the workers do not know the coordinator: SELECT citus_set_coordinator_host('its address')")
  }
  if (!cluster.takesShards)
    needs.push("no node takes shards: SELECT citus_add_node('its address', 5432) for each worker")
  return needs
}

/** While foreign keys are dropped, a process that writes could violate them. */
async function sessionNeeds(client: pg.Client): Promise<string[]> {
  const [row] = await rowsOf<{ sessions: number }>(
    client,
    `SELECT count(*)::int AS sessions FROM pg_stat_activity
      WHERE datname = current_database() AND pid <> pg_backend_pid() AND application_name LIKE 'svc%'
        -- These may have just read the schema without having ended yet, and write nothing without its lock.
        AND application_name NOT IN ('svc start', 'svc migrate')`,
  )
  const sessions = row?.sessions ?? 0
  return sessions === 0 ? [] : [`the service has sessions on this database (${sessions}): stop all of its processes`]
}

/** The tables of the service that are distributed, tenants first: the others are colocated with them. */
async function placesOf(client: pg.Client, isInstalled: boolean): Promise<Place[]> {
  const names = Object.values(schema)
    .map(({ name }) => name)
    .filter((name) => !STAYS_ON_COORDINATOR.includes(name))
  const ordered = [...names.filter((name) => !isOfTenants(name)), TENANTS, ...names.filter(isBesideTenants)]
  const distributed = isInstalled
    ? await rowsOf<{ table: string }>(client, 'SELECT logicalrelid::regclass::text AS table FROM pg_dist_partition')
    : []
  return ordered.map((table) => ({ table, isDistributed: distributed.some((each) => each.table === table) }))
}

function isOfTenants(table: string): boolean {
  return table === TENANTS || isBesideTenants(table)
}

function isBesideTenants(table: string): boolean {
  return Object.values(schema).some(({ name, columns }) => name === table && 'organization_id' in columns)
}

async function foreignKeysOf(client: pg.Client): Promise<ForeignKey[]> {
  const tables = Object.values(schema).map(({ name }) => name)
  return rowsOf<ForeignKey>(
    client,
    `SELECT source.relname AS table, target.relname AS target, quote_ident(conname) AS name,
            pg_get_constraintdef(con.oid) AS definition
       FROM pg_constraint con
       JOIN pg_class source ON source.oid = conrelid
       JOIN pg_class target ON target.oid = confrelid
      WHERE contype = 'f' AND connamespace = current_schema()::regnamespace AND source.relname = ANY ($1)
      ORDER BY source.relname, conname`,
    [tables],
  )
}

async function hasNotes(client: pg.Client): Promise<boolean> {
  const [row] = await rowsOf<{ found: boolean }>(client, 'SELECT to_regclass($1) IS NOT NULL AS found', [
    FOREIGN_KEYS_TABLE,
  ])
  return row?.found === true
}

async function notedKeysOf(client: pg.Client): Promise<Omit<ForeignKey, 'target'>[]> {
  if (!(await hasNotes(client))) return []
  return rowsOf(client, `SELECT table_name AS table, name, definition FROM ${FOREIGN_KEYS_TABLE} ORDER BY 1, 2`)
}

function settingsStep(database: string): DistributionStep {
  return {
    title: `set ${databaseSettings.map(([name]) => name).join(', ')} for the database on every node`,
    statements: databaseSettings.map(
      ([name, value]) => `ALTER DATABASE ${database} SET ${name} = ${pg.escapeLiteral(value)}`,
    ),
  }
}

function dropStep(keys: readonly ForeignKey[]): DistributionStep {
  const notes = keys.map((key) => `(${[key.table, key.name, key.definition].map(pg.escapeLiteral).join(', ')})`)
  return {
    title: `drop ${keys.length} foreign keys, noted in ${FOREIGN_KEYS_TABLE}`,
    statements: [
      `CREATE TABLE IF NOT EXISTS ${FOREIGN_KEYS_TABLE}
         (table_name text, name text, definition text NOT NULL, PRIMARY KEY (table_name, name))`,
      `INSERT INTO ${FOREIGN_KEYS_TABLE} (table_name, name, definition) VALUES ${notes.join(', ')}`,
      ...keys.map(({ table, name }) => `ALTER TABLE ${pg.escapeIdentifier(table)} DROP CONSTRAINT ${name}`),
    ],
  }
}

function distributeStep(table: string, { shardCount }: DistributionOptions): DistributionStep {
  const title = isOfTenants(table) ? `distribute ${table} by ${columnOf(table)}` : `copy ${table} to every node`
  return { title, statements: [placeStatement(table, shardCount), removeRowsOfBefore(table)] }
}

/** Tables colocated with the organizations need no number of shards. */
function placeStatement(table: string, shardCount?: number): string {
  if (!isOfTenants(table)) return `SELECT create_reference_table(${literalOf(table)})`
  const place = table === TENANTS ? `shard_count => ${shardCount}` : `colocate_with => ${literalOf(TENANTS)}`
  return `SELECT create_distributed_table(${literalOf(table)}, ${literalOf(columnOf(table))}, ${place})`
}

function columnOf(table: string): string {
  return table === TENANTS ? 'id' : 'organization_id'
}

/** The coordinator keeps hidden copies of the rows that it has distributed. */
function removeRowsOfBefore(table: string): string {
  return `SELECT truncate_local_data_after_distributing_table(${literalOf(table)})`
}

function literalOf(name: string): string {
  return pg.escapeLiteral(name)
}

function addStep({ table, name, definition }: Omit<ForeignKey, 'target'>): DistributionStep {
  return {
    title: `add the foreign key ${name}`,
    statements: [
      `ALTER TABLE ${pg.escapeIdentifier(table)} ADD CONSTRAINT ${name} ${definition}`,
      `DELETE FROM ${FOREIGN_KEYS_TABLE} WHERE table_name = ${literalOf(table)} AND name = ${literalOf(name)}`,
    ],
  }
}

function lastSteps(places: readonly Place[]): DistributionStep[] {
  const tables = places.map(({ table }) => pg.escapeIdentifier(table))
  return [
    { title: "update the planner's statistics", statements: [`ANALYZE ${tables.join(', ')}`] },
    { title: `drop ${FOREIGN_KEYS_TABLE}`, statements: [`DROP TABLE ${FOREIGN_KEYS_TABLE}`] },
  ]
}
