import { gzipSync } from 'node:zlib'
import { clone, type DescMethod, fromJson, type Message, toBinary } from '@bufbuild/protobuf'
import { MethodOptions_IdempotencyLevel } from '@bufbuild/protobuf/wkt'
import { type ContextValues, createContextValues, type Interceptor } from '@connectrpc/connect'
import { encodeEnvelope } from '@connectrpc/connect/protocol'
import { trailerFlag } from '@connectrpc/connect/protocol-grpc-web'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { accessRulesOf } from '../../src/admission/access-rule.js'
import { createAdmission } from '../../src/admission/admission.js'
import { createWebhooks } from '../../src/app.js'
import { configFromEnvironment } from '../../src/config.js'
import { createAuthenticator } from '../../src/domain/auth/authentication.js'
import { createBearerTokens } from '../../src/domain/auth/bearer-token.js'
import { createKeyUses } from '../../src/domain/auth/key-use.js'
import { createSecretHasher } from '../../src/domain/auth/secret-hash.js'
import { FeedSignals } from '../../src/domain/event/feed-signals.js'
import { ServiceError } from '../../src/errors.js'
import { maskError } from '../../src/failure/error-mapping.js'
import { requestContextKey } from '../../src/handlers/request-context.js'
import { createLimits, createRoutes, services } from '../../src/handlers/routes.js'
import { createLimitCheck } from '../../src/limits/limit-check.js'
import { encodeGrpcMessage } from '../../src/rpc/grpc-status.js'
import { createRpcHandler } from '../../src/rpc/rpc-handler.js'
import { createMomentSetter } from '../../src/transfer/message-moments.js'
import { createTestDatabase, type TestDatabase } from '../support/database.js'
import { fixture, insertApiKey, insertFixture, insertManagedKeys, insertUserToken } from '../support/fixture.js'
import { createTestRuntime } from '../support/runtime.js'
import { noWait, tablesOn } from '../support/scope.js'
import { type CallerName, methodRequests } from './method-requests.js'
import { type Ports, servePorts } from './ports.js'
import { callHttp1, callHttp2, type RawAnswer, type RawRequest, trailersOnly } from './raw-call.js'
import { type Outcomes, replayedRoutes } from './replayed-routes.js'
import { createStockHandler } from './stock-handler.js'
import { envelopesOf } from './wire-form.js'

const paths = ['direct', 'stock'] as const
const maxBodyBytes = 8192
const limitCheck = createLimitCheck()

let testDatabase: TestDatabase
let ports: Record<(typeof paths)[number], Ports>
const tokens = new Map<CallerName, string>()

