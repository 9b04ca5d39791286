import { ALL_TAKEN } from '../runtime/semaphore.js'

/** A failure of the database, as callers can act on it, whichever layer reported it. */
export type DatabaseFailure =
  /** `constraint` is the name of the constraint or unique index, to be compared by `isConstraint`. */
  { readonly kind: ConstraintKind; readonly constraint: string } | { readonly kind: FailureKind }

type ConstraintKind = 'unique_violation' | 'foreign_key_violation' | 'check_violation'

type FailureKind =
  /** A deadlock or a serialization failure: nothing was done, and a repetition may succeed. */
  | 'retryable'
  /** The connection does not have the prepared statement that was named, or an outdated one: nothing was done. */
  | 'stale_statement'
  /** A statement, a lock or a transaction took longer than it may. */
  | 'timeout'
  /** No connection, or the server is stopping, out of resources or read-only. A write may or may not have been done. */
  | 'unavailable'
  /** Too many wait for a connection: nothing was done. */
  | 'busy'
  /** Text that PostgreSQL cannot store, such as U+0000. */
  | 'invalid_text'

/** By SQLSTATE. */
const KINDS: readonly (readonly [RegExp, ConstraintKind | FailureKind])[] = [
  [/^(?:23505|23P01)$/, 'unique_violation'],
  [/^(?:23001|23503)$/, 'foreign_key_violation'],
  [/^23514$/, 'check_violation'],
  [/^(?:40001|40P01)$/, 'retryable'],
  [/^(?:0A000|26000|42P05)$/, 'stale_statement'],
  [/^(?:55P03|57014|25P0[34])$/, 'timeout'],
  [/^(?:22021|22P05)$/, 'invalid_text'],
  // Connection failures, refused credentials and databases, a server that is read-only (a former primary, a frozen
  // database), out of disk, memory or sessions, stopping or without its database, and system errors.
  [/^(?:08|28|3D000|25006|53|57P|58)/, 'unavailable'],
]

/** Failures that Citus reports with a generic SQLSTATE, by the text of the message. */
const CITUS_KINDS: readonly (readonly [RegExp, FailureKind])[] = [
  // Planned before the shard went to another worker.
  [/^could not find valid entry for shard \d+/, 'stale_statement'],
  // A worker did not commit, or was lost meanwhile.
  [/^could not commit transaction for shard \d+/, 'unavailable'],
]

/** Classifies a thrown value; undefined if it is no failure of the database that a caller could act on. */
export function databaseFailure(error: unknown): DatabaseFailure | undefined {
  const report = serverReport(error)
  if (error instanceof Error && error.message === ALL_TAKEN) return { kind: 'busy' }
  return (report && failureFromReport(report)) ?? (isUnreachable(error) ? { kind: 'unavailable' } : undefined)
}

const SQL_STATE = /^[0-9A-Z]{5}$/

/** Finds the server's report in an error of pg, of the driver adapter (bare when COMMIT fails) or of Prisma. */
function serverReport(error: unknown) {
  const cause = adapterCause(error)
  const sqlState = cause === undefined ? text(error, 'code') : text(cause, 'originalCode')
  if (sqlState === undefined || !SQL_STATE.test(sqlState)) return undefined
  // Prisma's own codes have the same shape; only pg's errors carry a severity.
  if (cause === undefined && text(error, 'severity') === undefined) return undefined
  return {
    sqlState,
    message: text(cause ?? error, cause === undefined ? 'message' : 'originalMessage') ?? '',
    constraint: cause === undefined ? text(error, 'constraint') : text(property(cause, 'constraint'), 'index'),
  }
}

/** Finds the server's message and its SQLSTATE in an error or its causes; undefined if there is none. */
export function serverMessage(error: unknown): { readonly sqlState: string; readonly message: string } | undefined {
  const report = serverReport(error)
  if (report !== undefined) return { sqlState: report.sqlState, message: report.message }
  const cause = property(error, 'cause')
  return cause === undefined ? undefined : serverMessage(cause)
}

function adapterCause(error: unknown): unknown {
  const known = property(property(property(error, 'meta'), 'driverAdapterError'), 'cause')
  return known ?? (text(error, 'name') === 'DriverAdapterError' ? property(error, 'cause') : undefined)
}

