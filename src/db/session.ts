import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { codeOf } from './errors.js'

/** What a session is, besides where it is. */
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

/** What newer versions of Node add to an error of such a certificate; `sslrootcert` is the advice that fits a database. */
const NODE_ADVICE = /; if the root CA is installed locally, try running Node\.js with --use-system-ca$/

/** Why a connection failed, in words of all its causes, and what to do about it: `otherwise` where that is not known. */
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
