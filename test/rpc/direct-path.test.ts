import { once } from 'node:events'
import { createServer as createHttp1, type Server } from 'node:http'
import { createServer as createHttp2, type Http2Server } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import { type DescMethod, fromJson, toBinary } from '@bufbuild/protobuf'
import { MethodOptions_IdempotencyLevel } from '@bufbuild/protobuf/wkt'
import type { ContextValues } from '@connectrpc/connect'
import { encodeEnvelope } from '@connectrpc/connect/protocol'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { systemTiming } from '../../src/db/transaction.js'
import { createAuthenticator } from '../../src/domain/authentication.js'
import { createKeyUses } from '../../src/domain/key-use.js'
import { createPageTokens } from '../../src/domain/page-token.js'
import { createSecretHasher } from '../../src/domain/secret-hash.js'
import { createRoutes, services } from '../../src/handlers/routes.js'
import { methodAccessOf } from '../../src/interceptors/access-rule.js'
import { createAdmission } from '../../src/interceptors/admission.js'
import { createErrorMasking, maskError } from '../../src/interceptors/mask-errors.js'
import type { HttpRequest } from '../../src/rpc/http-message.js'
import { createRpcHandler, type RpcHandler, type RpcHandlerOptions } from '../../src/rpc/rpc-handler.js'
import { createTestDatabase, type TestDatabase } from '../support/database.js'
import { fixture, insertApiKey, insertFixture, insertUserToken } from '../support/fixture.js'
import { createTestRuntime } from '../support/runtime.js'
import { type CallerName, methodRequests } from './method-requests.js'
import { callHttp1, callHttp2, type RawAnswer, type RawRequest } from './raw-call.js'
import { type Outcomes, replayedRoutes } from './replayed-routes.js'

/** A server of both HTTP versions in front of one handler. */
interface Ports {
  readonly http1: number
  readonly http2: number
  close(): void
}

const paths = ['direct', 'stock'] as const
const maxBodyBytes = 8192

let testDatabase: TestDatabase
let ports: Record<(typeof paths)[number], Ports>
const tokens = new Map<CallerName, string>()

beforeAll(async () => {
  testDatabase = await createTestDatabase()
  const database = testDatabase.open()
  await insertFixture(database)
  tokens.set('key', (await insertApiKey(database, { organizationId: fixture.acme })).token)
  tokens.set('admin', await insertUserToken(database, { userId: fixture.users.admin }))
  tokens.set('member', await insertUserToken(database, { userId: fixture.users.requester }))
  const log = { warn: () => undefined, error: () => undefined }
  const hasher = createSecretHasher(undefined)
  const keyUses = createKeyUses({ database, log })
  const admission = createAdmission({
    access: methodAccessOf(services),
    authenticate: createAuthenticator({ database, hasher, keyUses }),
  })
  const admit = async (method: DescMethod, { headers: { authorization } }: HttpRequest): Promise<ContextValues> => {
    try {
      return await admission(method, { requestId: 'r1', clientAddress: '127.0.0.1', authorization })
    } catch (error) {
      throw maskError(error, log, { requestId: 'r1', method: method.name })
    }
  }
  const runtime = createTestRuntime()
  const pageTokens = createPageTokens(database)
  const countRevokeCall = () => Promise.resolve()
  const handlers = { database, runtime, hasher, keyUses, timing: systemTiming, countRevokeCall, pageTokens }
  const outcomes: Outcomes = new Map()
  const routes = replayedRoutes(createRoutes(handlers), outcomes)
  const options = { routes, interceptors: [createErrorMasking(log)], admit }
  ports = { direct: await serve({ ...options, direct: true }), stock: await serve({ ...options, direct: false }) }
})
afterAll(async () => {
  for (const path of paths) ports[path].close()
  await testDatabase.drop()
})

type ServedOptions = Pick<RpcHandlerOptions, 'routes' | 'interceptors' | 'admit' | 'direct'>

