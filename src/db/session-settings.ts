import pg from 'pg'

export interface SessionOptions {
  /** A `postgresql://` URL. */
  readonly connectionString: string
  /**
   * Where sessions come from: `server` (the default), where a session lasts as long as its connection and gets its
   * settings when it begins, or `pooler`, where any transaction can get another one, with the settings of the role.
   */
  readonly sessions?: 'server' | 'pooler' | undefined
  /** The most that a role may allow the sessions of a pooler, and what others get. Default: `defaultLimits`. */
  readonly limits?: Partial<SessionLimits> | undefined
}

/** How long a statement may run and wait for a lock, and a session in a transaction may idle, in milliseconds. */
export const defaultLimits = {
  statement_timeout: 10_000,
  lock_timeout: 5_000,
  idle_in_transaction_session_timeout: 60_000,
}

export type SessionLimits = Readonly<typeof defaultLimits>

/**
 * The settings that every session must have, whatever the defaults of the server, the database and the role, because
 * answers depend on them: how values are read and printed, and in which schema tables are. Prisma's adapter reads times
 * as if the session were in UTC. Statements that PostgreSQL expects to be long are not compiled (`jit`): that takes
 * longer than any of them. A cached plan may be from when a table was nearly empty, and would read all of it for ever
 * (`enable_seqscan`).
 */
export const REQUIRED = {
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
  enable_seqscan: 'off',
  default_transaction_isolation: 'read committed',
} as const

/** The server drops a client that vanished silently, and with it its locks. Not every server can. */
const HELPFUL = { tcp_user_timeout: '10s' } as const

/** The start of a session, for pg: a pooler refuses settings there, or loses them. */
export function sessionConfig(options: SessionOptions, limits: SessionLimits): pg.ClientConfig {
  return { connectionString: sessionUrl(options), ...(options.sessions !== 'pooler' && limits) }
}

/** The URL of sessions, with the settings that each must have if it comes from the server. */
export function sessionUrl({ connectionString, sessions = 'server' }: SessionOptions): string {
  if (sessions === 'pooler') return connectionString
  const url = new URL(connectionString)
  const given = url.searchParams.get('options')
  const ours = Object.entries({ ...REQUIRED, ...HELPFUL }).map(
    ([name, value]) => `-c ${name}=${value.replaceAll(' ', '\\ ')}`,
  )
  url.searchParams.set('options', [...(given === null ? [] : [given]), ...ours].join(' '))
  return url.href
}

/**
 * The statements that give a role all settings of its sessions, for a superuser or the role itself: a pooler lets no
 * session be configured when it begins.
 */
export function roleSettings(role: string, sessionLimits: SessionLimits = defaultLimits): string[] {
  const name = pg.escapeIdentifier(role)
  const limits = Object.entries(sessionLimits).map(([setting, millis]) => [setting, `${millis / 1_000}s`])
  const helpful = Object.entries({ ...HELPFUL, client_connection_check_interval: '1s' })
  return [...Object.entries(REQUIRED), ...limits, ...helpful].map(
    ([setting, value]) => `ALTER ROLE ${name} SET ${setting} = '${value}'`,
  )
}
