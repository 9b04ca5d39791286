import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, describe, expect, it, jest } from '@jest/globals'
import { databaseFailure, WORKER_SILENT } from '../../src/db/errors.js'
import { withSession } from '../../src/db/session.js'
import { createWorkers, Workers } from '../../src/db/workers.js'
import { createTestDatabase } from '../support/database.js'
import { startDatabaseProxy } from '../support/database-proxy.js'
import { eventually } from '../support/eventually.js'

const clusters: Workers[] = []
afterAll(() => {
  for (const workers of clusters) workers.close()
})

/**
 * Organizations are named like `a1`: by their worker, and a number. Those of `silent` get no answer, and nobody asks the
 * coordinator if it is among them.
 */
function createCluster() {
  const silent = new Set<string>()
  const asked: string[] = []
  const warnings: string[] = []
  const probed: string[] = []
  const workers = new Workers({
    connections: 10,
    waiting: { maxWaiting: 100, maxWaitMillis: 3_000 },
    workerOf: async (organizationId) => {
      asked.push(organizationId)
      if (silent.has('coordinator')) throw new Error('no answer')
      return organizationId.startsWith('?') ? undefined : organizationId.slice(0, 1)
    },
    isSilent: async (organizationId) => {
      probed.push(organizationId)
      return silent.has(organizationId.slice(0, 1))
    },
    log: { warn: (_, message) => warnings.push(message) },
  })
  /** Waits until a worker has been asked once more whether it is silent. */
  const nextProbe = async () => {
    const before = probed.length
    await eventually(() => expect(probed.length).toBeGreaterThan(before))
    await wait(0)
  }
  clusters.push(workers)
  return { silent, asked, nextProbe, warnings, workers }
}

/** Work that is pending until `end` is called. */
function createPendingWork() {
  const ends: (() => void)[] = []
  const work = () => new Promise<string>((resolve) => ends.push(() => resolve('done')))
  const end = () => {
    for (const each of ends.splice(0)) each()
  }
  return { begun: () => ends.length, work, end }
}

