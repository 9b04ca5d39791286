import { randomUUID } from 'node:crypto'
import { request as httpRequest, IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { Code, ConnectError } from '@connectrpc/connect'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { Health } from '../../gen/grpc/health/v1/health_pb.js'
import { PriorityService } from '../../gen/svc/v2/priority_pb.js'
import { Call, createShutdown } from '../../src/call/call.js'
import { services } from '../../src/handlers/routes.js'
import { protocolNames } from '../../src/http/request-handler.js'
import { createMeters, type Meters } from '../../src/telemetry/meters.js'
import { eventually } from '../support/eventually.js'
import { fixture, insertApiKey, insertFixture, insertUserToken } from '../support/fixture.js'
import { type Metrics, metricsFromText } from '../support/metrics.js'
import { protocols, startTestService, type TestService } from '../support/service.js'

/** The most series that there may be. */
const MAX_SERIES = 5_000
const { it: team, priorities, users } = fixture
const method = 'svc.v2.PriorityService/UpdatePriority'

describe('the metrics of a service', () => {
  let meters: Meters
  let service: TestService
  let manager: string
  const read = async (): Promise<Metrics> => metricsFromText(await meters.text())
  /** How much a series has grown by what was done. */
  const growthOf = async (name: string, labels: Readonly<Record<string, string>>, work: () => Promise<unknown>) => {
    const before = (await read()).sum(name, labels)
    await work()
    return (await read()).sum(name, labels) - before
  }

  beforeAll(async () => {
    meters = createMeters({ version: '1.2.3', commit: 'abc' })
    service = await startTestService({ meters })
    await insertFixture(service.database)
    manager = await insertUserToken(service.database, { userId: users.manager })
  })
  afterAll(async () => {
    await service.stop()
    meters.close()
  })

  it.each([
    ['connect-json', 'connect'],
    ['connect-binary', 'connect'],
    ['grpc', 'grpc'],
    ['grpc-web', 'grpc-web'],
  ] as const)('count and time a call over %s by its method, protocol and code', async (client, protocol) => {
    const call = (token?: string) =>
      service.client(PriorityService, token, client).updatePriority({ id: priorities.it })
    const labels = { method, protocol }
    expect(await growthOf('svc_calls_total', { ...labels, code: 'ok' }, () => call(manager))).toBe(1)
    const refused = () => call().catch(() => undefined)
    expect(await growthOf('svc_calls_total', { ...labels, code: 'unauthenticated' }, refused)).toBe(1)
    expect(await growthOf('svc_call_duration_seconds_count', { method }, () => call(manager))).toBe(1)
  })

  it.each([
    ['ok', 200, { json: { name: 'New' } }],
    ['invalid_argument', 400, { json: { nothing: 1 } }],
    ['invalid_argument', 415, { headers: { 'content-type': 'text/plain' }, body: 'no' }],
  ])('count a call over REST as %s with %i', async (code, status, request) => {
    const labels = { protocol: 'rest', status: String(status) }
    const before = (await read()).sum('svc_http_requests_total', labels)
    const send = () => service.rest('PATCH', `/v2/priorities/${priorities.it}`, { token: manager, ...request })
    expect(await growthOf('svc_calls_total', { method, protocol: 'rest', code }, send)).toBe(1)
    await eventually(async () => expect((await read()).sum('svc_http_requests_total', labels)).toBe(before + 1))
  })

  it('count every request by the protocol that served it', async () => {
    for (const [protocol, path] of [
      ['probe', '/healthz'],
      ['page', '/v2/openapi.json'],
      ['rest', '/v2/nothing'],
    ] as const) {
      const before = (await read()).sum('svc_http_requests_total', { protocol })
      await fetch(service.baseUrl + path).then((answer) => answer.arrayBuffer())
      await eventually(async () => expect((await read()).sum('svc_http_requests_total', { protocol })).toBe(before + 1))
    }
    await eventually(async () => expect((await read()).sum('svc_http_requests_open')).toBe(0))
  })

  it('exclude streams from call durations', async () => {
    const gone = new AbortController()
    const watching = service.client(Health, undefined, 'grpc').watch({}, { signal: gone.signal })
    const watched = (async () => {
      for await (const _ of watching) gone.abort()
    })()
    expect(ConnectError.from(await watched.catch((thrown: unknown) => thrown)).code).toBe(Code.Canceled)
    const watch = { method: 'grpc.health.v1.Health/Watch' }
    await eventually(async () => expect((await read()).sum('svc_calls_total', watch)).toBe(1))
    expect((await read()).sum('svc_call_duration_seconds_count', watch)).toBe(0)
  })

  it('count connections and the bytes sent over them', async () => {
    const before = await read()
    await service.rest('GET', `/v2/app-instances?teamId=${team}`, { token: manager })
    await service.client(Health, undefined, 'grpc').check({})
    const after = await read()
    for (const name of ['svc_http_received_bytes_total', 'svc_http_sent_bytes_total']) {
      expect(after.sum(name) - before.sum(name)).toBeGreaterThan(200)
    }
    expect(after.sum('svc_http_connections', { version: '1.1' })).toBeGreaterThan(0)
    expect(after.sum('svc_http_connections', { version: '2' })).toBeGreaterThan(0)
  })

  it('time statements by name, model queries by model and operation, and transactions', async () => {
    await service.rest('PATCH', `/v2/priorities/${priorities.it}`, { token: manager, json: { name: 'Newer' } })
    const admin = await insertUserToken(service.database, { userId: users.admin })
    await service.rest('GET', '/v2/entity-ingestion-configs', { token: admin })
    const metrics = await read()
    for (const statement of ['update_priority', 'select_member_of_token', 'team.findMany']) {
      expect(metrics.sum('svc_statement_duration_seconds_count', { statement })).toBeGreaterThan(0)
    }
    await service.rest('POST', '/v2/auth/revoke', { form: { secret: 'none' } })
    expect((await read()).sum('svc_transaction_duration_seconds_count', { outcome: 'committed' })).toBeGreaterThan(0)
  })

  it('report the use of the pool, and the waits for it', async () => {
    const { pool } = service.database
    const taken = await Promise.all(Array.from({ length: pool.size }, () => pool.connect()))
    const waiting = pool.connect()
    const busy = await read()
    for (const client of taken) client.release()
    ;(await waiting).release()
    expect(busy.sum('svc_pool_connections_in_use')).toBe(pool.size)
    expect(busy.sum('svc_pool_connections_max')).toBe(pool.size)
    // What the service does beside calls may wait too.
    expect(busy.sum('svc_pool_waiting')).toBeGreaterThanOrEqual(1)
    await eventually(async () => {
      const free = await read()
      expect([free.sum('svc_pool_waiting'), free.sum('svc_pool_connections_in_use')]).toEqual([0, 0])
      const waits = free.sum('svc_pool_wait_seconds_count') - busy.sum('svc_pool_wait_seconds_count')
      expect(waits).toBeGreaterThanOrEqual(1)
    })
  })

  it('count retried transactions', async () => {
    let tries = 0
    const work = () =>
      service.database.transaction(async (sql) => {
        tries++
        if (tries < 3) await sql.query(`DO $$ BEGIN RAISE EXCEPTION USING errcode = '40001'; END $$`)
      })
    expect(await growthOf('svc_transaction_retries_total', { reason: 'conflict' }, work)).toBe(2)
  })

  it('count revocation attempts, revoked keys and ended sessions', async () => {
    const key = await insertApiKey(service.database, { organizationId: fixture.acme })
    const create = () =>
      service.rest('POST', '/v2/auth/token', {
        form: { grant_type: 'client_credentials', client_id: key.id, client_secret: key.secret },
      })
    expect(await growthOf('svc_sessions_created_total', {}, create)).toBe(1)
    const revoke = (secret: string) => () => service.rest('POST', '/v2/auth/revoke', { form: { secret } })
    expect(await growthOf('svc_revocations_total', {}, revoke(key.secret))).toBe(1)
    expect(await growthOf('svc_revocations_total', {}, revoke(key.secret))).toBe(0)
    expect(await growthOf('svc_revoke_attempts_total', { decision: 'allowed' }, revoke('none'))).toBe(1)
    for (let tries = 0; tries < 5; tries++) await revoke('none')()
    expect(await growthOf('svc_revoke_attempts_total', { decision: 'refused' }, revoke('none'))).toBe(1)
  })

  it('count skipped fields of writes', async () => {
    const key = await insertApiKey(service.database, { organizationId: fixture.acme })
    const admin = await insertUserToken(service.database, { userId: users.admin })
    const path = `/v2/users/${users.viewer}`
    expect((await service.rest('PUT', path, { token: admin, json: { jobTitle: 'A' } })).status).toBe(200)
    const write = () => service.rest('PUT', path, { token: key.token, json: { jobTitle: 'B' } })
    const labels = { field: 'JOB_TITLE', keeper: 'pin' }
    expect(await growthOf('svc_skipped_fields_total', labels, write)).toBe(1)
  })

  it('count the events of the feed, and report those on their way to it, and the calls that wait for them', async () => {
    const { database } = service
    const { token } = await insertApiKey(database, { organizationId: fixture.acme })
    await eventually(async () => expect(await database.models.eventOutbox.count()).toBe(0))
    const waiting = service.rest('GET', '/v2/events?cursor=latest&waitSeconds=20&types=priority.update', { token })
    await eventually(async () => expect((await read()).sum('svc_event_waiters')).toBe(1))
    const rename = () =>
      service.rest('PATCH', `/v2/priorities/${priorities.it}`, { token: manager, json: { name: 'Renamed' } })
    expect(await growthOf('svc_events_sequenced_total', {}, () => Promise.all([rename(), waiting]))).toBe(1)
    await database.transaction(async (transaction) => {
      await transaction.query('SELECT FROM event_heads WHERE organization_id = $1 FOR UPDATE', [fixture.acme])
      await rename()
      await eventually(async () => {
        const metrics = await read()
        expect(metrics.sum('svc_events_waiting')).toBe(1)
        expect(metrics.sum('svc_events_waiting_seconds')).toBeGreaterThan(0)
      })
    })
    await eventually(async () => expect((await read()).sum('svc_events_waiting')).toBe(0))
  })

  it('report the resources of the process, and whether it is ready', async () => {
    const metrics = await read()
    expect(metrics.sum('svc_ready')).toBe(1)
    expect(metrics.sum('process_cpu_seconds_total')).toBeGreaterThan(0)
    expect(metrics.sum('process_resident_memory_bytes')).toBeGreaterThan(1e6)
    expect(metrics.sum('svc_build_info', { version: '1.2.3', commit: 'abc', node: process.version })).toBe(1)
    expect(metrics.sum('svc_event_loop_delay_seconds', { level: 'max' })).toBeGreaterThanOrEqual(0)
  })

  it('do not grow with unknown paths, methods, ids and types, and name none of them', async () => {
    const marks = Array.from({ length: 150 }, () => `x${randomUUID().replaceAll('-', '')}`)
    const flood = async (mark: string) => {
      const requests: (readonly [string, string, Record<string, string>])[] = [
        ['GET', `/v2/${mark}`, {}],
        ['PATCH', `/v2/priorities/${mark}`, { authorization: `Bearer ${mark}` }],
        ['GET', `/v2/journeys/${mark}?${mark}=1`, { authorization: `Bearer ${manager}` }],
        ['POST', `/svc.v2.${mark}/${mark}`, { 'content-type': 'application/grpc+proto' }],
        [
          'POST',
          `/svc.v2.PriorityService/${mark}`,
          { 'content-type': 'application/json', 'connect-protocol-version': '1' },
        ],
        ['PROPFIND', `/v2/priorities/${mark}`, {}],
        ['POST', '/svc.v2.PriorityService/UpdatePriority', { 'content-type': `application/${mark}` }],
      ]
      await Promise.all(requests.map(([verb, path, headers]) => send(verb, path, { ...headers, 'x-request-id': mark })))
    }
    await flood(marks[0] ?? '')
    await eventually(async () => expect((await read()).sum('svc_http_requests_open')).toBe(0))
    const before = (await read()).count
    for (const mark of marks) await flood(mark)
    await eventually(async () => expect((await read()).sum('svc_http_requests_open')).toBe(0))
    const text = await meters.text()
    expect(metricsFromText(text).count).toBe(before)
    expect(before).toBeLessThan(MAX_SERIES)
    expect(marks.filter((mark) => text.includes(mark))).toEqual([])
    expect([fixture.acme, team, priorities.it, users.manager].filter((id) => text.includes(`"${id}"`))).toEqual([])
  })

  /** `fetch` refuses some methods. */
  const send = (verb: string, path: string, headers: Record<string, string>) =>
    new Promise<void>((resolve, reject) => {
      const sent = httpRequest(service.baseUrl + path, { method: verb, headers, agent: false }, (answer) => {
        answer.resume().once('end', resolve)
      })
      sent.once('error', reject).end()
    })
})

describe('the number of series', () => {
  it('stays below its limit whatever is called, queried and answered', async () => {
    const meters = createMeters({ version: '1.2.3', commit: 'abc' })
    const methods = services.flatMap((each) => each.methods)
    const shutdown = createShutdown(undefined)
    const request = new IncomingMessage(new Socket())
    const response = new ServerResponse(request)
    for (const each of methods) {
      for (const protocol of ['rest', ...protocols.map((name) => name.replace(/-(?:json|binary)$/, ''))]) {
        for (let code = 0; code <= Code.Unauthenticated; code++) {
          const call = new Call({ method: each, request, response, shutdown, protocolName: protocol })
          call.errorCode = code === 0 ? undefined : code
          meters.calls.ended(call)
        }
      }
    }
    for (let number = 0; number < 1_000; number++) {
      meters.statements.statement(
        `statement_${number}`,
        performance.now(),
        number % 2 === 0 ? undefined : new Error('no'),
      )
      for (const protocol of protocolNames) meters.requests.ended(protocol, number)
    }
    const metrics = metricsFromText(await meters.text())
    meters.close()
    expect(metrics.count).toBeLessThan(MAX_SERIES)
    expect(metrics.sum('svc_calls_total', { method: 'other' })).toBeGreaterThan(0)
    expect(metrics.sum('svc_calls_total')).toBe(methods.length * 5 * (Code.Unauthenticated + 1))
    expect(metrics.sum('svc_statement_duration_seconds_count')).toBe(1_000)
    expect(metrics.sum('svc_http_requests_total')).toBe(1_000 * protocolNames.length)
  })
})
