import { getEventListeners, setMaxListeners } from 'node:events'
import { Code, ConnectError, createClient, createRouterTransport } from '@connectrpc/connect'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { reasonOf } from '../../client/src/error-details.js'
import { Health, HealthCheckResponse_ServingStatus as Status } from '../../gen/grpc/health/v1/health_pb.js'
import { JourneyService } from '../../gen/svc/v2/journey_pb.js'
import { createDatabaseClock } from '../../src/db/clock.js'
import { createReadiness, type ReadinessOptions } from '../../src/db/readiness.js'
import { systemTiming } from '../../src/db/retries.js'
import { createHealthRoutes } from '../../src/rpc/health.js'
import { createTestDatabase, type TestDatabase } from '../support/database.js'
import { startDatabaseProxy } from '../support/database-proxy.js'
import { eventually } from '../support/eventually.js'
import { protocols, startTestService, type TestService } from '../support/service.js'
import type { Database } from '../support/sql.js'

describe('health', () => {
  let service: TestService
  beforeAll(async () => {
    service = await startTestService()
  })
  afterAll(() => service.stop())

  it.each(protocols)(
    'reports without a credential that the server and each service are serving, over %s',
    async (protocol) => {
      const health = service.client(Health, undefined, protocol)
      expect((await health.check({})).status).toBe(Status.SERVING)
      expect((await health.check({ service: JourneyService.typeName })).status).toBe(Status.SERVING)
    },
  )

  it('returns NOT_FOUND for a service that is not served', async () => {
    const error = ConnectError.from(
      await service
        .client(Health, undefined, 'grpc')
        .check({ service: 'svc.v2.Nothing' })
        .catch((thrown: unknown) => thrown),
    )
    expect(error.code).toBe(Code.NotFound)
  })

  it('lists the status of every service', async () => {
    const { statuses } = await service.client(Health, undefined, 'grpc').list({})
    expect(statuses['']?.status).toBe(Status.SERVING)
    expect(statuses['svc.v2.UserService']?.status).toBe(Status.SERVING)
  })

  it('allows 100 watches per client address, and another when one ends', async () => {
    const watching = new AbortController()
    setMaxListeners(101, watching.signal)
    const health = service.client(Health, undefined, 'grpc')
    const begin = async (signal: AbortSignal) => {
      const statuses = health.watch({}, { signal })[Symbol.asyncIterator]()
      const first = await statuses.next()
      // Read on, so that the stream is open until it is aborted.
      statuses.next().catch(() => undefined)
      return first.value?.status
    }
    const one = new AbortController()
    expect(await begin(one.signal)).toBe(Status.SERVING)
    for (let count = 1; count < 100; count++) expect(await begin(watching.signal)).toBe(Status.SERVING)
    const error = ConnectError.from(await begin(watching.signal).catch((thrown: unknown) => thrown))
    expect([error.code, reasonOf(error)]).toEqual([Code.ResourceExhausted, 'ERROR_REASON_RATE_LIMITED'])
    one.abort()
    await eventually(async () => expect(await begin(watching.signal)).toBe(Status.SERVING))
    watching.abort()
  })

  it('notifies its watchers that the server is stopping, and closes the streams', async () => {
    const stopping = await startTestService()
    const seen: unknown[] = []
    let stopped: Promise<void> | undefined
    const watching = (async () => {
      for await (const { status } of stopping.client(Health, undefined, 'grpc').watch({})) {
        seen.push(status)
        stopped ??= stopping.stop()
      }
    })()
    await watching
    await stopped
    expect(seen).toEqual([Status.SERVING, Status.NOT_SERVING])
  })
})

describe('a watched status', () => {
  const closing = new AbortController().signal
  const watch = (isReady: () => Promise<boolean>) =>
    createClient(
      Health,
      createRouterTransport(
        createHealthRoutes({
          services: [JourneyService],
          isReady,
          watchIntervalMillis: 1,
          closing,
          clientAddressOf: () => '192.0.2.1',
        }),
      ),
    )

  it('is sent at once and then only at each change', async () => {
    const answers = [true, true, false, false, true]
    const client = watch(async () => answers.shift() ?? true)
    const seen: Status[] = []
    for await (const { status } of client.watch({ service: JourneyService.typeName })) {
      seen.push(status)
      if (seen.length === 3) break
    }
    expect(seen).toEqual([Status.SERVING, Status.NOT_SERVING, Status.SERVING])
  })

  it('leaves nothing on the signal that the server keeps for life', async () => {
    let asked = 0
    for await (const { status } of watch(async () => ++asked < 50).watch({})) {
      expect(getEventListeners(closing, 'abort').length).toBeLessThan(2)
      if (status === Status.NOT_SERVING) break
    }
    await eventually(async () => expect(getEventListeners(closing, 'abort')).toHaveLength(0))
  })

  it('is SERVICE_UNKNOWN for a service that is not served', async () => {
    for await (const { status } of watch(async () => true).watch({ service: 'nothing' })) {
      expect(status).toBe(Status.SERVICE_UNKNOWN)
      break
    }
    expect.assertions(1)
  })
})

