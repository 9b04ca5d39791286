import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals'
import { Prisma } from '../../gen/prisma/client.js'
import { databaseUrl } from '../../harness/database-url.js'
import { createDatabase, type DatabaseOptions } from '../../src/db/database.js'
import { createStatement } from '../../src/db/statement.js'
import type { Tables } from '../../src/db/tables.js'
import { startDatabaseProxy } from '../support/database-proxy.js'
import { eventually } from '../support/eventually.js'
import { type ReplicatedServers, startReplicatedServers } from '../support/replicated-servers.js'
import { type Database, withSql } from '../support/sql.js'

interface Named {
  readonly id: string
}

const insert = createStatement<Named, Named>({
  name: 'test_insert',
  columns: { id: 'text' },
  text: ({ id }) => Prisma.sql`INSERT INTO organizations (id, name) VALUES (${id}, 'replicated') RETURNING id`,
})

const select = createStatement<Named, Named & { readonly isStandby: boolean }>({
  name: 'test_select',
  columns: { id: 'text', isStandby: 'bool' },
  text: ({ id }) => Prisma.sql`SELECT id, pg_is_in_recovery() AS "isStandby" FROM organizations WHERE id = ${id}`,
})

const selectSlowly = createStatement<object, { readonly isStandby: boolean }>({
  name: 'test_select_slowly',
  columns: { isStandby: 'bool' },
  text: () =>
    Prisma.sql`SELECT pg_is_in_recovery() AS "isStandby" FROM pg_sleep(CASE WHEN pg_is_in_recovery() THEN 8 ELSE 0 END)`,
})

const selectAll = createStatement<object, Named & { readonly isStandby: boolean }>({
  name: 'test_select_all',
  columns: { id: 'text', isStandby: 'bool' },
  text: () => Prisma.sql`SELECT id, pg_is_in_recovery() AS "isStandby" FROM organizations`,
})

let servers: ReplicatedServers
let warnings: string[]
const opened: Database[] = []

const open = (options: Partial<DatabaseOptions> = {}): Database => {
  const database = withSql(
    createDatabase({
      connectionString: servers.primary.url,
      replicaConnectionString: servers.standby.url,
      log: { warn: ({ err }, message) => warnings.push(`${message}: ${(err as Error).message}`) },
      ...options,
    }),
  )
  opened.push(database)
  return database
}

const write = async (database: Tables): Promise<string> => {
  const id = randomUUID()
  await database.run(insert, { id })
  return id
}

/** Which server a read came from; undefined if what was written before was not there. */
const sourceOf = async ({ reads }: Database, id: string): Promise<'standby' | 'primary' | undefined> => {
  const [row] = await reads.run(select, { id })
  return row && (row.isStandby ? 'standby' : 'primary')
}

beforeAll(async () => {
  servers = await startReplicatedServers()
  await open().prisma.$connect()
})
afterAll(() => servers.remove())
beforeEach(async () => {
  warnings = []
  await servers.caughtUp()
})
afterEach(async () => {
  await Promise.all(opened.splice(0).map((database) => database.close()))
})

