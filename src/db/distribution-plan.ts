import pg from 'pg'
import { schema } from '../../gen/prisma/schema.js'

/** Statements of one transaction, and a few words on what they do. */
export interface DistributionStep {
  readonly title: string
  readonly statements: readonly string[]
}

/** The steps that remain until a database is distributed. */
export interface DistributionPlan {
  /** Unmet preconditions, a sentence each; empty if there are none. */
  readonly needs: readonly string[]
  /** In order. Each is done completely or not at all, and is not planned again once it is done. */
  readonly steps: readonly DistributionStep[]
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
  ['citus.propagate_set_commands', 'local'],
]

interface Place {
  readonly table: string
  /** By which it is distributed; undefined for a table that is copied to every node. */
  readonly column: string | undefined
}

/** Where tables go, in order: those of tenants are colocated with the organizations. */
const places: readonly Place[] = Object.values(schema)
  .filter(({ name }) => !STAYS_ON_COORDINATOR.includes(name))
  .map(({ name, columns }) => {
    if (name === TENANTS) return { table: name, column: 'id' }
    return { table: name, column: 'organization_id' in columns ? 'organization_id' : undefined }
  })
  .sort((one, other) => orderOf(one) - orderOf(other))

function orderOf({ table, column }: Place): number {
  if (column === undefined) return 0
  return table === TENANTS ? 1 : 2
}

interface ForeignKey {
  readonly table: string
  readonly target: string
  /** Quoted if necessary. */
  readonly name: string
  readonly definition: string
}

export async function hasTable(client: pg.Client, name: string): Promise<boolean> {
  const { rowCount } = await client.query('SELECT WHERE to_regclass($1) IS NOT NULL', [name])
  return rowCount === 1
}

/** Whether Citus is installed in the database. */
export function hasCitus(client: pg.Client): Promise<boolean> {
  return hasTable(client, 'pg_catalog.pg_dist_partition')
}

/** The statements for tables that a distributed database has got since, before these get their foreign keys. */
export async function placeNewTables(client: pg.Client): Promise<string[]> {
  if (!(await hasCitus(client))) return []
  const left = await leftPlaces(client)
  if (left.some(({ table }) => table === TENANTS)) return []
  const statements: string[] = []
  for (const place of left)
    if (await hasTable(client, pg.escapeIdentifier(place.table))) statements.push(placing(place))
  return statements
}

/** Plans what is left to do, with so many shards per table, and what it needs. Changes nothing. */
export async function planDistribution(client: pg.Client, shardCount: number): Promise<DistributionPlan> {
  const { rows: databases } = await client.query<{ name: string }>('SELECT quote_ident(current_database()) AS name')
  const isInstalled = await hasCitus(client)
  const left = isInstalled ? await leftPlaces(client) : places
  const isLeft = (name: string) => left.some(({ table }) => table === name)
  const keys = await foreignKeysOf(client)
  const dropped = keys.filter(({ table, target }) => isLeft(table) || isLeft(target))
  const isBegun = await hasTable(client, FOREIGN_KEYS_TABLE)
  const ofNoted = `SELECT table_name AS table, name, definition FROM ${FOREIGN_KEYS_TABLE} ORDER BY 1, 2`
  const noted = isBegun ? (await client.query<Omit<ForeignKey, 'target'>>(ofNoted)).rows : []
  // Of a distributed database, only its defaults are set again, for nodes that were added: the service may run.
  const isWhole = left.length === 0 && !isBegun
  return {
    needs: [
      ...(isInstalled ? await clusterNeeds(client) : [extensionIsMissing]),
      ...(isWhole ? [] : await sessionNeeds(client)),
    ],
    steps: [
      {
        title: `set ${databaseSettings.map(([name]) => name).join(', ')} for the database on every node`,
        statements: databaseSettings.map(
          ([name, value]) => `ALTER DATABASE ${databases[0]?.name} SET ${name} = ${pg.escapeLiteral(value)}`,
        ),
      },
      ...(dropped.length > 0 ? [dropStep(dropped)] : []),
      ...left.map((place) => distributeStep(place, shardCount)),
      ...(isInstalled && (await hasDistributedFunction(client)) ? [] : [functionStep]),
      ...[...noted, ...dropped].map(addStep),
      ...(isBegun || dropped.length > 0 ? lastSteps() : []),
    ],
  }
}

/** A call of it runs on the node of its organization. */
const functionStep: DistributionStep = {
  title: 'distribute the function sequence_events',
  statements: [`SELECT create_distributed_function('sequence_events(text, int)', '$1', colocate_with => '${TENANTS}')`],
}