describe('readiness', () => {
  let testDatabase: TestDatabase
  let database: Database
  const asked: ReturnType<typeof createReadiness>[] = []
  const log = { warn: () => {} }
  const createAsked = (options: Partial<ReadinessOptions> = {}) => {
    const readiness = createReadiness({ database, log, maxAgeMillis: 0, ...options })
    asked.push(readiness)
    return readiness
  }
  beforeAll(async () => {
    testDatabase = await createTestDatabase()
    database = testDatabase.open({ maxConnections: 2 })
  })
  afterAll(async () => {
    for (const readiness of asked) await readiness.close()
    await testDatabase.drop()
  })

  it('treats an exhausted pool as busy, not as down', async () => {
    const taken = await Promise.all([database.pool.connect(), database.pool.connect()])
    expect(await createAsked().ask()).toEqual({})
    for (const client of taken) client.release()
  })

  it('checks more often while the database does not respond, so that its return is noticed at once', async () => {
    let clock = 0
    let connectionString = 'postgresql://svc@127.0.0.1:1/svc'
    const returning = {
      pool: database.pool,
      get connectionString() {
        return connectionString
      },
    }
    const readiness = createAsked({ database: returning, maxAgeMillis: 1_000, now: () => clock })
    expect(await readiness.ask()).toEqual({ database: 'does not answer' })
    connectionString = database.connectionString
    clock = 199
    expect(await readiness.ask()).toEqual({ database: 'does not answer' })
    clock = 200
    const answer = readiness.ask()
    expect(await answer).toEqual({})
    clock = 1_199
    expect(readiness.ask()).toBe(answer)
  })

  it('checks the database at most once a second, however many callers ask', async () => {
    let clock = 0
    const readiness = createAsked({ maxAgeMillis: 1_000, now: () => clock })
    const answer = readiness.ask()
    clock = 999
    expect(readiness.ask()).toBe(answer)
    await answer
    clock = 1_000
    expect(readiness.ask()).not.toBe(answer)
    expect(await readiness.ask()).toEqual({})
  })

  it('has one session at a time, even for two concurrent checks, and none afterwards', async () => {
    const named = new URL(testDatabase.directUrl)
    named.searchParams.set('application_name', 'asked twice')
    const readiness = createAsked({ database: { pool: database.pool, connectionString: named.href } })
    const sessions = () => database.query(`SELECT pid FROM pg_stat_activity WHERE application_name = 'asked twice'`)
    const holder = await database.pool.connect()
    // The checks read this table, and so wait while it is locked.
    await holder.query('BEGIN; LOCK TABLE _prisma_migrations')
    const answers = Promise.all([readiness.ask(), readiness.ask()])
    await eventually(async () => expect(await sessions()).toHaveLength(1))
    await holder.query('COMMIT')
    holder.release()
    expect(await answers).toEqual([{}, {}])
    await eventually(async () => expect(await sessions()).toHaveLength(0))
  })

  it('names a read-only database, and missing migrations', async () => {
    const frozen = new URL(database.connectionString)
    frozen.searchParams.set('options', '-c default_transaction_read_only=on')
    const { pool } = database
    expect(await createAsked({ database: { pool, connectionString: frozen.href } }).ask()).toEqual({
      database: 'is read-only',
    })
    const empty = await createTestDatabase('empty')
    expect(await createAsked({ database: empty.open() }).ask()).toEqual({ migrations: 'are not applied' })
    await empty.drop()
    await database.query(`UPDATE _prisma_migrations SET finished_at = NULL WHERE migration_name LIKE '%init%'`)
    expect(await createAsked().ask()).toEqual({ migrations: 'are not all applied' })
    await database.query('UPDATE _prisma_migrations SET finished_at = started_at')
    expect(await createAsked().ask()).toEqual({})
  })

  it.concurrent('names a database that is down or silent, logs it, and notices when it is back', async () => {
    const proxy = await startDatabaseProxy(testDatabase.connectionString)
    const { connectionString } = proxy
    const warnings: string[] = []
    const readiness = createAsked({
      database: { pool: database.pool, connectionString },
      log: { warn: (_, message) => void warnings.push(message) },
    })
    expect(await readiness.ask()).toEqual({})
    for (const fail of [async () => proxy.stall(), proxy.cut]) {
      warnings.length = 0
      await fail()
      expect(await readiness.ask()).toEqual({ database: 'does not answer' })
      expect(warnings).toEqual(['not ready: the database does not answer'])
      await proxy.mend()
      expect(await readiness.ask()).toEqual({})
    }
    await proxy.close()
  })

  it.concurrent('names a pool whose connections are all silent, although the database answers on another', async () => {
    const proxy = await startDatabaseProxy(testDatabase.connectionString)
    const { pool } = testDatabase.open({ connectionString: proxy.connectionString, maxConnections: 1 })
    const readiness = createAsked({ database: { pool, connectionString: testDatabase.connectionString } })
    await pool.query('SELECT 1')
    proxy.stall()
    const statement = pool.query('SELECT 1').then(() => 'answered')
    expect(await readiness.ask()).toEqual({})
    await eventually(async () => expect(await readiness.ask()).toEqual({ database: 'no connection answers' }))
    proxy.resume()
    expect(await statement).toBe('answered')
    expect(await readiness.ask()).toEqual({})
    await proxy.close()
  })
})

