import pg from 'pg'
import { withSession } from './session.js'
import {
  defaultLimits,
  REQUIRED,
  roleSettings,
  type SessionLimits,
  type SessionOptions,
  sessionConfig,
} from './session-settings.js'

/** Long enough for a machine that is busy starting other things. */
const ANSWER_MILLIS = 30_000
const NAMED = 'svc_names'

/**
 * What is wrong with the sessions of a URL and what to do about it, in words that follow `sessions`; undefined if they
 * have the required settings, and named statements work if they are wanted. Changes nothing.
 */
export async function sessionFault({
  statementNames,
  ...options
}: SessionOptions & { readonly statementNames: boolean }): Promise<string | undefined> {
  const limits = { ...defaultLimits, ...options.limits }
  const config = { ...sessionConfig(options, limits), application_name: 'svc start', answerMillis: ANSWER_MILLIS }
  try {
    return await withSession(config, async (client) => {
      const fault = await settingsFault(client, limits)
      if (fault !== undefined) return fault
      if (options.sessions !== 'pooler' || !statementNames || !(await passesNamesOn(client))) return undefined
      return (
        'come from a pooler that does not keep track of named statements: set DATABASE_STATEMENT_NAMES=off, or ' +
        'max_prepared_statements of PgBouncer 1.21 or later'
      )
    })
  } catch (error) {
    const refusal = startRefusal(error)
    if (refusal === undefined) throw error
    return refusal
  }
}

/** Advice on a session that a pooler has refused for its settings; undefined for other errors. */
export function startRefusal(error: unknown): string | undefined {
  const { message } = error instanceof Error ? error : new Error(String(error))
  if (!/startup parameter/.test(message)) return undefined
  return `cannot begin (${message}): set DATABASE_DIRECT_URL too if DATABASE_URL is that of a pooler`
}

async function settingsFault(client: pg.ClientBase, limits: SessionLimits): Promise<string | undefined> {
  const names = ['server_encoding', 'session_replication_role', ...Object.keys(REQUIRED), ...Object.keys(limits)]
  // Of a path, the schema to which it leads; `setting` of a duration is in milliseconds.
  const { rows } = await client.query<{ name: string; value: string | null; setting: string; role: string }>(
    `SELECT name, CASE name WHEN 'search_path' THEN current_schema() ELSE current_setting(name) END AS value,
            setting, session_user AS role
       FROM pg_settings WHERE name = ANY ($1)`,
    [names],
  )
  const settings = new Map(rows.map((row) => [row.name, row]))
  const given = (name: string) => settings.get(name)?.value ?? 'unknown'
  const role = settings.get('server_encoding')?.role ?? ''
  if (given('server_encoding') !== 'UTF8') {
    return (
      `belong to a database with the encoding ${given('server_encoding')}, which cannot store every character: ` +
      `create one with CREATE DATABASE … ENCODING 'UTF8' TEMPLATE template0, and move the data there`
    )
  }
  if (given('session_replication_role') !== 'origin') {
    return (
      `run without triggers and foreign keys, because session_replication_role is ${given('session_replication_role')}: ` +
      `let a superuser run ALTER ROLE ${pg.escapeIdentifier(role)} SET session_replication_role = 'origin'`
    )
  }
  const lost = [
    // "ISO, MDY": the second word says how dates are read that are not in the ISO's form.
    ...Object.entries(REQUIRED).filter(([name, value]) => given(name).split(',')[0] !== value),
    ...Object.entries(limits).filter(([name, most]) => {
      const millis = Number(settings.get(name)?.setting ?? 0)
      return millis <= 0 || millis > most
    }),
  ]
  if (lost.length === 0) return undefined
  const statements = roleSettings(role, limits).map((statement) => `${statement};`)
  return (
    `do not get the settings that they need (${lost.map(([name]) => `${name} is ${given(name)}`).join(', ')}): ` +
    `run ${statements.join(' ')} and make the pooler reconnect (RECONNECT in PgBouncer's console)`
  )
}

/** Whether the server gets the name of a statement as it is: then another session does not have the statement. */
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
