import { codeToString } from '@connectrpc/connect/protocol-connect'
import { Counter, Gauge, Histogram, type Registry } from 'prom-client'
import type { CallObserver } from '../call/serve-call.js'
import type { StatementObserver } from '../db/tables.js'
import type { SequencerObserver } from '../domain/event/sequencer.js'
import type { RetentionObserver } from '../domain/sweeper.js'
import type { WebhookObserver } from '../domain/webhook/dispatcher.js'
import type { Tally } from '../handlers/handler-tools.js'
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
 * Limits the number of series: once there are `most`, further labels become `other`, so that callers cannot fill the
 * memory with invented values.
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

function metersOf(registry: Registry) {
  const registers = [registry]
  return {
    counter: <Label extends string>(name: string, help: string, ...labelNames: Label[]) =>
      new Counter({ name, help, labelNames, registers }),
    /** Makes a gauge of the database, not of the process: every process reports the same value. */
    gauge: <Label extends string>(name: string, help: string, ...labelNames: Label[]) =>
      new Gauge({ name, help, labelNames, registers, aggregator: 'max' }),
    histogram: <Label extends string>(name: string, help: string, buckets: number[], ...labelNames: Label[]) =>
      new Histogram({ name, help, buckets, labelNames, registers }),
  }
}

export function createCallMeters(registry: Registry): Pick<CallObserver, 'ended'> {
  const { counter, histogram } = metersOf(registry)
  const help = 'Time from the request headers to the response, for calls with a single response, by method.'
  const counts = counter('svc_calls_total', 'Method calls, by method, protocol and code.', 'method', 'protocol', 'code')
  const times = histogram('svc_call_duration_seconds', help, CALL_BUCKETS, 'method')
  const limit = limitSeries(MAX_CALL_SERIES)
  return {
    ended: ({ method, protocolName, errorCode, startedAt }) => {
      const name = `${method.parent.typeName}/${method.name}`
      const code = errorCode === undefined ? 'ok' : codeToString(errorCode)
      counts.labels(...limit(name, protocolName, code)).inc()
      // Streams last as long as their clients want.
      if (method.methodKind === 'unary') times.labels(name).observe(secondsSince(startedAt))
    },
  }
}

export function createRequestMeters(registry: Registry): RequestObserver {
  const help = 'Requests, by protocol (rest, rpc, scim, page, probe, preflight, refused) and HTTP status.'
  const counts = metersOf(registry).counter('svc_http_requests_total', help, 'protocol', 'status')
  const open = new Gauge({ name: 'svc_http_requests_open', help: 'Requests in progress.', registers: [registry] })
  const limit = limitSeries(MAX_REQUEST_SERIES)
  return {
    begun: () => open.inc(),
    ended: (protocol, status) => {
      open.dec()
      counts.labels(...limit(protocol, String(status))).inc()
    },
  }
}

export function createStatementMeters(registry: Registry): StatementObserver {
  const { counter, histogram } = metersOf(registry)
  const statements = histogram(
    'svc_statement_duration_seconds',
    'Time from issuing a statement to receiving its rows, including the wait for a connection, by statement name.',
    STATEMENT_BUCKETS,
    'statement',
  )
  const failures = counter('svc_statement_failures_total', 'Failed statements, by kind of failure.', 'kind')
  const transactions = histogram(
    'svc_transaction_duration_seconds',
    'Duration of transactions, including retries, by outcome (committed, rolled_back).',
    STATEMENT_BUCKETS,
    'outcome',
  )
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

/** Measures how far the feeds are behind, and counts the events that get into them and are deleted. */
export function createEventMeters(registry: Registry): SequencerObserver & RetentionObserver {
  const { counter, gauge } = metersOf(registry)
  const waiting = gauge('svc_events_waiting', 'Committed writes whose events are not in the feed yet.')
  const age = gauge('svc_events_waiting_seconds', 'How long the oldest event that is not in the feed yet has waited.')
  const sequenced = counter('svc_events_sequenced_total', 'Events that this process has put into the feed.')
  const deleted = counter(
    'svc_events_deleted_total',
    'Events that were too old and deleted, by where they were.',
    'from',
  )
  for (const from of ['feed', 'audit_log']) deleted.inc({ from }, 0)
  return {
    sequenced: (events) => sequenced.inc(events),
    waiting: (writes, oldestSeconds) => {
      waiting.set(writes)
      age.set(oldestSeconds)
    },
    eventsDeleted: (from, rows) => deleted.inc({ from }, rows),
  }
}

const MAX_SHOWN = 20

export function createWebhookMeters(registry: Registry): WebhookObserver {
  const { counter, gauge } = metersOf(registry)
  const attempts = counter('svc_webhook_attempts_total', 'Attempts to deliver an event, by outcome.', 'outcome')
  const disabled = counter(
    'svc_webhook_endpoints_disabled_total',
    'Endpoints disabled by the service, by reason.',
    'reason',
  )
  const behind = gauge('svc_webhook_endpoints_behind', 'Endpoints with an event or attempt that is due.')
  const worst = 'of the 20 endpoints that are furthest behind'
  const lag = gauge('svc_webhook_lag_seconds', `How long the oldest attempt has been due, ${worst}.`, 'endpoint')
  const events = gauge('svc_webhook_lag_events', `How many events are not looked at yet, ${worst}.`, 'endpoint')
  for (const outcome of ['delivered', 'refused', 'no_response']) attempts.inc({ outcome }, 0)
  for (const reason of ['FAILURES', 'GONE', 'RIGHT_ENDED']) disabled.inc({ reason }, 0)
  return {
    attempted: (outcome) => attempts.inc({ outcome }),
    disabled: (reason) => disabled.inc({ reason }),
    behind: (endpoints) => {
      behind.set(endpoints.length)
      lag.reset()
      events.reset()
      for (const { id, ...each } of endpoints.slice(0, MAX_SHOWN)) {
        lag.set({ endpoint: id }, each.lagSeconds)
        events.set({ endpoint: id }, each.events)
      }
    },
  }
}

export function createTallyMeters(registry: Registry): Tally {
  const { counter } = metersOf(registry)
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