describe('the workers of a cluster', () => {
  it('have a part of the connections each', async () => {
    const { workers } = createCluster()
    const pending = createPendingWork()
    const first = Array.from({ length: 8 }, (_, n) => workers.use(`a${n}`, pending.work))
    await wait(0)
    expect([pending.begun(), workers.waiting]).toEqual([6, 2])
    await expect(workers.use('b1', async () => 'other')).resolves.toBe('other')
    pending.end()
    await wait(0)
    pending.end()
    await expect(Promise.all(first)).resolves.toHaveLength(8)
  })

  it('leave two connections to work that names no organization, or one that is nowhere', async () => {
    const { workers } = createCluster()
    const pending = createPendingWork()
    const all = [undefined, undefined, '?'].map((each) => workers.use(each, pending.work))
    await wait(0)
    expect(pending.begun()).toBe(2)
    pending.end()
    await wait(0)
    pending.end()
    await expect(Promise.all(all)).resolves.toHaveLength(3)
  })

  it('are asked for once in ten seconds', async () => {
    const { workers, asked } = createCluster()
    for (const organization of ['a1', 'a1', 'b1', 'a1']) await workers.use(organization, async () => undefined)
    expect(asked).toEqual(['a1', 'b1'])
  })

  it('are asked for again beside the calls, which go on if there is no answer', async () => {
    const { workers, asked, silent, warnings } = createCluster()
    await workers.use('a1', async () => undefined)
    const later = performance.now() + 10_001
    const clock = jest.spyOn(performance, 'now').mockReturnValue(later)
    try {
      silent.add('coordinator')
      for (let n = 0; n < 2; n++) await expect(workers.use('a1', async () => 'done')).resolves.toBe('done')
    } finally {
      clock.mockRestore()
    }
    expect(asked).toEqual(['a1', 'a1'])
    expect(warnings).toEqual(['the coordinator did not say which worker has an organization'])
  })

  it.concurrent('refuse at once what waits for a silent one, until it answers', async () => {
    const { workers, silent, nextProbe } = createCluster()
    const pending = createPendingWork()
    silent.add('a')
    const stuck = workers.use('a1', pending.work)
    await nextProbe()
    const refused = await workers.use('a2', pending.work).catch((error: unknown) => error)
    expect(refused).toMatchObject({ message: WORKER_SILENT })
    expect(databaseFailure(refused)).toEqual({ kind: 'unavailable' })
    await expect(workers.use('b1', async () => 'other')).resolves.toBe('other')
    silent.delete('a')
    await nextProbe()
    await expect(workers.use('a2', async () => 'again')).resolves.toBe('again')
    pending.end()
    await stuck
  })

  it.concurrent('refuse at once what is asked of a lost one, until it answers', async () => {
    const { workers, silent, nextProbe } = createCluster()
    const message = 'connection to the remote node svc@a:5432 failed with the following error: Connection refused'
    const lost = Object.assign(new Error(message), { code: '08006', severity: 'ERROR' })
    silent.add('a')
    await expect(workers.use('a1', () => Promise.reject(lost))).rejects.toBe(lost)
    const asked: string[] = []
    const ask = async () => asked.push('asked')
    await Promise.all(['a2', 'a2', 'a3'].map((each) => expect(workers.use(each, ask)).rejects.toThrow(WORKER_SILENT)))
    expect(asked).toEqual([])
    silent.delete('a')
    await nextProbe()
    await expect(workers.use('a2', async () => 'again')).resolves.toBe('again')
    await expect(workers.use('a1', () => Promise.reject(lost))).rejects.toBe(lost)
    await expect(workers.use('a2', async () => 'still there')).resolves.toBe('still there')
  })

  it.concurrent('may take their time with one statement while they answer', async () => {
    const { workers, nextProbe } = createCluster()
    const pending = createPendingWork()
    const slow = workers.use('a1', pending.work)
    await nextProbe()
    await expect(workers.use('a2', async () => 'answered')).resolves.toBe('answered')
    pending.end()
    await slow
  })
})

/** What a coordinator knows about its workers: one that has every organization. */
const catalog = `
CREATE TABLE pg_dist_node AS SELECT 1 AS groupid, 'primary' AS noderole, 'a' AS nodename, 5432 AS nodeport;
CREATE TABLE pg_dist_placement AS SELECT 1 AS shardid, 1 AS groupid;
CREATE FUNCTION get_shard_id_for_distribution_column(text, text) RETURNS int LANGUAGE sql AS 'SELECT 1'`

it('a worker is silent if it does not answer the coordinator, and not if the coordinator cannot be asked', async () => {
  const test = await createTestDatabase()
  const proxy = await startDatabaseProxy(test.connectionString)
  const { pool } = test.open()
  if (process.env['TEST_ON'] !== 'citus')
    await withSession({ connectionString: test.connectionString }, (client) => client.query(catalog))
  const workers = createWorkers(
    pool,
    { connectionString: proxy.connectionString },
    { waiting: { maxWaiting: 100, maxWaitMillis: 3_000 }, log: { warn: () => {} } },
  )
  const unreachable = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED', syscall: 'connect' })
  const use = () => workers.use('acme', async () => 'done')
  try {
    await proxy.cut()
    await expect(workers.use('acme', () => Promise.reject(unreachable))).rejects.toBe(unreachable)
    await wait(100)
    await expect(use()).resolves.toBe('done')
    await proxy.mend()
    await withSession({ connectionString: test.connectionString }, async (locked) => {
      await locked.query('BEGIN; LOCK TABLE organizations')
      await expect(workers.use('acme', () => Promise.reject(unreachable))).rejects.toBe(unreachable)
      await eventually(() => expect(use()).rejects.toThrow(WORKER_SILENT))
      await locked.query('COMMIT')
    })
    await eventually(() => expect(use()).resolves.toBe('done'))
  } finally {
    workers.close()
    await proxy.close()
    await test.drop()
  }
})
