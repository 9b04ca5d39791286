import { LRUCache } from 'lru-cache'
import type pg from 'pg'
import { Semaphore } from '../runtime/semaphore.js'
import type { WaitLimits } from '../runtime/wait-queue.js'
import { databaseFailure, isUnanswered, isWorkerLost, WORKER_SILENT } from './errors.js'
import { withSession } from './session.js'

export interface WorkersOptions {
  /** The most connections at a time to the coordinator. */
  readonly connections: number
  readonly waiting: WaitLimits
  /** Asks the coordinator which worker has the rows of an organization; undefined if none has. */
  readonly workerOf: (organizationId: string) => Promise<string | undefined>
  /** Whether the worker does not answer when it is asked for a row of an organization. Does not reject. */
  readonly isSilent: (organizationId: string) => Promise<boolean>
  readonly log: { warn(fields: { err: unknown }, message: string): void }
}

/** How many of the connections may wait for one worker. */
export function workerShare(connections: number): number {
  return Math.max(1, Math.floor(connections * 0.6))
}

/** How many connections work without an organization: in the background, or for calls that do not name one. */
const OTHERS = 2
/** After how long the worker of an organization is asked for again; only the share is wrong when it has moved. */
const KNOWN_MILLIS = 10_000
const MAX_KNOWN = 10_000
/** After so long without an answer that it owes, or at once if it is lost, a worker is probed until it answers. */
const SILENCE_MILLIS = 1_000
/** How often workers that owe something are looked at. */
const LOOK_MILLIS = 250

/** A worker, as this process knows it. */
interface Worker {
  readonly semaphore: Semaphore
  /** How many uses it has not answered, and since when there has been one without any answer. */
  owed: number
  since: number
  organizationId: string
  isProbed: boolean
  isSilent: boolean
}

/**
 * A bulkhead between the workers of a cluster: only a part of the connections waits for any of them, and none for one
 * that is silent or lost.
 */
export class Workers {
  readonly #options: WorkersOptions
  readonly #workers = new Map<string, Worker>()
  /** Names of workers by organization. */
  readonly #known: LRUCache<string, { readonly name: string | undefined }>
  readonly #others: Semaphore
  readonly #timer: NodeJS.Timeout

  constructor(options: WorkersOptions) {
    this.#options = options
    this.#others = new Semaphore(OTHERS, options.waiting)
    this.#timer = setInterval(() => this.#look(), LOOK_MILLIS).unref()
    this.#known = new LRUCache({
      max: MAX_KNOWN,
      ttl: KNOWN_MILLIS,
      // No call waits for it: what was known is used until there is an answer.
      allowStale: true,
      fetchMethod: async (organizationId, known) => {
        try {
          return { name: await options.workerOf(organizationId) }
        } catch (err) {
          if (known === undefined) throw err
          options.log.warn({ err }, 'the coordinator did not say which worker has an organization')
          return known
        }
      },
    })
  }

  get waiting(): number {
    return [...this.#workers.values()].reduce((sum, { semaphore }) => sum + semaphore.waiting, this.#others.waiting)
  }

  close(): void {
    clearInterval(this.#timer)
  }

  /** Works on rows of an organization, or of others, in a place of its worker. Rejects at once if that is silent. */
  async use<T>(organizationId: string | undefined, work: () => Promise<T>): Promise<T> {
    const known = organizationId === undefined ? undefined : await this.#known.fetch(organizationId)
    if (organizationId === undefined || known?.name === undefined) return this.#others.use(work)
    const worker = this.#workerNamed(known.name, organizationId)
    if (worker.isSilent) throw new Error(WORKER_SILENT)
    return worker.semaphore.use(async () => {
      if (worker.isSilent) throw new Error(WORKER_SILENT)
      if (worker.owed++ === 0) worker.since = performance.now()
      worker.organizationId = organizationId
      try {
        return await work()
      } catch (error) {
        // One that cannot be reached is as one that is silent: others need not find that out.
        if (isWorkerLost(error)) worker.isSilent = true
        if (databaseFailure(error)?.kind === 'unavailable') void this.#probe(worker)
        throw error
      } finally {
        worker.owed--
        worker.since = performance.now()
      }
    })
  }

  #workerNamed(name: string, organizationId: string): Worker {
    let worker = this.#workers.get(name)
    if (worker === undefined) {
      const { connections, waiting } = this.#options
      const semaphore = new Semaphore(workerShare(connections), waiting)
      worker = { semaphore, owed: 0, since: 0, organizationId, isProbed: false, isSilent: false }
      this.#workers.set(name, worker)
    }
    return worker
  }

  #look(): void {
    for (const worker of this.#workers.values()) {
      const isWaitedFor = worker.owed > 0 || worker.isSilent
      if (isWaitedFor && performance.now() - worker.since >= SILENCE_MILLIS) void this.#probe(worker)
    }
  }

  async #probe(worker: Worker): Promise<void> {
    if (worker.isProbed) return
    worker.isProbed = true
    worker.isSilent = await this.#options.isSilent(worker.organizationId)
    worker.since = performance.now()
    worker.isProbed = false
  }
}

/** How long a worker may take to answer a probe. */
const PROBE_MILLIS = 1_000

const workerQuestion = `
SELECT n.nodename || ':' || n.nodeport AS name
  FROM pg_dist_placement p
  JOIN pg_dist_node n ON n.groupid = p.groupid AND n.noderole = 'primary'
 WHERE p.shardid = get_shard_id_for_distribution_column('organizations', $1::text)`

/** Makes the workers of a pool, whose sessions have this configuration. */
export function createWorkers(
  pool: { readonly size: number; use<T>(user: object, work: (client: pg.PoolClient) => Promise<T>): Promise<T> },
  session: pg.ClientConfig,
  options: Pick<WorkersOptions, 'waiting' | 'log'>,
): Workers {
  return new Workers({
    ...options,
    connections: pool.size,
    workerOf: (organizationId) =>
      pool.use({}, async (client) => {
        const { rows } = await client.query<{ name: string }>(workerQuestion, [organizationId])
        return rows[0]?.name
      }),
    isSilent: (organizationId) =>
      withSession({ ...session, application_name: 'svc probe', answerMillis: PROBE_MILLIS }, (client) =>
        client.query('SELECT FROM organizations WHERE id = $1', [organizationId]),
      ).then(
        () => false,
        // A coordinator that cannot be reached, or is stopping, says nothing about its workers.
        (error: unknown) => isWorkerLost(error) || isUnanswered(error),
      ),
  })
}