async function serve(options: ServedOptions): Promise<Ports> {
  const shutdownSignal = new AbortController().signal
  const onError = (error: unknown) => expect.fail(String(error))
  const rpc = createRpcHandler({ ...options, maxBodyBytes, maxTimeoutMs: 60_000, shutdownSignal, onError })
  const handle = (...[request, response]: Parameters<RpcHandler>) => void rpc(request, response)
  const [http1, http2] = [createHttp1(handle), createHttp2(handle)]
  const listening = async (server: Server | Http2Server) => {
    await once(server.listen(0, '127.0.0.1'), 'listening')
    return (server.address() as AddressInfo).port
  }
  return {
    http1: await listening(http1),
    http2: await listening(http2),
    close: () => {
      http1.close()
      http2.close()
    },
  }
}

const call = { 'HTTP/1.1': callHttp1, 'HTTP/2': callHttp2 }
type Version = keyof typeof call

/** Sends a request over both paths, holds the answers equal to the byte, and answers it. */
async function sameAnswer(request: RawRequest, version: Version = 'HTTP/1.1'): Promise<RawAnswer> {
  const port = (path: (typeof paths)[number]) => ports[path][version === 'HTTP/1.1' ? 'http1' : 'http2']
  const stock = await call[version](port('stock'), request)
  const direct = await call[version](port('direct'), request)
  expect(direct.body.toString('latin1')).toBe(stock.body.toString('latin1'))
  expect(direct).toEqual(stock)
  return direct
}

function authorization(caller: CallerName): Record<string, string> {
  const token = tokens.get(caller)
  return token === undefined ? {} : { authorization: `Bearer ${token}` }
}

const rows = Object.entries(methodRequests).flatMap(([procedure, requests]) =>
  requests.map(([caller, status, json]) => ({ procedure, caller, status, json, name: JSON.stringify(json) })),
)

function methodOf(procedure: string): DescMethod {
  const [service, name] = procedure.split('/')
  const method = services.find((each) => each.name === service)?.methods.find((each) => each.name === name)
  if (method === undefined) throw new Error(`there is no ${procedure}`)
  return method
}

it('has calls of every method', () => {
  const all = services.flatMap((service) => service.methods.map((method) => `${service.name}/${method.name}`))
  expect(Object.keys(methodRequests).toSorted()).toEqual(all.toSorted())
})

describe.each(rows)('$procedure as $caller with $name', ({ procedure, caller, status, json }) => {
  const path = `/svc.v2.${procedure}`
  const method = methodOf(procedure)
  const binary = (): Uint8Array => {
    const message = fromJson(method.input, JSON.parse(JSON.stringify(json)))
    return toBinary(method.input, message)
  }
  const text = Buffer.from(JSON.stringify(json))

  it.each<Version>(['HTTP/1.1', 'HTTP/2'])(
    `answers ${status} alike over both paths in JSON, on %s`,
    async (version) => {
      const headers = { ...authorization(caller), 'content-type': 'application/json', 'x-say': 'hello' }
      const answer = await sameAnswer({ path, headers, body: text }, version)
      expect(answer.status).toBe(status)
      if (status !== 401 && status !== 403) {
        expect([answer.headers['x-echo'], answer.headers['trailer-x-trailer']]).toEqual(['hello', 'POST connect'])
      }
    },
  )

  it('answers alike in binary', async () => {
    const headers = { ...authorization(caller), 'content-type': 'application/proto' }
    expect((await sameAnswer({ path, headers, body: binary() })).status).toBe(status)
  })

  it('answers alike in JSON and gzip both ways', async () => {
    const headers = { 'content-type': 'application/json; charset=utf-8', 'content-encoding': 'gzip' }
    const request = { path, headers: { ...authorization(caller), ...headers }, body: gzipSync(text) }
    expect((await sameAnswer(request)).status).toBe(status)
  })

  it('answers alike over gRPC', async () => {
    const headers = { ...authorization(caller), 'content-type': 'application/grpc', te: 'trailers' }
    const body = encodeEnvelope(0, binary())
    const answer = await sameAnswer({ path, headers, body }, 'HTTP/2')
    const grpcStatus = answer.trailers['grpc-status'] ?? answer.headers['grpc-status']
    expect(grpcStatus === '0').toBe(status === 200)
    await sameAnswer({ path, headers: { ...headers, 'grpc-accept-encoding': 'identity,gzip' }, body }, 'HTTP/2')
  })

  if (method.idempotency === MethodOptions_IdempotencyLevel.NO_SIDE_EFFECTS) {
    it('answers alike to GET', async () => {
      const query = (message: Uint8Array, encoding: string) =>
        `${path}?connect=v1&base64=1&encoding=${encoding}&message=${Buffer.from(message).toString('base64url')}`
      const headers = authorization(caller)
      expect((await sameAnswer({ method: 'GET', path: query(text, 'json'), headers })).status).toBe(status)
      expect((await sameAnswer({ method: 'GET', path: query(binary(), 'proto'), headers })).status).toBe(status)
    })
  }
})