describe('probes', () => {
  const build = {
    version: expect.stringMatching(/^\d+\.\d+\.\d+/),
    commit: expect.stringMatching(/^(?:[0-9a-f]{40}|unknown)$/),
  }

  it.each([
    ['/healthz', { status: 'ok' }],
    ['/readyz', { status: 'ok', ...build }],
  ])('answer %s without a credential, by GET and by HEAD', async (path, body) => {
    const service = await startTestService()
    const [get, head] = [await fetch(service.baseUrl + path), await fetch(service.baseUrl + path, { method: 'HEAD' })]
    expect([get.status, await get.json()]).toEqual([200, body])
    expect([head.status, await head.text()]).toEqual([200, ''])
    expect(head.headers.get('content-length')).toBe(get.headers.get('content-length'))
    expect(get.headers.get('cache-control')).toBe('no-store')
    const post = await fetch(service.baseUrl + path, { method: 'POST' })
    expect([post.status, post.headers.get('allow')]).toEqual([405, 'GET, HEAD, OPTIONS'])
    await service.stop()
  })

  it('report a clock that is wrong by more than a minute, and go by that of the database', async () => {
    const testDatabase = await createTestDatabase()
    let aheadMillis = 0
    const database = testDatabase.open()
    const clock = createDatabaseClock(database, systemTiming, () => Date.now() + aheadMillis)
    const service = await startTestService({ testDatabase: { ...testDatabase, open: () => ({ ...database, clock }) } })
    const answer = async () => (await fetch(`${service.baseUrl}/readyz`)).json()
    await clock.measure()
    for (const differing of [3_600_000, -3_600_000]) {
      aheadMillis = differing
      expect(await answer()).toEqual({
        status: 'unavailable',
        reasons: { clock: "differs by more than a minute from the database's" },
      })
      await clock.measure()
      expect(Math.abs(clock.now().getTime() - Date.now())).toBeLessThan(60_000)
    }
    aheadMillis = 30_000
    expect(await answer()).toEqual({ status: 'ok', ...build })
    await service.close()
    await testDatabase.drop()
  })

  it('distinguish database failure and shutdown from a live process', async () => {
    const testDatabase = await createTestDatabase()
    const proxy = await startDatabaseProxy(testDatabase.connectionString)
    const proxied = testDatabase.open({ connectionString: proxy.connectionString })
    const service = await startTestService({ testDatabase: { ...testDatabase, open: () => proxied } })
    const probe = async (path: string) => {
      const answer = await fetch(service.baseUrl + path)
      return [answer.status, await answer.json()]
    }
    await proxy.cut()
    expect(await probe('/readyz')).toEqual([503, { status: 'unavailable', reasons: { database: 'does not answer' } }])
    expect(await probe('/healthz')).toEqual([200, { status: 'ok' }])
    const stopped = service.close(500)
    expect(await probe('/readyz')).toEqual([
      503,
      { status: 'unavailable', reasons: { draining: 'the service is stopping' } },
    ])
    expect(await probe('/healthz')).toEqual([200, { status: 'ok' }])
    await stopped
    await testDatabase.drop()
  })
})
