import { randomUUID } from 'node:crypto'
import { createClient } from '@connectrpc/connect'
import { createConnectTransport, createGrpcTransport, createGrpcWebTransport } from '@connectrpc/connect-node'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { PriorityService } from '../../gen/svc/v2/priority_pb.js'
import { createTestDatabase, type TestDatabase } from '../support/database.js'
import { eventually } from '../support/eventually.js'
import { fixture, insertApiKey, insertFixture, insertUserToken } from '../support/fixture.js'
import { endLockWaits, lockOf, whileLocked } from '../support/lock-wait.js'
import { startStaticIssuer } from '../support/oidc-issuer.js'
import { type RunningServe, startServe } from '../support/program.js'
import { type CollectedSpan, type SpanCollector, startSpanCollector } from '../support/span-collector.js'
import { eventWrites } from '../support/statement-count.js'

const { priorities, users } = fixture

describe('traces', () => {
  let testDatabase: TestDatabase
  let collector: SpanCollector
  let serve: RunningServe
  let token: string
  const audience = 'https://svc.example.com'

  beforeAll(async () => {
    testDatabase = await createTestDatabase()
    const database = testDatabase.open()
    await insertFixture(database)
    token = await insertUserToken(database, { userId: users.manager })
    collector = await startSpanCollector()
    serve = await start()
  })
  afterAll(async () => {
    await serve.stop()
    await collector.stop()
    await testDatabase.drop()
  })

  const start = (variables: Readonly<Record<string, string>> = {}) =>
    startServe(['--no-demo'], {
      ...testDatabase.environment,
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_BSP_SCHEDULE_DELAY: '20',
      OTEL_SERVICE_NAME: 'admin-api',
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
      ...variables,
    })
  /** The spans of a trace, the one of the call and those below it, when the one of the call has come. */
  const traceOf = async (traceId: string) => {
    let spans: readonly CollectedSpan[] = []
    await eventually(() => {
      spans = collector.spans.filter((span) => span.traceId === traceId)
      expect(spans.map(({ kind }) => kind)).toContain('server')
    })
    const call = spans.find(({ kind }) => kind === 'server')
    if (call === undefined) throw new Error('the call has no span')
    return { call, below: spans.filter(({ parentSpanId }) => parentSpanId === call.spanId) }
  }
  const newTrace = (sampled: '00' | '01' = '01') => {
    const traceId = randomUUID().replaceAll('-', '')
    const spanId = traceId.slice(0, 16)
    return { traceId, spanId, traceparent: `00-${traceId}-${spanId}-${sampled}` }
  }
  const update = (headers: Readonly<Record<string, string>>, id: string = priorities.it, origin = serve.origin) =>
    fetch(`${origin}/v2/priorities/${id}`, {
      method: 'PATCH',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ name: 'New' }),
    })

  it("of a REST call continue the caller's trace, and name the route and every statement", async () => {
    const { traceId, spanId, traceparent } = newTrace()
    const answer = await update({ traceparent })
    const { call, below } = await traceOf(traceId)
    expect(call).toMatchObject({ name: 'PATCH /v2/priorities/{id}', parentSpanId: spanId, hasFailed: false })
    expect(call.attributes).toMatchObject({
      'http.request.method': 'PATCH',
      'http.route': '/v2/priorities/{id}',
      'http.response.status_code': 200,
      'network.protocol.version': '1.1',
      'svc.request.id': answer.headers.get('x-request-id'),
    })
    expect(call.attributes).not.toHaveProperty('rpc.system.name')
    expect(call.resource).toMatchObject({ 'service.name': 'admin-api', 'deployment.environment.name': 'test' })
    expect(below.map(({ name, kind }) => `${kind} ${name}`)).toEqual([
      'client signingKey.findMany',
      'client select_member_of_token',
      'client update_priority',
    ])
    expect(below[2]?.attributes).toEqual({ 'db.system.name': 'postgresql', 'db.query.summary': 'update_priority' })
  })

  it('include the statements of transactions and of models', async () => {
    const key = await insertApiKey(testDatabase.open(), { organizationId: fixture.acme })
    const listed = newTrace()
    const headers = { traceparent: listed.traceparent, authorization: `Bearer ${key.token}` }
    expect((await fetch(`${serve.origin}/v2/app-instances`, { headers })).status).toBe(400)
    const names = (await traceOf(listed.traceId)).below.map(({ name }) => name)
    expect(names).toEqual(['select_key_of_token', 'team.findMany'])
    const revoked = newTrace()
    await fetch(`${serve.origin}/v2/auth/revoke`, {
      method: 'POST',
      headers: { traceparent: revoked.traceparent },
      body: new URLSearchParams({ secret: 'none' }),
    })
    expect((await traceOf(revoked.traceId)).below.map(({ name, kind }) => `${kind} ${name}`)).toEqual([
      'client admit_address',
      'client apiKey.findFirst',
      'client lock_api_keys_for_no_key_update',
      'client apiKey.updateManyAndReturn',
      'client apiKeySession.deleteMany',
      ...eventWrites.map((name) => `client ${name}`),
      'client eventOutbox.deleteMany',
      'internal transaction',
    ])
  })

  it('include the statements of a call with a key, in the transaction that stores its response', async () => {
    const { traceId, traceparent } = newTrace()
    expect((await update({ traceparent, 'idempotency-key': traceId })).status).toBe(200)
    const names = (await traceOf(traceId)).below.map(({ name }) => name)
    expect(names).toEqual(expect.arrayContaining(['select_member_of_token', 'update_priority', 'transaction']))
    expect(names.length).toBeGreaterThan(4)
  })

  it('show which statement failed, and the call that failed with it', async () => {
    const { traceId, traceparent } = newTrace()
    await whileLocked(testDatabase, lockOf('priorities'), async () => {
      const answer = update({ traceparent })
      await eventually(async () => expect(await endLockWaits(testDatabase)).toBe(1))
      expect((await answer).status).toBe(503)
    })
    const { call, below } = await traceOf(traceId)
    expect(call).toMatchObject({ hasFailed: true, attributes: { 'error.type': '503' } })
    expect(below.map(({ name, hasFailed, attributes }) => [name, hasFailed, attributes['error.type']])).toEqual([
      ['select_member_of_token', false, undefined],
      ['update_priority', true, 'unavailable'],
    ])
  })

  it('of concurrent calls each include the statements that looked up their tokens', async () => {
    const traces = Array.from({ length: 20 }, () => newTrace())
    await Promise.all(traces.map(({ traceparent }) => update({ traceparent }).then((answer) => answer.text())))
    for (const { traceId } of traces) {
      const { below } = await traceOf(traceId)
      const names = below.map(({ name }) => name).toSorted()
      expect(names).toEqual(['select_member_of_token', 'update_priority'])
    }
  })

  it.each([
    ['connect', createConnectTransport, '1.1', { 'rpc.system.name': 'connectrpc' }, 'unauthenticated'],
    ['gRPC-Web', createGrpcWebTransport, '1.1', { 'rpc.system.name': 'grpc' }, 'UNAUTHENTICATED'],
    ['gRPC', createGrpcTransport, '2', { 'rpc.system.name': 'grpc' }, 'UNAUTHENTICATED'],
  ] as const)(
    'of a call over %s name its RPC system, method and code',
    async (_, transport, httpVersion, system, code) => {
      const client = createClient(PriorityService, transport({ baseUrl: serve.origin, httpVersion }))
      const method = 'svc.v2.PriorityService/UpdatePriority'
      const [good, bad] = [newTrace(), newTrace()]
      const headers = (traceparent: string) => ({ headers: { traceparent, authorization: `Bearer ${token}` } })
      await client.updatePriority({ id: priorities.it, name: 'New' }, headers(good.traceparent))
      await client.updatePriority({}, { headers: { traceparent: bad.traceparent } }).catch(() => undefined)
      const [answered, refused] = [(await traceOf(good.traceId)).call, (await traceOf(bad.traceId)).call]
      expect(answered).toMatchObject({
        name: method,
        hasFailed: false,
        attributes: { ...system, 'rpc.method': method },
      })
      expect(answered.attributes['rpc.response.status_code']).toBe(
        system['rpc.system.name'] === 'grpc' ? 'OK' : undefined,
      )
      expect(answered.attributes['network.protocol.version']).toBe(httpVersion)
      expect(refused).toMatchObject({
        name: method,
        hasFailed: false,
        attributes: { 'rpc.response.status_code': code },
      })
    },
  )

  it('start fresh if the caller sends none or a malformed one, and respect its sampling decision', async () => {
    const seen = new Set(collector.spans.map(({ traceId }) => traceId))
    const unsampled = newTrace('00')
    await update({ traceparent: unsampled.traceparent })
    const answers = [await update({}), await update({ traceparent: '00-nonsense-01' })]
    for (const answer of answers) {
      const requestId = answer.headers.get('x-request-id')
      await eventually(() => {
        const [span] = collector.spans.filter(({ attributes }) => attributes['svc.request.id'] === requestId)
        expect(span?.parentSpanId ?? '').toBe('')
        expect(seen.has(span?.traceId ?? '')).toBe(false)
        expect(span?.traceId).toMatch(/^[0-9a-f]{32}$/)
      })
    }
    expect(collector.spans.filter(({ traceId }) => traceId === unsampled.traceId)).toEqual([])
  })

  it('are sent in protobuf if asked for, with the headers that the collector wants', async () => {
    const other = await start({
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/protobuf',
      OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Basic c3ZjOnN2Yw==,x-scope=a%20b',
    })
    const { traceId, traceparent } = newTrace()
    await update({ traceparent }, priorities.it, other.origin)
    await eventually(() => {
      const ofTrace = collector.encoded.filter(({ body }) => body.includes(Buffer.from(traceId, 'hex')))
      const ofCall = ofTrace.find(({ body }) => body.includes('PATCH /v2/priorities/{id}'))
      expect(ofCall?.headers).toMatchObject({ authorization: 'Basic c3ZjOnN2Yw==', 'x-scope': 'a b' })
    })
    await other.stop()
  })

  it('are propagated to the issuer when keys are fetched for a call', async () => {
    const issuer = await startStaticIssuer('{"keys":[]}')
    const trusting = await start({ OIDC_ISSUER: issuer.url, OIDC_AUDIENCE: audience })
    const { traceId, traceparent } = newTrace()
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
    const jwt = `${part({ alg: 'RS256', kid: 'one' })}.${part({ iss: issuer.url, exp: 4e9 })}.c2ln`
    const answer = await update({ traceparent, authorization: `Bearer ${jwt}` }, priorities.it, trusting.origin)
    expect(answer.status).toBe(401)
    const { call } = await traceOf(traceId)
    expect(issuer.traceparents).toEqual(Array(2).fill(`00-${traceId}-${call.spanId}-01`))
    await trusting.stop()
    await issuer.stop()
  })

  it('do not change responses, even of handlers that require no credential', async () => {
    const key = await insertApiKey(testDatabase.open(), { organizationId: fixture.acme })
    const answer = await fetch(`${serve.origin}/v2/auth/token`, {
      method: 'POST',
      body: new URLSearchParams({ grant_type: 'client_credentials', client_id: key.id, client_secret: key.secret }),
    })
    expect([answer.status, await answer.json()]).toEqual([200, expect.objectContaining({ token_type: 'Bearer' })])
    expect((await fetch(`${serve.origin}/readyz`)).status).toBe(200)
  })
})
