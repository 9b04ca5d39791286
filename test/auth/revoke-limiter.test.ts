import { create } from '@bufbuild/protobuf'
import { Code, ConnectError } from '@connectrpc/connect'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import fc from 'fast-check'
import { AuthService } from '../../gen/svc/v2/auth_pb.js'
import { admitRevocation } from '../../src/domain/auth/revoke-limiter.js'
import { sweepOrganizations } from '../../src/domain/sweeper.js'
import { parseTrustProxy } from '../../src/http/client-address.js'
import { deleteOldAttempts } from '../../src/store/revoke-attempt.js'
import { callHttp1, callHttp2 } from '../rpc/raw-call.js'
import { bytesOf, readAnswer, requestOf, type WireForm } from '../rpc/wire-form.js'
import { fixture, insertApiKey, insertFixture } from '../support/fixture.js'
import { createTestRuntime } from '../support/runtime.js'
import { protocols, startTestService, type TestService } from '../support/service.js'
import { type ServiceProcess, startServiceProcess } from '../support/service-process.js'

describe('the limit on revocations', () => {
  let service: TestService
  let other: ServiceProcess
  let addresses = 0

  beforeAll(async () => {
    service = await startTestService({ config: { trustProxy: parseTrustProxy('1') } })
    await insertFixture(service.database)
    other = await startServiceProcess(service.testDatabase.connectionString, { TRUST_PROXY: '1' })
  })

  afterAll(async () => {
    await other.stop()
    await service.stop()
  })

  const admit = (clientAddress: string) => admitRevocation(service.database, clientAddress)
  const newAddress = () => {
    addresses++
    return `10.1.${addresses >> 8}.${addresses & 255}`
  }
  const headersOf = (address: string) => ({ 'x-forwarded-for': address })
  const revoke = (address: string, form: Record<string, string> | string = { secret: 'x' }) =>
    service.rest('POST', '/v2/auth/revoke', { form, headers: headersOf(address) })
  /** Makes time pass for an address: what is stored gets older. */
  const pass = (address: string, seconds: number) =>
    service.database.execute(
      `UPDATE revoke_attempts
          SET accepted_at = ARRAY(SELECT t - make_interval(secs => $2) FROM unnest(accepted_at) AS t ORDER BY t)
        WHERE client_address = $1`,
      [address, seconds],
    )
  /** The whole seconds of a minute that are left, which began when the first request came. */
  const expectRestOfMinute = (retryAfter: string | null, startedAt: number) => {
    expect(retryAfter).toMatch(/^\d\d$/)
    expect(Number(retryAfter)).toBeGreaterThanOrEqual(Math.floor(60 - (performance.now() - startedAt) / 1_000))
    expect(Number(retryAfter)).toBeLessThanOrEqual(60)
  }
  const use = async (address: string, times: number) => {
    for (let time = 0; time < times; time++) expect(await admit(address)).toBe(0)
  }

  it('admits five requests per address, and then returns 429 with the promised body', async () => {
    const address = newAddress()
    const startedAt = performance.now()
    for (let time = 0; time < 5; time++) expect((await revoke(address)).status).toBe(200)
    const answer = await revoke(address)
    expect(answer.status).toBe(429)
    expect(answer.json).toEqual({ error: 'slow_down', error_description: expect.stringContaining('try again in') })
    expectRestOfMinute(answer.headers.get('retry-after'), startedAt)
    expect(answer.headers.get('content-type')).toBe('application/json')
  })

  it('does not revoke for a refused request', async () => {
    const key = await insertApiKey(service.database, { organizationId: fixture.acme })
    const address = newAddress()
    await use(address, 5)
    expect((await revoke(address, { secret: key.secret })).status).toBe(429)
    const rows = await service.database.query('SELECT revoked_at FROM api_keys WHERE id = $1', [key.id])
    expect(rows).toEqual([{ revoked_at: null }])
    expect((await revoke(newAddress(), { secret: key.secret })).status).toBe(200)
  })

  it('counts each address separately, IPv6 by /64', async () => {
    await use(newAddress(), 5)
    expect((await revoke(newAddress())).status).toBe(200)
    const statuses = []
    for (let host = 1; host <= 6; host++) statuses.push((await revoke(`2001:db8:1:2::${host}`)).status)
    expect(statuses).toEqual([200, 200, 200, 200, 200, 429])
    expect((await revoke('2001:db8:1:3::1')).status).toBe(200)
  })

  it('is not reset by a forged X-Forwarded-For', async () => {
    const address = newAddress()
    const statuses = []
    for (let time = 0; time < 6; time++) statuses.push((await revoke(`192.0.2.${time}, ${address}`)).status)
    expect(statuses).toEqual([200, 200, 200, 200, 200, 429])
    const direct = await startTestService({ testDatabase: service.testDatabase })
    try {
      const answers = []
      for (let time = 0; time < 6; time++) {
        const call = { form: { secret: 'x' }, headers: headersOf(newAddress()) }
        answers.push((await direct.rest('POST', '/v2/auth/revoke', call)).status)
      }
      expect(answers).toEqual([200, 200, 200, 200, 200, 429])
    } finally {
      await direct.stop()
    }
  })

  it.each([
    ['no secret', ''],
    ['an empty secret', 'secret='],
    ['two secrets', 'secret=a&secret=b'],
    ['only another field', 'token=x'],
  ])('counts requests that get 400: %s', async (_, form) => {
    const address = newAddress()
    const statuses = []
    for (let time = 0; time < 6; time++) statuses.push((await revoke(address, form)).status)
    expect(statuses).toEqual([400, 400, 400, 400, 400, 429])
  })

  it.each([
    ['a body that is not gzip', { 'content-encoding': 'gzip' }],
    ['a malformed deadline', { 'connect-timeout-ms': 'soon' }],
  ])('counts requests that cannot be decoded: %s', async (_, malformed) => {
    const headers = { ...headersOf(newAddress()), ...malformed }
    const statuses = []
    for (let time = 0; time < 6; time++) {
      statuses.push((await service.rest('POST', '/v2/auth/revoke', { form: 'secret=x', headers })).status)
    }
    expect(statuses).toEqual([400, 400, 400, 400, 400, 429])
  })

  it('counts a query string, which gets 400', async () => {
    const headers = headersOf(newAddress())
    const call = () => service.rest('POST', '/v2/auth/revoke?x=1', { form: { secret: 'x' }, headers })
    for (let time = 0; time < 5; time++) expect((await call()).status).toBe(400)
    expect((await call()).status).toBe(429)
  })

  it('does not count 405, 415 and 413, which refused callers get too', async () => {
    const address = newAddress()
    const headers = headersOf(address)
    const others = async () => [
      (await service.rest('PUT', '/v2/auth/revoke', { form: { secret: 'x' }, headers })).status,
      (await service.rest('POST', '/v2/auth/revoke', { json: { secret: 'x' }, headers })).status,
      (await revoke(address, { secret: 'x'.repeat(5_000) })).status,
    ]
    for (let time = 0; time < 3; time++) expect(await others()).toEqual([405, 415, 413])
    await use(address, 5)
    expect(await others()).toEqual([405, 415, 413])
  })

  it.each(protocols)('is shared between %s and REST', async (protocol) => {
    const address = newAddress()
    const client = service.client(AuthService, undefined, protocol)
    const call = () => client.revokeLeakedKey({ secret: 'x' }, { headers: headersOf(address) })
    const startedAt = performance.now()
    for (let time = 0; time < 3; time++) await call()
    for (let time = 0; time < 2; time++) expect((await revoke(address)).status).toBe(200)
    const refusal = await call().catch((error: unknown) => ConnectError.from(error))
    expect(refusal).toMatchObject({ code: Code.ResourceExhausted })
    expectRestOfMinute(refusal instanceof ConnectError ? refusal.metadata.get('retry-after') : null, startedAt)
    expect((await revoke(address)).status).toBe(429)
  })

  describe.each<WireForm>([
    { protocol: 'connect', form: 'json', coding: 'identity', unary: true },
    { protocol: 'connect', form: 'proto', coding: 'gzip', unary: true },
    { protocol: 'grpc', form: 'proto', coding: 'identity', unary: true },
    { protocol: 'grpc', form: 'json', coding: 'gzip', unary: true },
    { protocol: 'grpc-web', form: 'proto', coding: 'br', unary: true },
  ])('over $protocol in $form and $coding', (wire) => {
    const port = () => Number(new URL(service.baseUrl).port)
    const secret = (text: string) => {
      const { input } = AuthService.method.revokeLeakedKey
      return bytesOf(input, create(input, { secret: text }), wire.form)
    }
    /** Sends the data of a message; gives the code of the answer. */
    const send = async (address: string, ...data: Uint8Array[]) => {
      const request = requestOf(wire, '/svc.v2.AuthService/RevokeLeakedKey', data)
      const sent = { ...request, headers: { ...request.headers, ...headersOf(address) } }
      const answer = wire.protocol === 'grpc' ? await callHttp2(port(), sent) : await callHttp1(port(), sent)
      return readAnswer(wire, AuthService.method.revokeLeakedKey.output, answer).code
    }

    it('counts malformed requests', async () => {
      const address = newAddress()
      const codes = []
      for (let time = 0; time < 6; time++) codes.push(await send(address, Buffer.from([0xff, 0xff])))
      expect(codes).toEqual([...Array(5).fill(Code.InvalidArgument), Code.ResourceExhausted])
    })

    it('refuses more than 4 KiB, even after decompression, without counting it', async () => {
      const address = newAddress()
      for (let time = 0; time < 6; time++) {
        expect(await send(address, secret('x'.repeat(4_096)))).toBe(Code.ResourceExhausted)
      }
      expect(await send(address, secret('x'.repeat(4_000)))).toBe(0)
    })
  })

  it('admits exactly five of 64 parallel requests in two processes', async () => {
    for (let round = 0; round < 5; round++) {
      const address = newAddress()
      const statuses = await Promise.all(
        Array.from({ length: 64 }, async (_, index) => {
          const url = `${index % 2 ? service.baseUrl : other.baseUrl}/v2/auth/revoke`
          const body = new URLSearchParams({ secret: 'x' })
          return (await fetch(url, { method: 'POST', body, headers: headersOf(address) })).status
        }),
      )
      expect(statuses.filter((status) => status === 200)).toHaveLength(5)
      expect(statuses.filter((status) => status !== 200)).toEqual(Array.from({ length: 59 }, () => 429))
    }
  })

  it('never admits more than five in any 60 seconds, and never fewer than it could', async () => {
    const step = fc.record({ wait: fc.constantFrom(0, 10, 20, 30), tries: fc.integer({ min: 1, max: 7 }) })
    const steps = fc.array(step, { minLength: 1, maxLength: 12 })
    await fc.assert(
      fc.asyncProperty(steps, async (plan) => {
        const address = newAddress()
        // The seconds that the test makes pass. The machine's own come on top, so that 60 are always over.
        let clock = 0
        let recent: number[] = []
        for (const { wait, tries } of plan) {
          clock += wait
          await pass(address, wait)
          recent = recent.filter((at) => at > clock - 60)
          for (let time = 0; time < tries; time++) {
            const waitSeconds = await admit(address)
            expect(waitSeconds === 0).toBe(recent.length < 5)
            if (waitSeconds === 0) recent.push(clock)
            else expect(Math.ceil(waitSeconds / 10) * 10).toBe((recent[0] ?? 0) + 60 - clock)
          }
        }
      }),
      { numRuns: 25 },
    )
  })

  it('writes and locks nothing for a refused request', async () => {
    const key = await insertApiKey(service.database, { organizationId: fixture.acme })
    const address = newAddress()
    await use(address, 5)
    const state = () =>
      service.database.query('SELECT a.ctid, a.xmin, a.xmax, a.* FROM revoke_attempts a WHERE client_address = $1', [
        address,
      ])
    const before = await state()
    expect((await revoke(address, { secret: key.secret })).status).toBe(429)
    for (const protocol of protocols) {
      const call = service.client(AuthService, undefined, protocol).revokeLeakedKey
      await expect(call({ secret: key.secret }, { headers: headersOf(address) })).rejects.toThrow('at most 5')
    }
    expect(await state()).toEqual(before)
  })

  it('does not extend the wait for a refused request', async () => {
    const address = newAddress()
    await use(address, 5)
    await pass(address, 50)
    for (let time = 0; time < 20; time++) expect(await admit(address)).toBeGreaterThan(0)
    expect(await admit(address)).toBe(10)
    await pass(address, 9)
    expect(await admit(address)).toBe(1)
    await pass(address, 1)
    expect(await admit(address)).toBe(0)
  })

  it('forgets exactly the addresses and tokens that no longer affect a decision', async () => {
    const [idle, busy] = [newAddress(), newAddress()]
    await use(idle, 3)
    await use(busy, 5)
    await pass(idle, 61)
    await pass(busy, 59)
    const live = await insertApiKey(service.database, { organizationId: fixture.acme })
    const dead = await insertApiKey(service.database, { organizationId: fixture.acme })
    await service.database.execute(
      `UPDATE api_key_sessions SET expires_at = now() - interval '25 hours' WHERE api_key_id = $1`,
      [dead.id],
    )
    await deleteOldAttempts(service.database, { spanSeconds: 60 })
    await sweepOrganizations(service.database, '', { runtime: createTestRuntime(), retention: { eventRetention: 90 } })
    const kept = await service.database.query(
      'SELECT client_address FROM revoke_attempts WHERE client_address = ANY($1)',
      [[idle, busy]],
    )
    expect(kept).toEqual([{ client_address: busy }])
    const sessions = await service.database.query(
      'SELECT api_key_id FROM api_key_sessions WHERE api_key_id = ANY($1)',
      [[live.id, dead.id]],
    )
    expect(sessions).toEqual([{ api_key_id: live.id }])
    expect(await admit(busy)).toBeGreaterThan(0)
  })
})
