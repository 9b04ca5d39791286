import { Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { callbackify } from 'node:util'
import pg from 'pg'
import { Semaphore } from '../runtime/semaphore.js'
import { CallStatements, requestCancel } from './cancel-request.js'
import { databaseFailure, isWorkerLost } from './errors.js'
import { defaultLimits, type SessionOptions, sessionConfig } from './session-settings.js'
import { ANSWER_MILLIS } from './statement.js'
import { createWorkers, type Workers, workerShare } from './workers.js'

/** How to reach a database, and how much of it to use. */
export interface PoolOptions extends SessionOptions {
  /** Whether statements are prepared under names, once per connection. Default yes. */
  readonly statementNames?: boolean | undefined
  /** Whether the tables are spread over the workers of a cluster by organization. Default no. */
  readonly isDistributed?: boolean
  /** Where failures are logged that no call sees. A pino logger fits. */
  readonly log: { warn(fields: { err: unknown }, message: string): void }
  /** The most connections of this process. Default 10. */
  readonly maxConnections?: number
  /** How long a new connection may take. Default 5 s. */
  readonly connectionTimeoutMillis?: number
  /** The most callers that wait for a connection. Default 1,024. */
  readonly maxWaiting?: number
  /** How long a caller waits for a connection if all are in use. Default 3 s. */
  readonly maxWaitMillis?: number
}

/** Who uses a connection, and until when. */
export interface PoolUser {
  /** On the clock of `performance.now`: no one waits for a free connection past it. */
  readonly deadline?: number | undefined
  /** Cancels what runs when it is stopped (`BoundedPool.stop`). */
  readonly call?: object | undefined
}

type ConnectCallback = Parameters<pg.Pool['connect']>[0]

/** When to check for the first time whether the other end of an idle connection still exists. */
const KEEP_ALIVE_MILLIS = 10_000
/** The part of the connections that long transactions may have at once. */
const LONG_SHARE = 3
/** How long the settings of a new connection may take. */
const SET_UP_MILLIS = 2_000
/**
 * Lets the server end a statement whose client is gone, which would otherwise run, and keep its locks, to its end. Not
 * every system that PostgreSQL runs on can detect that.
 */
const SET_CLIENT_CHECK = `DO $$ BEGIN
  SET client_connection_check_interval = '1s';
EXCEPTION WHEN invalid_parameter_value THEN NULL;
END $$`
/** How long a request to cancel may take; until then its connection is kept from the next user. */
const CANCEL_MILLIS = 2_000

/** One connection of the pool. */
class Member extends CallStatements {
  /** How many bytes it had received when that was last asked in its current use, and since when. */
  received: unknown
  since = 0
  /** Nobody may use it after its current user. */
  isRefused = false
}

/**
 * The pool of pg with a time limit on every wait: for a free connection, for a response and for the end. A connection
 * is kept after a failed statement, unless the server can no longer work on it. A class, because Prisma requires one.
 */
export class BoundedPool extends pg.Pool {
  readonly statementNames: boolean
  /** How long one statement may run. A connection that stays silent for a second longer is given up. */
  readonly statementMillis: number
  /** Settings that each transaction makes, because workers do not get those of the session. */
  readonly transactionSettings: readonly string[]
  readonly size: number
  /** A third of the connections, for long transactions: an organization has half of what the others leave of it. */
  readonly longTransactions: Semaphore
  /**
   * The share of one organization's calls: all connections but two, and at least half. In a cluster, of the connections
   * that may wait for one worker.
   */
  readonly shares: Semaphore
  /** Undefined if the tables are not spread over the workers of a cluster by organization. */
  readonly workers: Workers | undefined
  readonly #semaphore: Semaphore
  readonly #sockets: Set<Socket>
  readonly #members = new Map<pg.PoolClient, Member>()
  /** Calls that are over, with the reasons. */
  readonly #stopped = new WeakMap<object, Error>()

  constructor(options: PoolOptions) {
    const { sessions = 'server', isDistributed = false, maxConnections = 10 } = options
    const { maxWaiting = 1_024, maxWaitMillis = 3_000 } = options
    const limits = { ...defaultLimits, ...options.limits }
    const session = sessionConfig(options, limits)
    const sockets = new Set<Socket>()
    const stream = () => {
      const socket = new Socket()
      sockets.add(socket)
      return socket.once('close', () => sockets.delete(socket))
    }
    super({
      ...session,
      application_name: 'svc',
      max: maxConnections,
      connectionTimeoutMillis: options.connectionTimeoutMillis ?? 5_000,
      // A working server ends slow statements by itself and reports it.
      query_timeout: limits.statement_timeout + ANSWER_MILLIS,
      idleTimeoutMillis: 60_000,
      keepAlive: true,
      keepAliveInitialDelayMillis: KEEP_ALIVE_MILLIS,
      stream,
      // Sessions of a pooler are not set up, since others share them. The pool waits for the promise; its types do not
      // say so.
      ...(sessions === 'server' && {
        onConnect: (client): unknown => client.query({ text: SET_CLIENT_CHECK, query_timeout: SET_UP_MILLIS }),
      }),
    })
    this.statementNames = options.statementNames ?? true
    this.statementMillis = limits.statement_timeout
    this.transactionSettings = isDistributed && sessions === 'server' ? [`lock_timeout = ${limits.lock_timeout}`] : []
    this.size = maxConnections
    const waiting = { maxWaiting, maxWaitMillis }
    this.#semaphore = new Semaphore(maxConnections, waiting)
    this.longTransactions = new Semaphore(Math.ceil(maxConnections / LONG_SHARE), waiting)
    this.workers = isDistributed ? createWorkers(this, session, { waiting, log: options.log }) : undefined
    const shared = isDistributed ? workerShare(this.size) : this.size
    this.shares = new Semaphore(this.size, {
      ...waiting,
      part: Math.max(Math.ceil(shared / 2), shared - 2) / this.size,
    })
    this.#sockets = sockets
    // The error itself contains the whole client; its message is enough.
    this.on('error', ({ message }) =>
      options.log.warn({ err: new Error(message) }, 'an idle database connection was lost'),
    )
    this.on('connect', (client) => {
      const own = new Member(() => requestCancel(client, stream, CANCEL_MILLIS))
      this.#members.set(client, own)
      client.connection.prependListener('errorMessage', (report: unknown) => {
        const kind = databaseFailure(report)?.kind
        // The server cannot work, or not write.
        if (kind === 'unavailable' && !isWorkerLost(report)) own.isRefused = true
        // A coordinator reports that it has ended a statement before its workers have, which a silent one never does.
        if (kind === 'timeout' && isDistributed) own.isRefused = true
        // If a migration made the statements of one connection outdated, those of all are.
        if (kind === 'stale_statement') for (const member of this.#members.values()) member.isRefused = true
      })
      // Whoever waits for a response gets the error; without a listener it would end the process.
      client.on('error', () => {})
    })
    this.on('remove', (client) => this.#members.delete(client))
  }

  /** How many connections are in use, or being made for someone. */
  get inUse(): number {
    return this.#semaphore.taken
  }

  /** How many callers wait for a connection. */
  get waiting(): number {
    return this.#semaphore.waiting + this.longTransactions.waiting + this.shares.waiting + (this.workers?.waiting ?? 0)
  }

  /** Calls one listener with how long each caller waited that found no free connection, whether it got one or not. */
  observeWaits(listener: (millis: number) => void): void {
    this.#semaphore.observeWaits(listener)
    this.shares.observeWaits(listener)
  }

  /** For how many milliseconds every connection has been in use and received nothing, as far as this was asked. */
  get silentMillis(): number {
    const now = performance.now()
    for (const [{ connection }, member] of this.#members) {
      const received: unknown = Reflect.get(connection.stream, 'bytesRead')
      if (received !== member.received) Object.assign(member, { received, since: now })
    }
    if (this.idleCount > 0 || this.#members.size < this.size) return 0
    return now - Math.max(...[...this.#members.values()].map(({ since }) => since))
  }

  override connect(): Promise<pg.PoolClient>
  override connect(callback: ConnectCallback): void
  override connect(callback?: ConnectCallback): Promise<pg.PoolClient> | undefined {
    const connect = () => this.#connect()
    if (callback === undefined) return connect()
    callbackify(connect)((error, client) => callback(error ?? undefined, client, client?.release ?? (() => {})))
    return undefined
  }

  /** Connects with a place of the semaphore, which is released with the connection, or at once if there is none. */
  async #connect(deadline?: number): Promise<pg.PoolClient> {
    await this.#semaphore.acquire({ deadline })
    try {
      for (;;) {
        const client = await super.connect()
        const own = this.#members.get(client)
        if (own?.isRefused === true) client.release(true)
        else {
          if (own !== undefined) own.received = undefined
          client.release = this.#releaseOf(client)
          return client
        }
      }
    } catch (error) {
      this.#semaphore.release()
      throw error
    }
  }

  /**
   * Runs the work on a connection, for which it waits until the deadline. The connection is discarded afterwards if it
   * is unusable. Once the call is over, fails with its reason.
   */
  async use<T>({ deadline, call }: PoolUser, work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
    const client = await this.#connect(deadline)
    let isLost = false
    try {
      this.beginFor(call, client)
      return await work(client)
    } catch (error) {
      isLost = databaseFailure(error)?.kind === 'unavailable' && !isWorkerLost(error)
      throw this.stopReason(call) ?? error
    } finally {
      client.release(isLost)
    }
  }

  /** Until its release, a connection works for the call, if there is one. Throws the reason if that is over. */
  beginFor(call: object | undefined, client: pg.PoolClient): void {
    this.throwIfStopped(call)
    this.#members.get(client)?.begin(call)
  }

  /** Nothing that follows on a connection is canceled. */
  finishFor(client: pg.PoolClient): void {
    this.#members.get(client)?.finish()
  }

  /** No one waits for a call any more: nothing more is sent for it, and the server is asked to cancel what runs. */
  stop(call: object, reason: Error): void {
    this.#stopped.set(call, reason)
    for (const member of this.#members.values()) member.stop(call)
  }

  /** Why a call is over; undefined if it is not. */
  stopReason(call: object | undefined): Error | undefined {
    return call && this.#stopped.get(call)
  }

  throwIfStopped(call: object | undefined): void {
    const reason = this.stopReason(call)
    if (reason !== undefined) throw reason
  }

  /** Waits for running statements and closes every connection; cuts those that are still open after the given time. */
  async close(patienceMillis: number): Promise<void> {
    this.workers?.close()
    await Promise.race([this.end(), delay(patienceMillis, undefined, { ref: false })])
    for (const socket of this.#sockets) socket.destroy()
  }

  // Not a closure of `#connect`: the client keeps its `release` until its next use, and would keep its user in memory.
  #releaseOf(client: pg.PoolClient): pg.PoolClient['release'] {
    const { release } = client
    const giveBack = (cause: Error | boolean | undefined) => {
      release(this.#isUsable(client, cause) ? undefined : cause || true)
      this.#semaphore.release()
    }
    return (cause) => {
      const cancelled = this.#members.get(client)?.end()
      if (cancelled === undefined) giveBack(cause)
      else void cancelled.then((isTaken) => giveBack(isTaken ? cause : true))
    }
  }

  /** A reported error ends only its statement, unless the server cannot work or a transaction is left open. */
  #isUsable(client: pg.PoolClient, cause: Error | boolean | undefined): boolean {
    const isReport = !cause || cause instanceof pg.DatabaseError
    return isReport && client.getTransactionStatus() === 'I' && this.#members.get(client)?.isRefused === false
  }
}
