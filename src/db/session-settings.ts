import pg from 'pg'
import { connect } from './connect.js'

/** Where the sessions of a URL come from. */
export type SessionSource =
  /** From the server itself: a session lasts as long as its connection, and gets its settings when it begins. */
  | 'server'
  /** From a pooler that gives each transaction another session: the settings are those of the role. */
  | 'pooler'

/** How sessions are begun. */
export interface SessionOptions {
  /** A `postgresql://` URL. */
  readonly connectionString: string
  /** Default: the server. */
  readonly sessions?: SessionSource | undefined
  /** The most that a role may allow the sessions of a pooler, and what others are told. Default: `defaultLimits`. */
  readonly limits?: SessionLimits | undefined
}

/** How long a statement may run, wait for a lock, and keep its transaction waiting, in milliseconds. */
export interface SessionLimits {
  readonly statement_timeout: number
  readonly lock_timeout: number
  readonly idle_in_transaction_session_timeout: number
}

/** An idle session in a transaction holds locks; it is cut after the time given here. */
export const defaultLimits: SessionLimits = {
  statement_timeout: 10_000,
  lock_timeout: 5_000,
  idle_in_transaction_session_timeout: 60_000,
}

/**
 * What every session must have, whatever the defaults of the server, the database and the role, because answers depend
 * on it: how values are read and printed, and in which schema tables are. Prisma's adapter reads times as if the session
 * were in UTC. Statements that PostgreSQL expects to be long are not compiled (`jit`): that takes longer than any of them.
 */
const REQUIRED = {
  TimeZone: 'UTC',
  DateStyle: 'ISO',
  IntervalStyle: 'postgres',
  array_nulls: 'on',
  bytea_output: 'hex',
  extra_float_digits: '1',
  quote_all_identifiers: 'off',
  search_path: 'public',
  standard_conforming_strings: 'on',
  transform_null_equals: 'off',
  jit: 'off',
  default_transaction_isolation: 'read committed',
} as const

/** The server drops a client that vanished silently, and with it its locks. Not every server can. */
const HELPFUL = { tcp_user_timeout: '10s' } as const

/** What the role needs besides, because no session can be told when it begins. */
const HELPFUL_TO_ROLE = { ...HELPFUL, client_connection_check_interval: '1s' } as const

/** The start of a session, for pg: a pooler refuses settings there, or loses them. */
export function sessionConfig(
  { connectionString, sessions = 'server' }: SessionOptions,
  limits: SessionLimits,
): pg.ClientConfig {
  return sessions === 'pooler'
    ? { connectionString }
    : { connectionString: withSessionSettings(connectionString), ...limits }
}

/** The URL of sessions, with the settings that each must have if it comes from the server. */
export function sessionUrl({ connectionString, sessions = 'server' }: SessionOptions): string {
  return sessions === 'pooler' ? connectionString : withSessionSettings(connectionString)
}

function withSessionSettings(connectionString: string): string {
  const url = new URL(connectionString)
  const given = url.searchParams.get('options')
  const ours = Object.entries({ ...REQUIRED, ...HELPFUL }).map(
    ([name, value]) => `-c ${name}=${value.replaceAll(' ', '\\ ')}`,
  )
  url.searchParams.set('options', [...(given === null ? [] : [given]), ...ours].join(' '))
  return url.href
}

/** What is wrong with a session: what it must have and lacks, in words such as `TimeZone is Asia/Tokyo`. */
async function lostSettings(client: pg.ClientBase, limits: SessionLimits): Promise<string[]> {
  const names = [...Object.keys(REQUIRED), ...Object.keys(limits)]
  // Of a path, the schema to which it leads.
  const { rows } = await client.query<{ name: string; value: string | null; millis: string }>(
    `SELECT name, CASE name WHEN 'search_path' THEN current_schema() ELSE current_setting(name) END AS value,
            setting AS millis FROM pg_settings WHERE name = ANY ($1)`,
    [names],
  )
  const found = new Map(rows.map((row) => [row.name, row]))
  const lost = (name: string) => `${name} is ${found.get(name)?.value ?? 'unknown'}`
  return [
    ...Object.entries(REQUIRED).flatMap(([name, value]) => {
      const given = found.get(name)?.value
      // "ISO, MDY": the second word says how dates are read that are not in the ISO's form.
      return given === value || given?.startsWith(`${value},`) ? [] : [lost(name)]
    }),
    ...Object.entries(limits).flatMap(([name, most]) => {
      const millis = Number(found.get(name)?.millis ?? 0)
      return millis > 0 && millis <= most ? [] : [lost(name)]
    }),
  ]
}