async function hasDistributedFunction(client: pg.Client): Promise<boolean> {
  const { rowCount } = await client.query(
    `SELECT FROM pg_dist_object
      WHERE objid = to_regprocedure('sequence_events(text, int)') AND distribution_argument_index IS NOT NULL`,
  )
  return rowCount === 1
}

/** Tables that are not distributed yet, with their places. */
async function leftPlaces(client: pg.Client): Promise<readonly Place[]> {
  const { rows } = await client.query<{ name: string }>(
    'SELECT logicalrelid::regclass::text AS name FROM pg_dist_partition',
  )
  return places.filter(({ table }) => !rows.some(({ name }) => name === table))
}

const extensionIsMissing =
  'the extension citus is not in this database: add it to shared_preload_libraries on every node, then CREATE EXTENSION citus in this database on every node'

async function clusterNeeds(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ isCoordinator: boolean; isKnown: boolean; takesShards: boolean }>(
    `SELECT (SELECT groupid = 0 FROM pg_dist_local_group) AS "isCoordinator",
            EXISTS (SELECT FROM pg_dist_node WHERE groupid = 0) AS "isKnown",
            EXISTS (SELECT FROM pg_dist_node WHERE isactive AND shouldhaveshards) AS "takesShards"`,
  )
  const [cluster] = rows
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
  const { rows } = await client.query<{ sessions: number }>(
    `SELECT count(*)::int AS sessions FROM pg_stat_activity
      WHERE datname = current_database() AND pid <> pg_backend_pid() AND application_name LIKE 'svc%'
        -- These may have just read the schema without having ended yet, and write nothing without its lock.
        AND application_name NOT IN ('svc start', 'svc migrate')`,
  )
  const sessions = rows[0]?.sessions ?? 0
  return sessions === 0 ? [] : [`the service has sessions on this database (${sessions}): stop all of its processes`]
}

async function foreignKeysOf(client: pg.Client): Promise<ForeignKey[]> {
  const tables = Object.values(schema).map(({ name }) => name)
  const { rows } = await client.query<ForeignKey>(
    `SELECT source.relname AS table, target.relname AS target, quote_ident(conname) AS name,
            pg_get_constraintdef(con.oid) AS definition
       FROM pg_constraint con
       JOIN pg_class source ON source.oid = conrelid
       JOIN pg_class target ON target.oid = confrelid
      WHERE contype = 'f' AND connamespace = current_schema()::regnamespace AND source.relname = ANY ($1)
      ORDER BY source.relname, conname`,
    [tables],
  )
  return rows
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

function distributeStep(place: Place, shardCount: number): DistributionStep {
  const { table, column } = place
  return {
    title: column === undefined ? `copy ${table} to every node` : `distribute ${table} by ${column}`,
    // The coordinator keeps hidden copies of the rows that it has distributed.
    statements: [
      placing(place, shardCount),
      `SELECT truncate_local_data_after_distributing_table(${pg.escapeLiteral(table)})`,
    ],
  }
}

/** Only the table of organizations needs a number of shards. */
function placing({ table, column }: Place, shardCount?: number): string {
  if (column === undefined) return `SELECT create_reference_table(${pg.escapeLiteral(table)})`
  const place = table === TENANTS ? `shard_count => ${shardCount}` : `colocate_with => ${pg.escapeLiteral(TENANTS)}`
  return `SELECT create_distributed_table(${pg.escapeLiteral(table)}, ${pg.escapeLiteral(column)}, ${place})`
}

function addStep({ table, name, definition }: Omit<ForeignKey, 'target'>): DistributionStep {
  return {
    title: `add the foreign key ${name}`,
    statements: [
      `ALTER TABLE ${pg.escapeIdentifier(table)} ADD CONSTRAINT ${name} ${definition}`,
      `DELETE FROM ${FOREIGN_KEYS_TABLE} WHERE table_name = ${pg.escapeLiteral(table)} AND name = ${pg.escapeLiteral(name)}`,
    ],
  }
}

function lastSteps(): DistributionStep[] {
  const tables = places.map(({ table }) => pg.escapeIdentifier(table))
  return [
    { title: "update the planner's statistics", statements: [`ANALYZE ${tables.join(', ')}`] },
    { title: `drop ${FOREIGN_KEYS_TABLE}`, statements: [`DROP TABLE ${FOREIGN_KEYS_TABLE}`] },
  ]
}
