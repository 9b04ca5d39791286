import { Code, ConnectError, createClient, createRouterTransport } from '@connectrpc/connect'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Health, HealthCheckResponse_ServingStatus as Status } from '../gen/grpc/health/v1/health_pb.js'
import { JourneyService } from '../gen/svc/v2/journey_pb.js'
import { createReadiness } from '../src/db/readiness.js'
import { createHealthRoutes } from '../src/rpc/health.js'
import { protocols, startTestService, type TestService } from './support/service.js'

describe('health', () => {
  let service: TestService
  beforeAll(async () => {
    service = await startTestService()
  })
  afterAll(() => service.stop())

  it.each(protocols)('tells anyone that the server and each service take calls, over %s', async (protocol) => {
    const health = service.client(Health, undefined, protocol)
    expect((await health.check({})).status).toBe(Status.SERVING)
    expect((await health.check({ service: JourneyService.typeName })).status).toBe(Status.SERVING)
  })

  it('answers NOT_FOUND for a service that is not served', async () => {
    const error = ConnectError.from(
      await service
        .client(Health, undefined, 'grpc')
        .check({ service: 'svc.v2.Nothing' })
        .catch((thrown: unknown) => thrown),
    )
    expect(error.code).toBe(Code.NotFound)
  })

  it('lists the status of everything', async () => {
    const { statuses } = await service.client(Health, undefined, 'grpc').list({})
    expect(statuses['']?.status).toBe(Status.SERVING)
    expect(statuses['svc.v2.UserService']?.status).toBe(Status.SERVING)
  })

  it('tells its watchers that the server stops, and lets them go', async () => {
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
  const watch = (isReady: () => Promise<boolean>) =>
    createClient(
      Health,
      createRouterTransport(
        createHealthRoutes({
          ...{ services: [JourneyService], isReady, watchIntervalMillis: 1 },
          closing: new AbortController().signal,
        }),
      ),
    )

  it('is sent at once and then at each change alone', async () => {
    const answers = [true, true, false, false, true]
    const client = watch(async () => answers.shift() ?? true)
    const seen: Status[] = []
    for await (const { status } of client.watch({ service: JourneyService.typeName })) {
      seen.push(status)
      if (seen.length === 3) break
    }
    expect(seen).toEqual([Status.SERVING, Status.NOT_SERVING, Status.SERVING])
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
  it('is false while the database does not answer, and says why in the log', async () => {
    const warnings: string[] = []
    const ready = createReadiness({
      sql: { query: () => Promise.reject(new Error('connection refused')) },
      log: { warn: ({ err }) => warnings.push(String(err)) },
    })
    expect(await ready()).toBe(false)
    expect(warnings).toEqual(['Error: connection refused'])
  })

  it('asks the database at most once a second, however many ask', async () => {
    let asked = 0
    let clock = 0
    const sql = { query: () => Promise.resolve([]).finally(() => asked++) }
    const ready = createReadiness({ sql, log: { warn: () => {} }, now: () => clock })
    expect(await Promise.all([ready(), ready(), ready()])).toEqual([true, true, true])
    clock = 999
    await ready()
    expect(asked).toBe(1)
    clock = 1000
    await ready()
    expect(asked).toBe(2)
  })
})