/** The statements that give a role what its sessions must have, for a superuser or the role itself. */
export function roleSettings(role: string, sessionLimits: SessionLimits = defaultLimits): string[] {
  const name = pg.escapeIdentifier(role)
  const limits = Object.entries(sessionLimits).map(([setting, millis]) => [setting, `${millis / 1_000}s`])
  return [...Object.entries(REQUIRED), ...limits, ...Object.entries(HELPFUL_TO_ROLE)].map(
    ([setting, value]) => `ALTER ROLE ${name} SET ${setting} = '${value}'`,
  )
}

/** Long enough for a machine that is busy starting other things. */
const ANSWER_MILLIS = 30_000
const NAMED = 'svc_names'

/**
 * Throws, saying what to do, unless sessions have what they must have, and names of statements can be used if they are
 * to be. Changes nothing.
 */
export async function requireSessions(options: SessionOptions & { readonly statementNames: boolean }): Promise<void> {
  const fault = await sessionFault(options)
  if (fault !== undefined) throw new Error(`database sessions ${fault}`)
}

/** What is wrong with the sessions of a URL and what to do about it; undefined if nothing is. */
export async function sessionFault({
  statementNames,
  limits = defaultLimits,
  ...options
}: SessionOptions & { readonly statementNames: boolean }): Promise<string | undefined> {
  const client = new pg.Client({
    ...sessionConfig(options, limits),
    application_name: 'svc start',
    connectionTimeoutMillis: ANSWER_MILLIS,
    query_timeout: ANSWER_MILLIS,
  })
  client.on('error', () => {}) // The query fails with the same error.
  try {
    await connect(client)
    const unsuitable = await givenFault(client)
    if (unsuitable !== undefined) return unsuitable
    const lost = await lostSettings(client, limits)
    const isPooled = options.sessions === 'pooler'
    if (lost.length > 0)
      return `do not get the settings that they need (${lost.join(', ')}): ${await remedy(client, limits)}`
    if (isPooled && statementNames && (await passesNamesOn(client))) {
      return (
        'come from a pooler that does not keep track of named statements: set DATABASE_STATEMENT_NAMES=off, or ' +
        'max_prepared_statements of PgBouncer 1.21 or later'
      )
    }
    return undefined
  } catch (error) {
    const refusal = startRefusal(error)
    if (refusal === undefined) throw error
    return refusal
  } finally {
    await client.end()
  }
}

/** What to do about a session that a pooler has refused for its settings; undefined if an error says something else. */
export function startRefusal(error: unknown): string | undefined {
  const { message } = error instanceof Error ? error : new Error(String(error))
  if (!/startup parameter/.test(message)) return undefined
  return `cannot begin (${message}): set DATABASE_DIRECT_URL too if DATABASE_URL is that of a pooler`
}

async function remedy(client: pg.ClientBase, limits: SessionLimits): Promise<string> {
  const { rows } = await client.query<{ role: string }>('SELECT session_user AS role')
  const statements = roleSettings(rows[0]?.role ?? '', limits).map((statement) => `${statement};`)
  return `run ${statements.join(' ')} and make the pooler reconnect (RECONNECT in PgBouncer's console)`
}

/** What no session of the service can change. */
async function givenFault(client: pg.ClientBase): Promise<string | undefined> {
  const { rows } = await client.query<{ encoding: string; replication: string; role: string }>(
    `SELECT current_setting('server_encoding') AS encoding, session_user AS role,
            current_setting('session_replication_role') AS replication`,
  )
  const { encoding, replication, role } = rows[0] ?? { encoding: 'unknown', replication: 'unknown', role: '' }
  if (encoding !== 'UTF8') {
    return (
      `belong to a database with the encoding ${encoding}, which cannot store every character: create one with ` +
      `CREATE DATABASE … ENCODING 'UTF8' TEMPLATE template0, and move the data there`
    )
  }
  if (replication !== 'origin') {
    return (
      `run without triggers and foreign keys, because session_replication_role is ${replication}: let a superuser run ` +
      `ALTER ROLE ${pg.escapeIdentifier(role)} SET session_replication_role = 'origin'`
    )
  }
  return undefined
}

/** Whether the server is told the name of a statement as it is: then another session does not have the statement. */
async function passesNamesOn(client: pg.ClientBase): Promise<boolean> {
  // Names of others are left alone: an interrupted check of the same name would let this one fail.
  const name = `${NAMED}_${process.pid}_${Date.now()}`
  await client.query('BEGIN')
  const { rows } = await client.query<{ name: string }>({
    name,
    text: 'SELECT name FROM pg_prepared_statements WHERE name = $1',
    values: [name],
  })
  if (rows.length > 0) await client.query(`DEALLOCATE ${name}`)
  await client.query('COMMIT')
  return rows.length > 0
}