describe('a read with a replica', () => {
  it('runs there once it has applied everything', async () => {
    const database = open()
    const id = await write(database)
    await servers.caughtUp()
    expect(await sourceOf(database, id)).toBe('standby')
    expect(database.replica?.reads).toEqual({ replica: 1, behind: 0, failed: 0, skipped: 0 })
    expect(database.replica?.behindBytes).toBe(0)
  })

  it('sees every earlier write of any process, however far the replica is behind', async () => {
    const [database, other] = [open(), open()]
    await servers.standby.sql('SELECT pg_wal_replay_pause()')
    try {
      const own = await write(database)
      expect(await sourceOf(database, own)).toBe('primary')
      const others = await write(other)
      expect(await sourceOf(database, others)).toBe('primary')
      expect(await sourceOf(other, own)).toBe('primary')
      expect(database.replica?.behindBytes).toBeGreaterThan(0)
    } finally {
      await servers.standby.sql('SELECT pg_wal_replay_resume()')
    }
    await servers.caughtUp()
    const id = await write(database)
    await eventually(async () => expect(await sourceOf(database, id)).toBe('standby'))
    expect(warnings).toEqual([])
  })

  it('is never stale while the replica falls behind and catches up', async () => {
    const databases = [open(), open()]
    let stale = 0
    const sources = { standby: 0, primary: 0 }
    const work = async (index: number) => {
      for (let round = 0; round < 100; round++) {
        const id = await write(databases[index % 2] as Database)
        // By another process than the write.
        for (const pause of [0, 0, 5]) {
          if (pause > 0) await new Promise((resolve) => setTimeout(resolve, pause))
          const source = await sourceOf(databases[(index + 1) % 2] as Database, id)
          if (source === undefined) stale++
          else sources[source]++
        }
      }
    }
    let isOver = false
    const lag = async () => {
      for (let millis = 30; !isOver; millis = 30 - millis) {
        await servers.setLag(millis)
        await new Promise((resolve) => setTimeout(resolve, 100))
      }
      await servers.setLag(0)
    }
    const lagging = lag()
    await Promise.all([0, 1, 2, 3].map(work))
    isOver = true
    await lagging
    expect(stale).toBe(0)
    expect(sources.primary).toBeGreaterThan(0)
    expect(sources.standby).toBeGreaterThan(0)
  })

  it('sees asynchronous commits too', async () => {
    const connectionString = new URL(servers.primary.url)
    connectionString.searchParams.set('options', '-c synchronous_commit=off')
    const database = open({ connectionString: connectionString.href })
    for (let round = 0; round < 100; round++) {
      expect(await sourceOf(database, await write(database))).toBeDefined()
    }
  })

  it('polls a replica that is behind less and less often', async () => {
    let now = 0
    const timing = { now: () => now, sleep: async () => {}, random: () => 0.5 }
    const database = open({ timing })
    await servers.standby.sql('SELECT pg_wal_replay_pause()')
    try {
      const id = await write(database)
      for (now = 0; now < 10_000; now += 1) await (now % 10 === 0 ? sourceOf(database, id) : undefined)
    } finally {
      await servers.standby.sql('SELECT pg_wal_replay_resume()')
    }
    const { behind = 0, skipped = 0 } = database.replica?.reads ?? {}
    expect([behind > 10, behind < 25, behind + skipped]).toEqual([true, true, 1_000])
  })

  it('polls again soon, however many calls have found the replica behind at once', async () => {
    let now = 0
    const timing = { now: () => now, sleep: async () => {}, random: () => 0.5 }
    const database = open({ timing, maxConnections: 5, maxWaiting: 100 })
    await servers.standby.sql('SELECT pg_wal_replay_pause()')
    try {
      const id = await write(database)
      await Promise.all(Array.from({ length: 5 }, () => sourceOf(database, id)))
      const { behind = 0 } = database.replica?.reads ?? {}
      expect(behind).toBeGreaterThan(0)
      now = 2
      await sourceOf(database, id)
      expect(database.replica?.reads).toMatchObject({ behind: behind + 1 })
    } finally {
      await servers.standby.sql('SELECT pg_wal_replay_resume()')
    }
  })

  it('waits no longer for a connection to the primary than without a replica', async () => {
    const database = open({ maxConnections: 1, maxWaitMillis: 300 })
    const patient = open({ maxConnections: 1, maxWaitMillis: 550 })
    const taken = [await database.pool.connect(), await patient.pool.connect()]
    const order: string[] = []
    const ended = (name: string, read: Promise<unknown>) => read.finally(() => order.push(name))
    const reads = [
      ended('with a replica', database.reads.run(selectAll, {})),
      ended('without, for less than twice as long', patient.run(selectAll, {})),
    ]
    for (const read of reads) await expect(read).rejects.toThrow('all places are taken')
    expect(order).toEqual(['with a replica', 'without, for less than twice as long'])
    for (const client of taken) client.release()
  })

  it('is retried on the primary if the replica cancels it', async () => {
    const database = open()
    const reading = database.reads.run(selectSlowly, {})
    await eventually(async () => {
      const ended = await servers.standby.sql(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE '%pg_sleep(CASE%' AND pid <> pg_backend_pid()`,
      )
      expect(ended).toHaveLength(1)
    })
    expect(await reading).toEqual([{ isStandby: false }])
    expect(database.replica?.reads.failed).toBe(1)
  })

  it('is retried on the primary if it takes the replica too long', async () => {
    const database = open({ replicaReadMillis: 100 })
    expect(await database.reads.run(selectSlowly, {})).toEqual([{ isStandby: false }])
    // That says nothing about other reads.
    expect(await sourceOf(database, await write(database))).toBeDefined()
    expect(database.replica?.reads.skipped).toBe(0)
    expect(warnings).toEqual([])
  })

  it('that is faulty fails as it does without a replica, and does not take the replica out of use', async () => {
    const database = open()
    await expect(database.reads.run(select, { id: 'nul \0' })).rejects.toMatchObject({ code: '22021' })
    await servers.caughtUp()
    const [row] = await database.reads.run(selectAll, {})
    expect(row?.isStandby ?? true).toBe(true)
    expect(database.replica?.reads).toMatchObject({ failed: 1, skipped: 0 })
    expect(warnings).toEqual([])
  })

  it('goes to the primary if the replica is silent, long before it may take too long, and later reads at once', async () => {
    const proxy = await startDatabaseProxy(servers.standby.url)
    const database = open({ replicaConnectionString: proxy.connectionString, replicaReadMillis: 600_000 })
    try {
      const id = await write(database)
      await servers.caughtUp()
      expect(await sourceOf(database, id)).toBe('standby')
      proxy.stall()
      expect(await sourceOf(database, id)).toBe('primary')
      expect(await sourceOf(database, id)).toBe('primary')
      expect(database.replica?.reads).toEqual({ replica: 1, behind: 0, failed: 1, skipped: 1 })
      expect(warnings).toEqual([expect.stringContaining('the replica cannot be used')])
    } finally {
      await proxy.close()
    }
  })

  it('goes to the primary while the replica is down, and to the replica once it is back', async () => {
    const database = open()
    const sources = new Set<string | undefined>()
    let isOver = false
    const reading = (async () => {
      while (!isOver) sources.add(await sourceOf(database, await write(database)))
    })()
    await servers.standby.kill()
    await eventually(() => expect(sources).toContain('primary'))
    await servers.standby.start()
    isOver = true
    await reading
    expect(sources).not.toContain(undefined)
    await servers.caughtUp()
    const id = await write(database)
    await eventually(async () => expect(await sourceOf(database, id)).toBe('standby'))
    expect(warnings.filter((text) => text.startsWith('the replica cannot be used'))).toHaveLength(1)
  })

  it.each([
    ['the primary itself', () => servers.primary.url, 'it is not a standby'],
    [
      'another database of it',
      () => databaseUrl(servers.standby.url, 'postgres'),
      'it is not a replica of this database',
    ],
  ])('never runs on %s', async (_, url, reason) => {
    const database = open({ replicaConnectionString: url() })
    expect(await sourceOf(database, await write(database))).toBe('primary')
    expect(database.replica?.reads).toMatchObject({ replica: 0, failed: 1 })
    expect(warnings).toEqual([`the replica cannot be used: reads go to the primary: ${reason}`])
  })

  it('runs on the primary while that is a standby, and only reads succeed', async () => {
    const database = open({ connectionString: servers.standby.url })
    expect((await database.reads.run(selectAll, {}))[0]?.isStandby).toBe(true)
    expect(database.replica?.reads.replica).toBe(0)
  })
})

describe('a snapshot', () => {
  const readAll = async (database: Database) => {
    const rows: { readonly id: string; readonly isStandby: boolean }[] = []
    for await (const some of database.readSnapshot([selectAll], {})) rows.push(...some)
    return { ids: rows.map(({ id }) => id), isStandby: rows[0]?.isStandby }
  }
  const setFeedback = async (value: string) => {
    await servers.standby.sql(`ALTER SYSTEM SET hot_standby_feedback = ${value}`, 'SELECT pg_reload_conf()')
  }

  it('runs on a replica that keeps the primary from removing its rows', async () => {
    await setFeedback('on')
    const database = open()
    const id = await write(database)
    await servers.caughtUp()
    await eventually(async () => expect(await readAll(database)).toMatchObject({ isStandby: true }))
    expect((await readAll(database)).ids).toContain(id)
  })

  it.each([
    ['could have to break it off', 'off', 0],
    ['is behind', 'on', 60_000],
  ])('runs on the primary if the replica %s', async (_, feedback, lag) => {
    await setFeedback(feedback)
    const database = open()
    await servers.setLag(lag)
    try {
      const id = await write(database)
      const { ids, isStandby } = await readAll(database)
      expect([ids.includes(id), isStandby]).toEqual([true, false])
    } finally {
      await servers.setLag(0)
    }
  })
})

describe('after a failover', () => {
  it('a server that cannot follow the new primary serves no reads, even if its log is longer', async () => {
    await servers.standby.stop()
    const before = open({ replicaConnectionString: undefined })
    for (let round = 0; round < 50; round++) await write(before)
    await servers.primary.kill()
    await servers.standby.start()
    await servers.standby.sql('SELECT pg_promote(true)')
    servers.demote(servers.primary)
    await servers.primary.start()
    const database = open({ connectionString: servers.standby.url, replicaConnectionString: servers.primary.url })
    expect(await sourceOf(database, await write(database))).toBe('primary')
    expect(warnings.at(-1)).toBe(
      'the replica cannot be used: reads go to the primary: it does not follow the primary yet',
    )
  })
})
