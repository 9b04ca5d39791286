import { Histogram, type Registry } from 'prom-client'
import type { Database } from '../db/database.js'
import type { FeedSignals } from '../domain/event/feed-signals.js'
import type { CallLimit } from '../http/call-limit.js'
import type { HttpServer } from '../http/server.js'
import { addReadings } from './readings.js'

/** The parts of a running service whose state is read with the metrics. */
export interface WatchedParts extends Pick<HttpServer, 'traffic' | 'certificateExpiry'> {
  readonly database: Pick<Database, 'clock' | 'pool' | 'retries' | 'replica'>
  readonly callLimit: Pick<CallLimit, 'running' | 'refused'>
  readonly feedSignals: Pick<FeedSignals, 'waiters'>
  readonly isReady: () => Promise<boolean>
}

const WAIT_BUCKETS = [0.001, 0.005, 0.025, 0.1, 0.5, 1, 3]

export function watchParts(registry: Registry, parts: WatchedParts): void {
  const { database, callLimit, feedSignals, traffic, certificateExpiry, isReady } = parts
  const { clock, pool, retries, replica } = database
  addReadings(registry, [
    {
      name: 'svc_ready',
      help: 'Whether the service is ready, as /readyz reports: 1 or 0.',
      aggregator: 'min',
      read: async () => Number(await isReady()),
    },
    {
      name: 'svc_clock_ahead_seconds',
      help: "How far the clock of this machine is ahead of the database's; negative if it is behind.",
      aggregator: 'max',
      read: () => clock.aheadMillis() / 1000,
    },
    {
      name: 'svc_tls_certificate_expiry_timestamp_seconds',
      help: 'When the current certificate expires, in seconds since 1970; absent in cleartext.',
      aggregator: 'min',
      read: () => {
        const expiry = certificateExpiry()
        return expiry && expiry.getTime() / 1000
      },
    },
    {
      name: 'svc_calls_running',
      help: 'Authenticated calls in progress; beyond MAX_RUNNING_CALLS, or half of that for one organization, calls are refused.',
      read: () => callLimit.running,
    },
    {
      name: 'svc_event_waiters',
      help: 'Calls that wait for events.',
      read: () => feedSignals.waiters,
    },
    {
      name: 'svc_http_connections',
      help: 'Client connections, by HTTP version.',
      label: 'version',
      read: () => ({ '1.1': traffic().http1, '2': traffic().http2 }),
    },
    { name: 'svc_pool_connections_in_use', help: 'Database connections in use.', read: () => pool.inUse },
    { name: 'svc_pool_connections_max', help: 'Maximum number of database connections.', read: () => pool.size },
    { name: 'svc_pool_waiting', help: 'Callers waiting for a database connection.', read: () => pool.waiting },
    {
      name: 'svc_replica_behind_bytes',
      help: 'How much of the write-ahead log the replica still had to apply at the last check.',
      aggregator: 'max',
      read: () => replica?.behindBytes ?? 0,
    },
    {
      name: 'svc_calls_refused_total',
      help: 'Calls that were refused because too many were running.',
      read: () => callLimit.refused,
    },
    {
      name: 'svc_http_received_bytes_total',
      help: 'Bytes received from clients.',
      read: () => traffic().bytesReceived,
    },
    { name: 'svc_http_sent_bytes_total', help: 'Bytes sent to clients.', read: () => traffic().bytesSent },
    {
      name: 'svc_transaction_retries_total',
      help: 'Statements and transactions that were retried: after a conflict, or because a prepared statement was outdated.',
      label: 'reason',
      read: () => ({ conflict: retries.conflict, stale_statement: retries.staleStatement }),
    },
    {
      name: 'svc_replica_reads_total',
      help: 'Reads that can use a replica: done on the replica, or on the primary because the replica was behind, failed or paused.',
      label: 'outcome',
      read: () => ({ ...replica?.reads }),
    },
  ])
  const waits = new Histogram({
    name: 'svc_pool_wait_seconds',
    help: 'How long callers waited for a database connection when all were in use.',
    buckets: WAIT_BUCKETS,
    registers: [registry],
  })
  pool.observeWaits((millis) => waits.observe(millis / 1000))
}
