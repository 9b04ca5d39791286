import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { codeOf } from './errors.js'
import { sessionUrl } from './session-settings.js'

/** The configuration of a session, besides its address. */
export interface SessionConfig extends pg.ClientConfig {
  /** How long the server may take to accept it, and to answer each query. Default: as long as it takes. */
  readonly answerMillis?: number
}

/** Makes a session apart from the pool, not yet connected. When it is lost, its next query fails. */
export function createSession({ answerMillis: millis, ...config }: SessionConfig): pg.Client {
  const bounds = millis === undefined ? {} : { connectionTimeoutMillis: millis, query_timeout: millis }
  // Without a listener, a lost session would end the process.
  return new pg.Client({ ...config, ...bounds }).on('error', () => {})
}

const END_MILLIS = 500

/** Works in a session of its own, which ends with the work. Throws the error that ended the session. */
export async function withSession<T>(config: SessionConfig, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = createSession(config)
  let lost: Error | undefined
  client.on('error', (error) => {
    lost = error
  })
  await connect(client)
  try {
    return await work(client)
  } catch (error) {
    throw lost ?? error
  } finally {
    // Releases its locks, too. A server that has gone silent does not report that: then the connection is cut.
    await Promise.race([client.end(), sleep(END_MILLIS, undefined, { ref: false })])
    client.connection.stream.destroy()
  }
}

/** Connects; throws an error that says why it cannot, also if a name has several addresses, and what to do about it. */
export async function connect(client: pg.Client): Promise<void> {
  try {
    await client.connect()
  } catch (cause) {
    throw new Error(`cannot connect to the database: ${connectFailure(cause)}`, { cause })
  }
}

const UNKNOWN_DATABASE = '3D000'
/** OpenSSL's and Node's codes for certificates of issuers that are not trusted. */
const UNTRUSTED = /^(?:DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_(?:GET_ISSUER_CERT|VERIFY).*)$/

/** What newer Node adds to an error of such a certificate; for a database, the advice is `sslrootcert`. */
const NODE_ADVICE = /; if the root CA is installed locally, try running Node\.js with --use-system-ca$/

/** Why a connection failed, with all causes, and what to do; `otherwise` is the advice for unknown failures. */
export function connectFailure(error: unknown, otherwise = ''): string {
  const advice = causesOf(error).map(adviceOn)
  return reasonOf(error) + (advice.find((each) => each !== undefined) ?? otherwise)
}

/** The message of an error; of one for several addresses, which says nothing itself, those of all. */
export function reasonOf(error: unknown): string {
  return causesOf(error)
    .map((each) => (each instanceof Error ? each.message : String(each)).replace(NODE_ADVICE, ''))
    .join(', ')
}

function causesOf(error: unknown): readonly unknown[] {
  return error instanceof AggregateError ? error.errors : [error]
}

function adviceOn(error: unknown): string | undefined {
  const code = codeOf(error)
  if (code === UNKNOWN_DATABASE) return `: create it with CREATE DATABASE … ENCODING 'UTF8' TEMPLATE template0`
  if (code !== undefined && UNTRUSTED.test(code)) {
    return ': add sslrootcert=FILE to its URL, the certificate of the authority that issued its certificate'
  }
  return undefined
}

/** Prisma Migrate's own advisory lock, so that `prisma migrate` and we do not change the schema at once. */
const PRISMA_LOCK = 72707369
/** How long a table, or the schema, is left to others between two attempts to lock it. */
export const PAUSE_MILLIS = 500

/** Works on the schema in a session of its own, which ends with the work. */
export function withSchemaSession<T>(
  connectionString: string,
  name: string,
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  return withSession({ connectionString: sessionUrl({ connectionString }), application_name: name }, work)
}

/**
 * Locks the schema against changes by others until the session ends. Polls for the lock: a session that waits in a
 * statement would block a concurrent index.
 */
export async function lockSchema(client: pg.Client, patienceMillis: number): Promise<void> {
  const end = performance.now() + patienceMillis
  for (;;) {
    const { rows } = await client.query<{ locked: boolean }>('SELECT pg_try_advisory_lock($1) AS locked', [PRISMA_LOCK])
    if (rows[0]?.locked === true) return
    if (performance.now() >= end) throw new Error('another process is migrating this database: try again later')
    await sleep(PAUSE_MILLIS)
  }
}

/** Tables of the database itself: its migrations, and the key with which page tokens are signed. */
const KEPT = ['_prisma_migrations', 'signing_keys']

/** Deletes every row of every table of the service. */
export function emptyTables(connectionString: string): Promise<void> {
  return withSchemaSession(connectionString, 'svc demo', async (client) => {
    const { rows } = await client.query<{ names: string }>(
      `SELECT string_agg(quote_ident(tablename), ', ') AS names FROM pg_tables
        WHERE schemaname = current_schema() AND tablename <> ALL ($1)`,
      [KEPT],
    )
    await client.query(`TRUNCATE ${rows[0]?.names}`)
  })
}
