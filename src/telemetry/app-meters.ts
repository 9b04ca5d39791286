import { Counter, Gauge, Histogram, type Registry } from 'prom-client'
import type { Database } from '../db/database.js'
import type { CallLimit } from '../http/call-limit.js'
import type { Traffic } from '../http/connections.js'

/** The parts of a running service whose state is read when the metrics are. */
export interface WatchedParts {
  readonly database: Pick<Database, 'pool' | 'retries' | 'replica'>
  readonly callLimit: Pick<CallLimit, 'running' | 'refused'>
  readonly traffic: () => Traffic
  /** Undefined in cleartext. */
  readonly certificateExpiry: () => Date | undefined
  readonly isReady: () => Promise<boolean>
}

const WAIT_BUCKETS = [0.001, 0.005, 0.025, 0.1, 0.5, 1, 3]

/** Reads the parts whenever the metrics are asked for. */
export function watchParts(registry: Registry, parts: WatchedParts): void {
  const { database, callLimit, traffic, certificateExpiry, isReady } = parts
  watchPool(registry, database)
  watchReplica(registry, database)
  const registers = [registry]
  new Gauge({
    name: 'svc_ready',
    help: 'Whether the service is ready, as /readyz reports: 1 or 0.',
    registers,
    aggregator: 'min',
    async collect() {
      this.set((await isReady()) ? 1 : 0)
    },
  })
  new Gauge({
    name: 'svc_tls_certificate_expiry_timestamp_seconds',
    help: 'When the current certificate expires, in seconds since 1970; absent in cleartext.',
    registers,
    aggregator: 'min',
    collect() {
      const expiry = certificateExpiry()
      if (expiry === undefined) this.remove()
      else this.set(expiry.getTime() / 1000)
    },
  })
  new Gauge({
    name: 'svc_calls_running',
    help: 'Authenticated calls in progress; beyond MAX_RUNNING_CALLS, or half of that for one organization, calls are refused.',
    registers,
    collect() {
      this.set(callLimit.running)
    },
  })
  counted(
    registry,
    'svc_calls_refused_total',
    'Calls that were refused because too many were running.',
    () => callLimit.refused,
  )
  new Gauge({
    name: 'svc_http_connections',
    help: 'Client connections, by HTTP version.',
    labelNames: ['version'],
    registers,
    collect() {
      const { http1, http2 } = traffic()
      this.set({ version: '1.1' }, http1)
      this.set({ version: '2' }, http2)
    },
  })
  counted(registry, 'svc_http_received_bytes_total', 'Bytes received from clients.', () => traffic().bytesReceived)
  counted(registry, 'svc_http_sent_bytes_total', 'Bytes sent to clients.', () => traffic().bytesSent)
}

function watchPool(registry: Registry, { pool, retries }: WatchedParts['database']): void {
  const gauge = (name: string, help: string, read: () => number) =>
    new Gauge({
      name,
      help,
      registers: [registry],
      collect() {
        this.set(read())
      },
    })
  gauge('svc_pool_connections_in_use', 'Database connections in use.', () => pool.inUse)
  gauge('svc_pool_connections_max', 'Maximum number of database connections.', () => pool.size)
  gauge('svc_pool_waiting', 'Callers waiting for a database connection.', () => pool.waiting)
  const waits = new Histogram({
    name: 'svc_pool_wait_seconds',
    help: 'How long callers waited for a database connection when all were in use.',
    buckets: WAIT_BUCKETS,
    registers: [registry],
  })
  pool.observeWaits((millis) => waits.observe(millis / 1000))
  const retried = new Counter({
    name: 'svc_transaction_retries_total',
    help: 'Statements and transactions that were retried: after a conflict, or because a prepared statement was outdated.',
    labelNames: ['reason'],
    registers: [registry],
    collect() {
      retried.reset()
      retried.inc({ reason: 'conflict' }, retries.conflict)
      retried.inc({ reason: 'stale_statement' }, retries.staleStatement)
    },
  })
}

function watchReplica(registry: Registry, { replica }: WatchedParts['database']): void {
  const registers = [registry]
  new Counter({
    name: 'svc_replica_reads_total',
    help: 'Reads that can use a replica: done on the replica, or on the primary because the replica was behind, failed or paused.',
    labelNames: ['outcome'],
    registers,
    collect() {
      this.reset()
      for (const [outcome, count] of Object.entries(replica?.reads ?? {})) this.inc({ outcome }, count)
    },
  })
  new Gauge({
    name: 'svc_replica_behind_bytes',
    help: 'How much of the write-ahead log the replica still had to apply at the last check.',
    registers,
    aggregator: 'max',
    collect() {
      if (replica?.behindBytes !== undefined) this.set(replica.behindBytes)
    },
  })
}

function counted(registry: Registry, name: string, help: string, read: () => number): void {
  new Counter({
    name,
    help,
    registers: [registry],
    collect() {
      this.reset()
      this.inc(read())
    },
  })
}