describe('both paths', () => {
  const path = '/svc.v2.PriorityService/UpdatePriority'
  const json = { 'content-type': 'application/json' }
  const [, , update] = methodRequests['PriorityService/UpdatePriority']?.[0] ?? []
  const body = Buffer.from(JSON.stringify(update))
  const send = (headers: Record<string, string>, sent: Uint8Array = body) =>
    sameAnswer({ path, headers: { ...authorization('admin'), ...json, ...headers }, body: sent })

  it.each(['gzip', 'br', 'deflate, gzip', 'identity', 'br;q=1.0, gzip', '*', ''])(
    'compress an answer alike for Accept-Encoding: %s',
    async (coding) => {
      expect((await send({ 'accept-encoding': coding })).status).toBe(200)
    },
  )

  it('refuse an unknown coding, data that is not of its coding, and a body that is too large once it is whole', async () => {
    expect((await send({ 'content-encoding': 'zstd' })).status).toBe(501)
    expect((await send({ 'content-encoding': 'gzip' }, Buffer.from('no gzip'))).status).toBe(400)
    expect((await send({ 'content-encoding': 'gzip' }, gzipSync(Buffer.alloc(maxBodyBytes + 1)))).status).toBe(429)
  })

  it('refuse a body by its declared length', async () => {
    expect((await send({}, Buffer.alloc(maxBodyBytes + 1))).status).toBe(429)
  })

  it.each(['1000', '0100', 'soon', '99999999', '-1', ''])('take Connect-Timeout-Ms: %s alike', async (timeout) => {
    await send({ 'connect-timeout-ms': timeout })
  })

  it.each(['5S', '1000m', 'soon', '99H'])('take Grpc-Timeout: %s alike', async (timeout) => {
    const headers = { ...authorization('nobody'), 'content-type': 'application/grpc+proto', 'grpc-timeout': timeout }
    const request = { path: '/svc.v2.AuthService/RevokeLeakedKey', headers, body: encodeEnvelope(0, new Uint8Array()) }
    await sameAnswer(request, 'HTTP/2')
  })

  it('refuse binary data that is no message', async () => {
    const answer = await send({ 'content-type': 'application/proto' }, Buffer.from([0xff, 0xff]))
    expect(answer.status).toBe(500)
  })

  it.each([
    ['no message', new Uint8Array()],
    ['an incomplete prefix', Buffer.from([0, 0, 0])],
    ['an incomplete message', Buffer.from([0, 0, 0, 0, 9, 1])],
    ['two messages', Buffer.concat([encodeEnvelope(0, new Uint8Array()), encodeEnvelope(0, new Uint8Array())])],
    ['a compressed message without a coding', encodeEnvelope(1, gzipSync(body))],
    ['a message beyond the limit', encodeEnvelope(0, Buffer.alloc(maxBodyBytes + 1))],
    ['no protobuf', encodeEnvelope(0, Buffer.from([0xff, 0xff]))],
  ])('refuse a gRPC request with %s', async (_, sent) => {
    const headers = { ...authorization('admin'), 'content-type': 'application/grpc' }
    const answer = await sameAnswer({ path, headers, body: sent }, 'HTTP/2')
    expect(answer.trailers['grpc-status']).not.toBe('0')
  })

  it('take a compressed gRPC message', async () => {
    const method = methodOf('PriorityService/UpdatePriority')
    const message = toBinary(method.input, fromJson(method.input, JSON.parse(JSON.stringify(update))))
    const headers = { ...authorization('admin'), 'content-type': 'application/grpc', 'grpc-encoding': 'gzip' }
    const answer = await sameAnswer({ path, headers, body: encodeEnvelope(1, gzipSync(message)) }, 'HTTP/2')
    expect([answer.headers['grpc-encoding'], answer.trailers['grpc-status']]).toEqual(['gzip', '0'])
  })
})