beforeAll(async () => {
  testDatabase = await createTestDatabase()
  const database = testDatabase.open()
  await insertFixture(database)
  await insertManagedKeys(database)
  tokens.set('key', (await insertApiKey(database, { organizationId: fixture.acme })).token)
  tokens.set('admin', await insertUserToken(database, { userId: fixture.users.admin }))
  tokens.set('member', await insertUserToken(database, { userId: fixture.users.requester }))
  const log = { warn: () => undefined, error: () => undefined }
  const hasher = createSecretHasher(undefined)
  const runtime = createTestRuntime()
  const keyUses = createKeyUses({ database, runtime, log })
  const bearerTokens = createBearerTokens({ database, runtime })
  const tables = { ...tablesOn(database), reads: database.reads }
  const admission = createAdmission({
    access: accessRulesOf(services),
    authenticate: createAuthenticator({ database, hasher, keyUses, bearerTokens }),
  })
  const admit = async (method: DescMethod, authorization: string | undefined): Promise<ContextValues> => {
    const call = { runtime, requestId: 'r1', clientAddress: () => '127.0.0.1', idempotencyKey: undefined, ...noWait }
    try {
      const caller = await admission(method, { requestId: call.requestId, authorization })
      return createContextValues().set(requestContextKey, { ...call, caller, ...tables })
    } catch (error) {
      throw maskError(error, log, { requestId: 'r1', method: method.name })
    }
  }
  const credentials = { hasher, keyUses, bearerTokens }
  const feedSignals = new FeedSignals()
  const webhooks = createWebhooks(configFromEnvironment({ SVC_SEAL_KEY: 'a key of thirty-two characters !!' }))
  const handlers = { ...credentials, limitCheck, feedSignals, webhooks }
  const outcomes: Outcomes = new Map()
  const routes = replayedRoutes(createRoutes(handlers), outcomes)
  const publicError = (cause: unknown, { method }: { readonly method: DescMethod }) =>
    maskError(cause, log, { requestId: 'r1', method: method.name })
  const masking: Interceptor = (next) => async (request) => {
    try {
      return await next(request)
    } catch (cause) {
      throw publicError(cause, request)
    }
  }
  const limits = createLimits(limitCheck)
  // The stock handlers have no place for admission but the interceptors.
  const admitting: Interceptor = (next) => async (request) => {
    const contextValues = await admit(request.method, request.header.get('authorization') ?? undefined)
    return next({ ...request, contextValues })
  }
  const direct = createRpcHandler({
    routes,
    interceptors: [limits],
    publicError,
    admit: ({ method, request }) => admit(method, request.headers.authorization),
    maxBodyBytes: () => maxBodyBytes,
    maxTimeoutMs: () => 60_000,
    shutdownSignal: new AbortController().signal,
    onError: (error) => {
      throw error
    },
  })
  const stock = createStockHandler({
    routes,
    interceptors: [masking, admitting, limits],
    maxBodyBytes,
    maxTimeoutMs: 60_000,
  })
  ports = { direct: await servePorts(direct), stock: await servePorts(stock) }
})
afterAll(async () => {
  for (const path of paths) ports[path].close()
  await testDatabase.drop()
})

const call = { 'HTTP/1.1': callHttp1, 'HTTP/2': callHttp2 }
type Version = keyof typeof call

/**
 * An answer of the stock handlers with a `grpc-message` in which only that is encoded which must be: they encode it as a
 * component of a URI.
 */
function withShortMessage({ body, headers, trailers, ...answer }: RawAnswer): RawAnswer {
  const shorten = (encoded: string) => encodeGrpcMessage(decodeURIComponent(encoded))
  const ofHeaders = (given: RawAnswer['headers']) => {
    const { 'grpc-message': message } = given
    return typeof message === 'string' ? { ...given, 'grpc-message': shorten(message) } : given
  }
  const isWeb = String(headers['content-type']).startsWith('application/grpc-web')
  const envelopes = (isWeb ? envelopesOf(body) : []).map(({ flags, data }) => {
    const text = data.toString('latin1').replace(/(?<=^grpc-message: ).*(?=\r$)/m, shorten)
    return encodeEnvelope(flags, flags === trailerFlag ? Buffer.from(text, 'latin1') : data)
  })
  return {
    ...answer,
    headers: ofHeaders(headers),
    trailers: ofHeaders(trailers),
    body: isWeb ? Buffer.concat(envelopes) : body,
  }
}

