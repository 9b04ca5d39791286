import { codeToString } from '@connectrpc/connect/protocol-connect'
import { Counter, Gauge, Histogram, type Registry } from 'prom-client'
import type { CallObserver } from '../call/serve-call.js'
import type { StatementObserver } from '../db/tables.js'
import type { Tally } from '../handlers/tally.js'
import type { RequestObserver } from '../http/request-handler.js'
import { failureKind } from './call-attributes.js'

const CALL_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
const STATEMENT_BUCKETS = [0.001, 0.005, 0.025, 0.1, 0.5, 2.5, 10]

/** Every method in every protocol has more codes than callers ever get. */
const MAX_CALL_SERIES = 1_000
/** The statements of calls and of background work; imports run in a separate program. */
const MAX_STATEMENTS = 100
const MAX_REQUEST_SERIES = 100

/**
 * Passes on the labels of at most so many series; those of all further ones become `other`, so that nothing that callers
 * invent can fill the memory.
 */
function limitSeries(most: number): (...labels: readonly string[]) => string[] {
  const known = new Set<string>()
  return (...labels) => {
    const key = labels.join('\n')
    if (!known.has(key) && known.size >= most - 1) return labels.map(() => 'other')
    known.add(key)
    return [...labels]
  }
}

function secondsSince(startedAt: number): number {
  return (performance.now() - startedAt) / 1000
}

/** Counts calls by method, protocol and code, and measures the duration of unary ones. */
export function createCallMeters(registry: Registry): CallObserver {
  const registers = [registry]
  const counts = new Counter({
    name: 'svc_calls_total',
    help: 'Method calls, by method, protocol and code.',
    labelNames: ['method', 'protocol', 'code'],
    registers,
  })
  const times = new Histogram({
    name: 'svc_call_duration_seconds',
    help: 'Time from the request headers to the response, for calls with a single response, by method.',
    labelNames: ['method'],
    buckets: CALL_BUCKETS,
    registers,
  })
  const limit = limitSeries(MAX_CALL_SERIES)
  return {
    begun: () => {},
    ended: ({ method, protocolName, errorCode, startedAt }) => {
      const name = `${method.parent.typeName}/${method.name}`
      const code = errorCode === undefined ? 'ok' : codeToString(errorCode)
      counts.labels(...limit(name, protocolName, code)).inc()
      // Streams last as long as their clients want.
      if (method.methodKind === 'unary') times.labels(name).observe(secondsSince(startedAt))
    },
  }
}

/** Counts requests by status and by the part of the service that answered. */
export function createRequestMeters(registry: Registry): RequestObserver {
  const counts = new Counter({
    name: 'svc_http_requests_total',
    help: 'Requests, by the part that handled them (rest, rpc, scim, page, probe, preflight, refused) and HTTP status.',
    labelNames: ['door', 'status'],
    registers: [registry],
  })
  const open = new Gauge({
    name: 'svc_http_requests_open',
    help: 'Requests in progress.',
    registers: [registry],
  })
  const limit = limitSeries(MAX_REQUEST_SERIES)
  return {
    begun: () => open.inc(),
    ended: (door, status) => {
      open.dec()
      counts.labels(...limit(door, String(status))).inc()
    },
  }
}

/** Measures transactions, and statements by name. */
export function createStatementMeters(registry: Registry): StatementObserver {
  const registers = [registry]
  const statements = new Histogram({
    name: 'svc_statement_duration_seconds',
    help: 'Time from issuing a statement to receiving its rows, including the wait for a connection, by statement name.',
    labelNames: ['statement'],
    buckets: STATEMENT_BUCKETS,
    registers,
  })
  const failures = new Counter({
    name: 'svc_statement_failures_total',
    help: 'Failed statements, by kind of failure.',
    labelNames: ['kind'],
    registers,
  })
  const transactions = new Histogram({
    name: 'svc_transaction_duration_seconds',
    help: 'Duration of transactions, including retries, by outcome (committed, rolled_back).',
    labelNames: ['outcome'],
    buckets: STATEMENT_BUCKETS,
    registers,
  })
  for (const outcome of ['committed', 'rolled_back']) transactions.zero({ outcome })
  failures.inc({ kind: 'unavailable' }, 0)
  const limit = limitSeries(MAX_STATEMENTS)
  return {
    statement: (name, startedAt, failure) => {
      statements.labels(...limit(name)).observe(secondsSince(startedAt))
      if (failure !== undefined) failures.inc({ kind: failureKind(failure) })
    },
    transaction: (startedAt, failure) => {
      const outcome = failure === undefined ? 'committed' : 'rolled_back'
      transactions.labels(outcome).observe(secondsSince(startedAt))
    },
  }
}

/** Counts what handlers do and operators watch. */
export function createTallyMeters(registry: Registry): Tally {
  const counter = <Label extends string>(name: string, help: string, ...labelNames: Label[]) =>
    new Counter({ name, help, labelNames, registers: [registry] })
  const attempts = counter('svc_revoke_attempts_total', 'Decisions of the rate limiter for revocations.', 'decision')
  const revocations = counter('svc_revocations_total', 'API keys revoked by their secret.')
  const sessions = counter('svc_sessions_created_total', 'Access tokens issued to API keys.')
  const skipped = counter(
    'svc_skipped_fields_total',
    'Fields that writes skipped, by reason: a pin, the directory, or another member who has the value.',
    'field',
    'keeper',
  )
  const [allowed, refused] = [attempts.labels('allowed'), attempts.labels('refused')]
  return {
    revokeAttempt: (isAllowed) => (isAllowed ? allowed : refused).inc(),
    keysRevoked: (keys) => revocations.inc(keys),
    sessionCreated: () => sessions.inc(),
    fieldsSkipped: ({ pinned, directoryLocked }) => {
      for (const field of pinned) skipped.inc({ field, keeper: 'pin' })
      for (const field of directoryLocked) skipped.inc({ field, keeper: 'directory' })
    },
    phoneSkipped: () => skipped.inc({ field: 'PRIMARY_PHONE', keeper: 'member' }),
  }
}
