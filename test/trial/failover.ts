import { setTimeout as wait } from 'node:timers/promises'
import pg from 'pg'
import { type LocalCluster, type NodeName, startLocalCluster } from './cluster.js'
import { createLoad } from './cluster-load.js'
import { execute } from './stage.js'
import { allOf, atMost, type Finding, type Trial } from './trial.js'

const KILLS = 20
/** The kills in which the node is lost as a whole; after the others, its Patroni gives the lock back at once. */
const LOST_NODES = new Set([9, 19])
const WRITTEN_MILLIS = 2_000
const PATIENCE_MILLIS = 120_000

/**
 * The primary of a cluster of Patroni is killed again and again while three processes of the service write and read
 * behind a balancer.
 */
export const failover: Trial = {
  name: 'failover',
  onEachDatabase: false,
  onlyIfNamed: true,
  run: async () => {
    const cluster = await startLocalCluster()
    try {
      return await killPrimaries(cluster)
    } finally {
      await cluster.remove()
    }
  },
}

async function killPrimaries(cluster: LocalCluster): Promise<readonly Finding[]> {
  const pids = await cluster.servicePids()
  const load = createLoad(cluster)
  const calling = load.start()
  const written: number[] = []
  const promoted: number[] = []
  for (let kill = 0; kill < KILLS; kill++) {
    const { primary, standby } = await untilReplicated(cluster)
    await wait(1_000)
    const promotion = watchPromotion(cluster.nodeUrl(standby))
    const killedAt = performance.now()
    const isLost = LOST_NODES.has(kill)
    await cluster.killNode(primary, isLost ? 'patroni' : undefined)
    const promotedAt = await promotion
    const [writtenAt, ...steps] = await Promise.all([
      load.writtenAfter(promotedAt),
      until(() => leadsToPrimary(cluster.connectionString)),
      until(() => isReady(cluster.origin)),
    ])
    promoted.push(promotedAt - killedAt)
    written.push(writtenAt - promotedAt)
    const [address = 0, ready = 0, first] = [...steps, writtenAt].map((at) => Math.round(at - promotedAt))
    console.error(
      `kill ${kill + 1} of ${primary}${isLost ? ' and its Patroni' : ''}: promoted after ${Math.round(promotedAt - killedAt)} ms; ` +
        `after that, the address led there in ${address} ms, a process was ready in ${ready} ms, and a write was done in ${first} ms`,
    )
    if (isLost) await cluster.start(`patroni-${primary}`)
  }
  await untilReplicated(cluster)
  load.stop()
  await calling
  const { acknowledged, standing, stale, read, byStatus, withoutRetryAfter } = await load.verify()
  const others = [...byStatus].filter(([status]) => status !== 200 && status !== 503)
  const survivors = (await cluster.servicePids()).filter((pid, index) => pid === pids[index] && isAlive(pid))
  console.error(`answers: ${[...byStatus].map(([status, count]) => `${count} of ${status}`).join(', ')}`)
  return [
    allOf(`primary killed ${KILLS} times: acknowledged writes stand`, standing, acknowledged),
    {
      promise: 'no answer but 200 and 503',
      measured: others.map(([status, count]) => `${count} × ${status}`).join(', ') || '0',
      kept: others.length === 0,
    },
    { promise: 'no 503 without Retry-After', measured: String(withoutRetryAfter), kept: withoutRetryAfter === 0 },
    {
      promise: 'no list without the own writes before it',
      measured: `${stale} of ${read}`,
      kept: stale === 0 && read > 0,
    },
    allOf('processes of the service that run through', survivors.length, pids.length),
    atMost('the slowest first good write after a promotion', Math.max(...written), WRITTEN_MILLIS, 'ms'),
    {
      promise: 'the slowest promotion after a kill, for Patroni',
      measured: `${Math.round(Math.max(...promoted))} ms`,
      kept: true,
    },
  ]
}

async function untilReplicated(cluster: LocalCluster): Promise<{ primary: NodeName; standby: NodeName }> {
  const end = performance.now() + PATIENCE_MILLIS
  while (performance.now() < end) {
    const { primary, standby } = await cluster.roles()
    if (primary !== undefined && standby !== undefined) return { primary, standby }
    await wait(200)
  }
  throw new Error('the cluster has no synchronous standby again')
}

/** When the server of a standby began to write. */
async function watchPromotion(url: string): Promise<number> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    const end = performance.now() + PATIENCE_MILLIS
    while (performance.now() < end) {
      const { rows } = await client.query<{ waits: boolean }>('SELECT pg_is_in_recovery() AS waits')
      if (rows[0]?.waits === false) return performance.now()
      await wait(10)
    }
    throw new Error('the standby is not promoted')
  } finally {
    await client.end()
  }
}

/** When something is so. */
async function until(isSo: () => Promise<boolean>): Promise<number> {
  const end = performance.now() + PATIENCE_MILLIS
  while (!(await isSo().catch(() => false)) && performance.now() < end) await wait(20)
  return performance.now()
}

async function leadsToPrimary(connectionString: string): Promise<boolean> {
  const [row] = await execute(connectionString, 'SELECT pg_is_in_recovery() AS waits')
  return row?.['waits'] === false
}

async function isReady(origin: string): Promise<boolean> {
  return (await fetch(`${origin}/readyz`, { headers: { connection: 'close' } })).status === 200
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    // It belongs to another account.
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}
