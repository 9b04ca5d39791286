import type pg from 'pg'
import { Semaphore } from '../runtime/semaphore.js'
import { isUnanswered, isWorkerLost } from './errors.js'
import { withSession } from './session.js'
import { Workers, type WorkersOptions, workerShare } from './workers.js'

/** Which part of a pool's connections an organization may have, and in a cluster a worker. */
export type Shares = ReturnType<typeof createShares>

/** The pool, as far as shares need it. */
interface SharedPool {
  readonly size: number
  readonly isDistributed: boolean
  use<T>(user: object, work: (client: pg.PoolClient) => Promise<T>): Promise<T>
}

/** How long a worker may take to answer a probe. */
const PROBE_MILLIS = 1_000

const workerQuestion = `
SELECT n.nodename || ':' || n.nodeport AS name
  FROM pg_dist_placement p
  JOIN pg_dist_node n ON n.groupid = p.groupid AND n.noderole = 'primary'
 WHERE p.shardid = get_shard_id_for_distribution_column('organizations', $1::text)`

type SharesOptions = Pick<WorkersOptions, 'waiting' | 'log'>

/** Makes the shares of a pool, whose sessions have this configuration. */
export function createShares(pool: SharedPool, session: pg.ClientConfig, options: SharesOptions) {
  const workers = pool.isDistributed ? createWorkers(pool, session, options) : undefined
  const shared = pool.isDistributed ? workerShare(pool.size) : pool.size
  const most = Math.max(Math.ceil(shared / 2), shared - 2)
  const semaphore = new Semaphore(pool.size, { ...options.waiting, part: most / pool.size })
  return {
    /** How many wait for a place. */
    get waiting() {
      return semaphore.waiting + (workers?.waiting ?? 0)
    },
    observeWaits: (listener: (millis: number) => void) => semaphore.observeWaits(listener),
    /**
     * Does the work of an organization's call: alone, as many at a time as there are connections but two, and at least
     * half. In a cluster, connections that may wait for one worker: others have theirs there, too.
     */
    withinShareOf: <T>(organizationId: string, work: () => Promise<T>): Promise<T> =>
      semaphore.use(work, { of: organizationId }),
    /** Does work on the rows of an organization, or of several; in a cluster, in a place of its worker. */
    onWorkerOf: <T>(organizationId: string | undefined, work: () => Promise<T>): Promise<T> =>
      workers === undefined ? work() : workers.use(organizationId, work),
    /** Asks no worker any more. */
    close: () => workers?.close(),
  }
}

function createWorkers(pool: SharedPool, session: pg.ClientConfig, options: SharesOptions): Workers {
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