function failureFromReport(report: NonNullable<ReturnType<typeof serverReport>>): DatabaseFailure | undefined {
  const { sqlState, message, constraint } = report
  const [, kind] =
    CITUS_KINDS.find(([text]) => text.test(message)) ?? KINDS.find(([codes]) => codes.test(sqlState)) ?? []
  if (kind === 'unique_violation' || kind === 'foreign_key_violation' || kind === 'check_violation') {
    return { kind, constraint: declaredName(constraint ?? quotedName(message)) }
  }
  return kind && { kind }
}

/** Whether a coordinator says that it cannot reach a worker: its own session is as good as before. */
export function isWorkerLost(error: unknown): boolean {
  return serverReport(error)?.message.startsWith('connection to the remote node ') === true
}

/** Whether a query got no answer in its time, on a connection that still exists. */
export function isUnanswered(error: unknown): boolean {
  return error instanceof Error && error.message === QUERY_TIMEOUT
}

/** The name of the constraint in a message: the driver adapter keeps it only there, and so do workers of Citus. */
function quotedName(message: string): string {
  return (/\bconstraint "([^"]+)"/.exec(message) ?? /"([^"]+)"[^"]*$/.exec(message))?.[1] ?? ''
}

/** The text of the error for a worker of a cluster that does not answer: nothing was done. */
export const WORKER_SILENT = 'a worker of the cluster does not answer'
/** The text of the error if a query got no answer in time; it is pg's own. */
const QUERY_TIMEOUT = 'Query read timeout'

const SOCKET_CALLS = new Set(['connect', 'read', 'write', 'getaddrinfo'])
const ADAPTER_KINDS = new Set(['DatabaseNotReachable', 'ConnectionClosed', 'SocketTimeout'])
/** Texts of ours, and of pg and pg-pool, whose errors carry no code; a test compares each with the real one. */
const DRIVER_TEXTS = new Set([
  'timeout exceeded when trying to connect',
  WORKER_SILENT,
  QUERY_TIMEOUT,
  'Connection terminated',
  'Connection terminated unexpectedly',
  'Connection terminated due to connection timeout',
  'Cannot use a pool after calling end on the pool',
  'Client has encountered a connection error and is not queryable',
  'Client was closed and is not queryable',
])

function isUnreachable(error: unknown): boolean {
  const cause = adapterCause(error)
  if (cause !== undefined) return ADAPTER_KINDS.has(text(cause, 'kind') ?? '')
  if (!(error instanceof Error)) return false
  return DRIVER_TEXTS.has(error.message) || isFromSocket(error)
}

/** A missing file has the same code as a missing socket; errors of Prisma or of several addresses lack the call. */
function isFromSocket(error: Error): boolean {
  if (error instanceof AggregateError) return error.errors.some(isFromSocket)
  const call = text(error, 'syscall')
  if (call !== undefined) return SOCKET_CALLS.has(call)
  return text(error, 'clientVersion') !== undefined && text(error, 'code')?.startsWith('E') === true
}

/** The code of an error of the system, Node or PostgreSQL, such as `ENOENT`; undefined if it has none. */
export function codeOf(error: unknown): string | undefined {
  return error instanceof Error ? text(error, 'code') : undefined
}

function property(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && name in value ? Reflect.get(value, name) : undefined
}

function text(value: unknown, name: string): string | undefined {
  const found = property(value, name)
  return typeof found === 'string' ? found : undefined
}

/** PostgreSQL's limit, in bytes; names of constraints are ASCII. */
const MAX_NAME_LENGTH = 63

/** The number of a shard, and the hash before it of a name that would not fit with the number. */
const SHARD_NUMBER = /_[0-9]{6,}$/
const CUT_WITH_HASH = /_[0-9a-f]{8}_[0-9]{6,}$/

/**
 * The name in the schema of a constraint that the database has reported. Shards of Citus append their number to names;
 * of a name that is too long with it, they keep the beginning and a hash, and the result is only the beginning.
 */
export function declaredName(reported: string): string {
  const isCut = reported.length === MAX_NAME_LENGTH && CUT_WITH_HASH.test(reported)
  return reported.replace(isCut ? CUT_WITH_HASH : SHARD_NUMBER, '')
}

/** Whether a failure's `constraint` is the one with this name in the schema, even if it is only the beginning of it. */
export function isConstraint(constraint: string, name: string): boolean {
  return constraint === name || (constraint.length >= SHORTEST_CUT && name.startsWith(constraint))
}

/** The fewest characters that remain of a name beside a hash of 8 and a number of up to 19 digits. */
const SHORTEST_CUT = MAX_NAME_LENGTH - '_12345678'.length - '_9223372036854775807'.length