/** Sends a request over both paths, requires answers that are equal to the byte, and returns one. */
async function sameAnswer(request: RawRequest, version: Version = 'HTTP/1.1'): Promise<RawAnswer> {
  const port = (path: (typeof paths)[number]) => ports[path][version === 'HTTP/1.1' ? 'http1' : 'http2']
  const stock = withShortMessage(await call[version](port('stock'), request))
  const direct = await call[version](port('direct'), request)
  const compared = (answer: RawAnswer) => ({ ...trailersOnly(answer), body: answer.body.toString('latin1') })
  expect(compared(direct)).toEqual(compared(stock))
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

const setMoments = createMomentSetter()
function hasTimes({ input }: DescMethod, message: Message): boolean {
  try {
    setMoments(input, clone(input, message))
    return true
  } catch (error) {
    expect(error).toBeInstanceOf(ServiceError)
    return false
  }
}

it('the calls cover every method but streams', () => {
  const all = services.flatMap((service) =>
    service.methods.filter(({ methodKind }) => methodKind === 'unary').map(({ name }) => `${service.name}/${name}`),
  )
  expect(Object.keys(methodRequests).toSorted()).toEqual(all.toSorted())
})

describe.each(rows)('$procedure as $caller with $name', ({ procedure, caller, status, json }) => {
  const path = `/svc.v2.${procedure}`
  const method = methodOf(procedure)
  const message = fromJson(method.input, JSON.parse(JSON.stringify(json)))
  const binary = (): Uint8Array => toBinary(method.input, message)
  const text = Buffer.from(JSON.stringify(json))

  it.each<Version>(['HTTP/1.1', 'HTTP/2'])(`returns ${status} over both paths in JSON, on %s`, async (version) => {
    const headers = { ...authorization(caller), 'content-type': 'application/json', 'x-say': 'hello' }
    const answer = await sameAnswer({ path, headers, body: text }, version)
    expect(answer.status).toBe(status)
    // What breaks a limit, or has no time where one belongs, does not reach the handler.
    if (
      status !== 401 &&
      status !== 403 &&
      limitCheck(method.input, message).length === 0 &&
      hasTimes(method, message)
    ) {
      expect([answer.headers['x-echo'], answer.headers['trailer-x-trailer']]).toEqual(['hello', 'POST connect'])
    }
  })

  it('returns the same in binary', async () => {
    const headers = { ...authorization(caller), 'content-type': 'application/proto' }
    expect((await sameAnswer({ path, headers, body: binary() })).status).toBe(status)
  })

  it('returns the same in JSON with gzip in both directions', async () => {
    const headers = { 'content-type': 'application/json; charset=utf-8', 'content-encoding': 'gzip' }
    const request = { path, headers: { ...authorization(caller), ...headers }, body: gzipSync(text) }
    expect((await sameAnswer(request)).status).toBe(status)
  })

  it('returns the same over gRPC', async () => {
    const headers = { ...authorization(caller), 'content-type': 'application/grpc', te: 'trailers' }
    const body = encodeEnvelope(0, binary())
    const answer = await sameAnswer({ path, headers, body }, 'HTTP/2')
    const grpcStatus = answer.trailers['grpc-status'] ?? answer.headers['grpc-status']
    expect(grpcStatus === '0').toBe(status === 200)
    await sameAnswer({ path, headers: { ...headers, 'grpc-accept-encoding': 'identity,gzip' }, body }, 'HTTP/2')
  })

  it('returns the same over gRPC-Web', async () => {
    const headers = { ...authorization(caller), 'content-type': 'application/grpc-web+proto' }
    const answer = await sameAnswer({ path, headers, body: encodeEnvelope(0, binary()) })
    expect(answer.body.includes('grpc-status: 0')).toBe(status === 200)
  })

  if (method.idempotency === MethodOptions_IdempotencyLevel.NO_SIDE_EFFECTS) {
    it('returns the same to GET', async () => {
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

  it.each(['gzip', 'deflate, gzip', 'identity', 'br;q=1.0, gzip', '*', ''])(
    'compress a response the same way for Accept-Encoding: %s',
    async (coding) => {
      expect((await send({ 'accept-encoding': coding })).status).toBe(200)
    },
  )

  it.each(['1000', '0100'])('treat Connect-Timeout-Ms: %s the same way', async (timeout) => {
    await send({ 'connect-timeout-ms': timeout })
  })

  it.each(['5S', '1000m'])('treat Grpc-Timeout: %s the same way', async (timeout) => {
    const headers = { ...authorization('nobody'), 'content-type': 'application/grpc+proto', 'grpc-timeout': timeout }
    const request = { path: '/svc.v2.AuthService/RevokeLeakedKey', headers, body: encodeEnvelope(0, new Uint8Array()) }
    await sameAnswer(request, 'HTTP/2')
  })

  it('accept a compressed gRPC message', async () => {
    const method = methodOf('PriorityService/UpdatePriority')
    const message = toBinary(method.input, fromJson(method.input, JSON.parse(JSON.stringify(update))))
    const headers = { ...authorization('admin'), 'content-type': 'application/grpc', 'grpc-encoding': 'gzip' }
    const answer = await sameAnswer({ path, headers, body: encodeEnvelope(1, gzipSync(message)) }, 'HTTP/2')
    expect([answer.headers['grpc-encoding'], answer.trailers['grpc-status']]).toEqual(['gzip', '0'])
  })
})
