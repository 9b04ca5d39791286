import { once } from 'node:events'
import { request as requestHttp1 } from 'node:http'
import { connect } from 'node:http2'
import { brotliCompressSync, brotliDecompressSync, deflateSync, gunzipSync, gzipSync, inflateSync } from 'node:zlib'
import { Code, ConnectError, createContextKey, createContextValues, type Interceptor } from '@connectrpc/connect'
import { describe, expect, it } from '@jest/globals'
import { readBody } from '../../src/call/body-reader.js'
import { createRestTranscoder, type NodeRequest, type RestTranscoderOptions } from '../../src/rest/index.js'
import { type AnyHandler, defineService, messageType, routesOf } from './fixture.js'
import { PROTOCOLS, startServer } from './http.js'

const service = defineService({
  Get: { rule: { get: '/v1/things/{id}' } },
  Create: { rule: { post: '/v1/things', body: '*' } },
  Unmapped: {},
})
const json = { 'content-type': 'application/json' }

function handlerOf(handler: AnyHandler, options: Partial<RestTranscoderOptions> = {}) {
  return createRestTranscoder({ routes: routesOf(service, handler), ...options })
}

const echo: AnyHandler = (message) => message

describe.each(PROTOCOLS)('a call over %s', (protocol) => {
  it('carries the headers and trailers that a handler sets, cookies apart', async () => {
    await using server = await startServer(
      handlerOf((message, context) => {
        context.responseHeader.set('x-handler', '1')
        context.responseHeader.append('set-cookie', 'a=1')
        context.responseHeader.append('set-cookie', 'b=2')
        for (const name of ['content-length', 'connection', 'te', 'proxy-connection', 'upgrade']) {
          context.responseHeader.set(name, '9999')
        }
        context.responseTrailer.set('x-after', '2')
        return message
      }),
      protocol,
    )
    const response = await server.send({ target: '/v1/things/a' })
    expect(response.headers).toMatchObject({
      'x-handler': '1',
      'set-cookie': ['a=1', 'b=2'],
      'content-length': '11',
      'trailer-x-after': '2',
    })
  })

  it('shows the handler what it would see over Connect', async () => {
    const seen: unknown[] = []
    await using server = await startServer(
      handlerOf((message, context) => {
        const { method, service: of, requestMethod, url, requestHeader, timeoutMs, values } = context
        const origin = `http://127.0.0.1:${server.port}`
        const path = url.replace(origin, '').replace('http://localhost', '')
        seen.push(
          method.name,
          of.typeName,
          requestMethod,
          path,
          requestHeader.get('x-mine'),
          timeoutMs(),
          typeof values.get,
        )
        return message
      }),
      protocol,
    )
    await server.send({ target: '/v1/things/a?flag=true', headers: { 'x-mine': 'yes' } })
    expect(seen).toEqual([
      'Get',
      'rest.test.v1.TestService',
      'GET',
      '/v1/things/a?flag=true',
      'yes',
      undefined,
      'function',
    ])
  })

  it('answers an error with its status, body and metadata', async () => {
    await using server = await startServer(
      handlerOf(() => {
        throw new ConnectError('slow down', Code.ResourceExhausted, { 'retry-after': '7' }, [
          { desc: messageType('Leaf'), value: { name: 'a' } },
          { desc: messageType('Leaf'), value: { name: 'b' } },
        ])
      }),
      protocol,
    )
    const response = await server.send({ target: '/v1/things/a' })
    expect(response.status).toBe(429)
    expect(response.headers['retry-after']).toBe('7')
    expect(JSON.parse(response.text)).toEqual({
      code: 'resource_exhausted',
      message: 'slow down',
      detail: { type: 'rest.test.v1.Leaf', value: 'CgFh', debug: { name: 'a' } },
    })
  })

  it('sends an error as it is, even if its metadata is that of a compressed answer', async () => {
    await using server = await startServer(
      handlerOf((_message, context) => {
        context.responseHeader.set('content-encoding', 'br')
        throw new ConnectError('upstream', Code.Unavailable, { 'content-encoding': 'gzip', 'content-length': '3' })
      }),
      protocol,
    )
    const response = await server.send({ target: '/v1/things/a' })
    expect(response).toMatchObject({ status: 503, text: '{"code":"unavailable","message":"upstream"}\n' })
    expect(response.headers['content-encoding']).toBeUndefined()
  })

  it('ends at its deadline, even if the handler does not listen', async () => {
    await using server = await startServer(
      handlerOf(() => new Promise(() => undefined)),
      protocol,
    )
    const response = await server.send({ target: '/v1/things/a', headers: { 'connect-timeout-ms': '30' } })
    expect(response).toMatchObject({
      status: 504,
      text: '{"code":"deadline_exceeded","message":"the deadline passed"}\n',
    })
  })

  it('refuses a body above its limit before and after decompression, and the client sees it', async () => {
    await using server = await startServer(handlerOf(echo, { maxBodyBytes: 1000 }), protocol)
    const post = { method: 'POST', target: '/v1/things' }
    const large = JSON.stringify({ id: 'x'.repeat(1000) })
    const declared = await server.send({ ...post, headers: json, body: 'x'.repeat(5_000_000) })
    expect(declared).toMatchObject({ status: 413 })
    expect(JSON.parse(declared.text)).toMatchObject({ code: 'resource_exhausted' })
    const inflated = { ...post, headers: { ...json, 'content-encoding': 'gzip' }, body: gzipSync(large) }
    expect((await server.send(inflated)).status).toBe(413)
    const exact = JSON.stringify({ id: 'x'.repeat(991) })
    expect((await server.send({ ...post, headers: json, body: exact })).status).toBe(200)
    const compressed = { ...post, headers: { ...json, 'content-encoding': 'gzip' }, body: gzipSync(exact) }
    expect((await server.send(compressed)).status).toBe(200)
  })

  it.each([
    ['gzip', gzipSync, gunzipSync],
    ['deflate', deflateSync, inflateSync],
    ['br', brotliCompressSync, brotliDecompressSync],
  ] as const)('takes and gives %s', async (coding, compress, decompress) => {
    await using server = await startServer(handlerOf(echo), protocol)
    const text = JSON.stringify({ id: 'abc'.repeat(1000) })
    const headers = { ...json, 'content-encoding': coding, 'accept-encoding': coding }
    const response = await server.send({ method: 'POST', target: '/v1/things', headers, body: compress(text) })
    expect(response.headers).toMatchObject({ 'content-encoding': coding, vary: 'accept-encoding' })
    expect(response.headers['content-length']).toBe(String(response.bytes.length))
    expect(decompress(response.bytes).toString()).toBe(`${text}\n`)
  })

  it('tells too large from broken even where classes of errors are not those of Node', async () => {
    await using server = await startServer(handlerOf(echo, { maxBodyBytes: 1000 }), protocol)
    // As in a test runner that gives every file globals of its own.
    const genuine = globalThis.RangeError
    Object.assign(globalThis, { RangeError: class extends Error {} })
    const headers = { ...json, 'content-encoding': 'gzip' }
    const response = await server.send({
      method: 'POST',
      target: '/v1/things',
      headers,
      body: gzipSync('x'.repeat(2000)),
    })
    Object.assign(globalThis, { RangeError: genuine })
    expect(response.status).toBe(413)
  })

  it('refuses compressed data that is broken', async () => {
    await using server = await startServer(handlerOf(echo), protocol)
    for (const coding of ['gzip', 'deflate', 'br']) {
      for (const body of ['{"id":"a"}', gzipSync('{"id":"a"}').subarray(0, 12)]) {
        const headers = { ...json, 'content-encoding': coding }
        const response = await server.send({ method: 'POST', target: '/v1/things', headers, body })
        expect(response).toMatchObject({ status: 400 })
        expect(JSON.parse(response.text).message).toContain(`not valid ${coding} data`)
      }
    }
  })
})

describe('what nobody meant to tell', () => {
  it.each([new Error('secret'), 'secret', undefined, null, { secret: true }])(
    'is masked and reported: %s',
    async (cause) => {
      const causes: unknown[] = []
      await using server = await startServer(
        handlerOf(
          () => {
            throw cause
          },
          { onError: (error, { method }) => causes.push(error, method?.name) },
        ),
      )
      const response = await server.send({ target: '/v1/things/a' })
      expect(response).toMatchObject({ status: 500, text: '{"code":"internal","message":"internal error"}\n' })
      expect(causes).toEqual([cause, 'Get'])
    },
  )

  it('is masked even if the hook that is told fails', async () => {
    const fail = () => {
      throw new Error('hook')
    }
    await using server = await startServer(handlerOf(fail, { onError: fail, errorBody: fail }))
    expect(await server.send({ target: '/v1/things/a' })).toMatchObject({
      status: 500,
      text: '{"code":"internal","message":"internal error"}\n',
    })
  })

  it('a header that Node refuses cuts the connection and is reported', async () => {
    const causes: unknown[] = []
    const fail = () => {
      throw new ConnectError('x')
    }
    const errorBody = () => ({ contentType: 'a\nb', body: 'x' })
    const options = { errorBody, onError: (cause: unknown) => causes.push(cause) }
    await using server = await startServer(handlerOf(fail, options))
    await expect(server.send({ target: '/v1/things/a' })).rejects.toThrow('hang up')
    expect(causes).toMatchObject([{ code: 'ERR_INVALID_CHAR' }])
  })

  it('an unset method is unimplemented', async () => {
    await using server = await startServer(createRestTranscoder({ routes: (router) => router.service(service, {}) }))
    expect((await server.send({ target: '/v1/things/a' })).status).toBe(501)
  })
})

describe('every code', () => {
  it.each([
    [Code.Canceled, 499],
    [Code.Unknown, 500],
    [Code.InvalidArgument, 400],
    [Code.DeadlineExceeded, 504],
    [Code.NotFound, 404],
    [Code.AlreadyExists, 409],
    [Code.PermissionDenied, 403],
    [Code.ResourceExhausted, 429],
    [Code.FailedPrecondition, 400],
    [Code.Aborted, 409],
    [Code.OutOfRange, 400],
    [Code.Unimplemented, 501],
    [Code.Internal, 500],
    [Code.Unavailable, 503],
    [Code.DataLoss, 500],
    [Code.Unauthenticated, 401],
  ])('%s is HTTP %s', async (code, status) => {
    await using server = await startServer(
      handlerOf(() => {
        throw new ConnectError('x', code)
      }),
    )
    expect((await server.send({ target: '/v1/things/a' })).status).toBe(status)
  })
})

describe('interceptors', () => {
  const key = createContextKey('unset')

  it('see the message, run in order, and may change request, response and headers', async () => {
    const log: string[] = []
    const named =
      (name: string): Interceptor =>
      (next) =>
      async (req) => {
        log.push(`${name} ${req.method.name} ${req.stream} ${req.header.get('x-in') ?? ''} ${'id' in req.message}`)
        req.contextValues.set(key, name)
        req.header.set('x-in', name)
        const res = await next({ ...req })
        res.header.append('x-out', name)
        log.push(`${name} done`)
        return res
      }
    await using server = await startServer(
      handlerOf(
        (message, context) => {
          log.push(`handler ${context.requestHeader.get('x-in')} ${context.values.get(key)}`)
          return message
        },
        { interceptors: [named('outer'), named('inner')] },
      ),
    )
    const response = await server.send({ target: '/v1/things/a' })
    expect(log).toEqual([
      'outer Get false  true',
      'inner Get false outer true',
      'handler inner inner',
      'inner done',
      'outer done',
    ])
    expect(response.headers['x-out']).toBe('inner, outer')
  })

  it('may answer with a response of their own', async () => {
    const replace: Interceptor = (next) => async (req) => {
      const res = await next(req)
      return { ...res, header: new Headers({ 'x-new': '1' }), trailer: new Headers() } as typeof res
    }
    const handler: AnyHandler = (message, context) => {
      context.responseHeader.set('x-old', '1')
      return message
    }
    await using server = await startServer(handlerOf(handler, { interceptors: [replace] }))
    const response = await server.send({ target: '/v1/things/a' })
    expect(response.headers['x-new']).toBe('1')
    expect(response.headers['x-old']).toBeUndefined()
  })

  it('of a service replace those of the transcoder', async () => {
    const seen: string[] = []
    const named =
      (name: string): Interceptor =>
      (next) =>
      (req) => {
        seen.push(name)
        return next(req)
      }
    const implementation = { get: (message: object) => message }
    await using server = await startServer(
      createRestTranscoder({
        routes: (router) => router.service(service, implementation as never, { interceptors: [named('own')] }),
        interceptors: [named('common')],
      }),
    )
    await server.send({ target: '/v1/things/a' })
    expect(seen).toEqual(['own'])
  })

  it('are not run for a request that cannot be read', async () => {
    let runs = 0
    const count: Interceptor = (next) => (req) => {
      runs++
      return next(req)
    }
    await using server = await startServer(handlerOf(echo, { interceptors: [count] }))
    expect((await server.send({ target: '/v1/things/a?nope=1' })).status).toBe(400)
    expect(runs).toBe(0)
  })
})

describe('admission', () => {
  const refuse = () => {
    throw new ConnectError('who are you', Code.Unauthenticated, { 'www-authenticate': 'Bearer' })
  }

  it('comes after path and method and before size, type and content', async () => {
    await using server = await startServer(handlerOf(echo, { admit: refuse, maxBodyBytes: 10 }))
    const status = async (request: Parameters<typeof server.send>[0]) => (await server.send(request)).status
    expect(await status({ target: '/nowhere' })).toBe(404)
    expect(await status({ method: 'DELETE', target: '/v1/things/a' })).toBe(405)
    expect(await status({ target: '/v1/things/a?nope=1' })).toBe(401)
    expect(await status({ method: 'POST', target: '/v1/things', headers: json, body: 'x'.repeat(1000) })).toBe(401)
    expect(await status({ method: 'POST', target: '/v1/things', headers: { 'content-type': 'x/y' }, body: 'x' })).toBe(
      401,
    )
    expect(await status({ target: '/v1/things/a', headers: { 'connect-timeout-ms': 'x' } })).toBe(401)
    const response = await server.send({ target: '/v1/things/a' })
    expect(response.headers['www-authenticate']).toBe('Bearer')
    expect(response.text).toBe('{"code":"unauthenticated","message":"who are you"}\n')
  })

  it('hands its context values to interceptors and handlers', async () => {
    const key = createContextKey('unset')
    const seen: string[] = []
    const look: Interceptor = (next) => (req) => {
      seen.push(req.contextValues.get(key))
      return next(req)
    }
    await using server = await startServer(
      handlerOf(
        (message, context) => {
          seen.push(context.values.get(key))
          return message
        },
        {
          admit: async ({ method, requestHeader }) =>
            createContextValues().set(key, `${method.name} ${requestHeader.get('x-who')}`),
          interceptors: [look],
        },
      ),
    )
    await server.send({ target: '/v1/things/a', headers: { 'x-who': 'me' } })
    expect(seen).toEqual(['Get me', 'Get me'])
  })

  it('that breaks is masked', async () => {
    const admit = () => Promise.reject(new Error('secret'))
    await using server = await startServer(handlerOf(echo, { admit }))
    expect(await server.send({ target: '/v1/things/a' })).toMatchObject({ status: 500 })
  })

  it('may set response headers', async () => {
    await using server = await startServer(
      handlerOf(echo, { admit: ({ responseHeader }) => responseHeader.set('x-admitted', '1') }),
    )
    expect((await server.send({ target: '/v1/things/a' })).headers['x-admitted']).toBe('1')
  })
})

it('Any holds well-known types that no file of the service imports', async () => {
  const any = 'google.protobuf.Any'
  const method = { input: any, output: any, rule: { post: '/v1/any', body: '*' } }
  const small = defineService({ Echo: method }, 'AnyService', ['google/protobuf/any.proto'])
  await using server = await startServer(createRestTranscoder({ routes: routesOf(small, echo) }))
  const body = '{"@type":"type.googleapis.com/google.protobuf.Int32Value","value":5}'
  const response = await server.send({ method: 'POST', target: '/v1/any', headers: json, body })
  expect(JSON.parse(response.text)).toEqual(JSON.parse(body))
})

it('an error never grows with what it refuses', async () => {
  await using server = await startServer(handlerOf(echo))
  const post = { method: 'POST', target: '/v1/things', headers: json }
  const long = 'é😀'.repeat(300_000)
  const bodies = [
    `{"${long}":1}`,
    `{"i32":"${long}"}`,
    `{"color":"${long}"}`,
    `{"labels":{"${long}":1}}`,
    `{"i32":${'9'.repeat(300)}}`,
    long,
  ]
  for (const body of bodies) {
    const response = await server.send({ ...post, body })
    expect(response.status).toBe(400)
    expect(response.bytes.length).toBeLessThan(4000)
  }
  const target = `/v1/things/a?${'n'.repeat(10_000)}=1`
  expect((await server.send({ target })).bytes.length).toBeLessThan(4000)
})

describe('beforeDecode', () => {
  it('comes after size and type and before content, and its error is the answer', async () => {
    const counted: string[] = []
    const beforeDecode: RestTranscoderOptions['beforeDecode'] = ({ method }) => {
      counted.push(method.name)
      if (counted.length > 2) throw new ConnectError('slow down', Code.ResourceExhausted)
    }
    await using server = await startServer(handlerOf(echo, { beforeDecode, maxBodyBytes: 100 }))
    const post = { method: 'POST', target: '/v1/things', headers: json }
    const status = async (request: Parameters<typeof server.send>[0]) => (await server.send(request)).status
    expect(await status({ ...post, body: 'x'.repeat(200) })).toBe(413)
    expect(await status({ ...post, headers: { 'content-type': 'x/y' }, body: '{}' })).toBe(415)
    expect(counted).toEqual([])
    expect(await status({ ...post, body: '{' })).toBe(400)
    expect(await status({ target: '/v1/things/a?nope=1' })).toBe(400)
    expect(counted).toEqual(['Create', 'Get'])
    expect(await status({ ...post, body: '{' })).toBe(429)
  })

  it('comes before a coding that is broken, and after what is too large without it', async () => {
    let counted = 0
    const beforeDecode = () => void counted++
    await using server = await startServer(handlerOf(echo, { beforeDecode, maxBodyBytes: 100 }))
    const send = async (body: Uint8Array) => {
      const headers = { ...json, 'content-encoding': 'gzip' }
      return (await server.send({ method: 'POST', target: '/v1/things', headers, body })).status
    }
    expect([await send(Buffer.from('no gzip')), counted]).toEqual([400, 1])
    expect([await send(gzipSync(Buffer.from('{"id":"a"}')).subarray(0, -9)), counted]).toEqual([400, 2])
    expect([await send(gzipSync('x'.repeat(200))), counted]).toEqual([413, 2])
  })
})

describe('deadlines', () => {
  it.each([
    ['connect-timeout-ms', '5000', 5000],
    ['grpc-timeout', '2S', 2000],
    ['grpc-timeout', '500m', 500],
    ['grpc-timeout', '1999999u', 2000],
    ['grpc-timeout', '99999999n', 100],
    ['grpc-timeout', '1H', 3_600_000],
    ['connect-timeout-ms', '9999999999', 9_999_999_999],
  ])('%s: %s gives the handler %s ms', async (name, value, expected) => {
    let left: number | undefined
    await using server = await startServer(
      handlerOf((message, context) => {
        left = context.timeoutMs()
        return message
      }),
    )
    expect((await server.send({ target: '/v1/things/a', headers: { [name]: value } })).status).toBe(200)
    expect(left).toBeGreaterThan(expected - 400)
    expect(left).toBeLessThanOrEqual(expected)
    expect([left, Number.isInteger(left)]).toEqual([left, true])
  })

  it.each([
    ['connect-timeout-ms', '-1'],
    ['connect-timeout-ms', '1.5'],
    ['connect-timeout-ms', '12345678901'],
    ['grpc-timeout', '5'],
    ['grpc-timeout', '123456789S'],
    ['grpc-timeout', '1x'],
  ])('%s: %s is refused', async (name, value) => {
    await using server = await startServer(handlerOf(echo))
    const response = await server.send({ target: '/v1/things/a', headers: { [name]: value } })
    expect(response.status).toBe(400)
    expect(JSON.parse(response.text).message).toContain(name)
  })

  it('have a default, a maximum, and headers of one’s choice', async () => {
    const left: (number | undefined)[] = []
    const options = {
      defaultTimeoutMs: 1000,
      maxTimeoutMs: 2000,
      timeoutHeaders: { 'X-Timeout': 'milliseconds' },
    } as const
    await using server = await startServer(
      handlerOf((message, context) => {
        left.push(Math.ceil((context.timeoutMs() ?? 0) / 1000))
        return message
      }, options),
    )
    await server.send({ target: '/v1/things/a' })
    await server.send({ target: '/v1/things/a', headers: { 'x-timeout': '5000' } })
    await server.send({ target: '/v1/things/a', headers: { 'connect-timeout-ms': 'ignored' } })
    expect(left).toEqual([1, 2, 1])
  })

  it('cover admission, and are the maximum where a header is malformed', async () => {
    const admit = () => new Promise<undefined>(() => undefined)
    await using server = await startServer(handlerOf(echo, { admit, maxTimeoutMs: 30 }))
    for (const timeout of [undefined, '10', '60000', 'soon']) {
      const headers = timeout === undefined ? {} : { 'connect-timeout-ms': timeout }
      expect((await server.send({ target: '/v1/things/a', headers })).status).toBe(504)
    }
  })

  it('tell admission that they passed, and begin nothing then', async () => {
    let begun = 0
    const admit: RestTranscoderOptions['admit'] = ({ signal }) =>
      new Promise((resolve) => signal.addEventListener('abort', () => resolve()))
    await using server = await startServer(handlerOf(echo, { admit, beforeDecode: () => void begun++ }))
    expect((await server.send({ target: '/v1/things/a', headers: { 'connect-timeout-ms': '20' } })).status).toBe(504)
    expect(begun).toBe(0)
  })

  it('end a call over HTTP/2 whose body never ends, and its stream soon after', async () => {
    await using server = await startServer(handlerOf(echo, { maxTimeoutMs: 100 }), 'HTTP/2')
    const session = connect(`http://127.0.0.1:${server.port}`)
    const stream = session.request({ ...json, ':method': 'POST', ':path': '/v1/things' })
    stream.write('{')
    const closed = new Promise((resolve) => stream.once('close', resolve))
    const [answered] = await once(stream, 'response')
    expect(answered[':status']).toBe(504)
    stream.resume()
    await closed
    expect(stream.rstCode).toBe(0)
    session.close()
  }, 15_000)

  it('abort the signal with deadline_exceeded', async () => {
    let reason: unknown
    await using server = await startServer(
      handlerOf((_message, { signal }) => {
        return new Promise((_, reject) => {
          signal.addEventListener('abort', () => {
            reason = signal.reason
            reject(new Error('stopped'))
          })
        })
      }),
    )
    expect((await server.send({ target: '/v1/things/a', headers: { 'connect-timeout-ms': '0' } })).status).toBe(504)
    expect((await server.send({ target: '/v1/things/a', headers: { 'connect-timeout-ms': '20' } })).status).toBe(504)
    expect(reason).toMatchObject({ code: Code.DeadlineExceeded })
  })
})

describe('cancellation', () => {
  it('of a client that goes away aborts the handler', async () => {
    let started: () => void = () => undefined
    const start = new Promise<void>((resolve) => {
      started = resolve
    })
    let seen: (reason: unknown) => void = () => undefined
    const aborted = new Promise((resolve) => {
      seen = resolve
    })
    await using server = await startServer(
      handlerOf((_message, { signal }) => {
        signal.addEventListener('abort', () => seen(signal.reason))
        started()
        return new Promise(() => undefined)
      }),
    )
    const request = requestHttp1({ port: server.port, path: '/v1/things/a' }).end()
    request.on('error', () => undefined)
    await start
    request.destroy()
    expect(await aborted).toMatchObject({ code: Code.Canceled })
  })

  it('of a client that goes away in the middle of its body harms nobody', async () => {
    await using server = await startServer(handlerOf(echo))
    const request = requestHttp1({
      port: server.port,
      method: 'POST',
      path: '/v1/things',
      headers: { ...json, 'content-length': 100 },
    })
    request.on('error', () => undefined)
    request.write('{"id":')
    await once(request, 'socket')
    request.destroy()
    expect((await server.send({ target: '/v1/things/a' })).status).toBe(200)
  })

  it('of a client that goes away before its body is read is an error, not a wait', async () => {
    let gone: (request: NodeRequest) => void = () => undefined
    const left = new Promise<NodeRequest>((resolve) => {
      gone = resolve
    })
    await using server = await startServer((request) => void request.once('close', () => gone(request)))
    const headers = { ...json, 'content-length': 100 }
    const request = requestHttp1({ port: server.port, method: 'POST', path: '/v1/things', headers })
    request.on('error', () => undefined)
    request.write('{"id":', () => request.destroy())
    await expect(readBody(await left, [], 100)).rejects.toMatchObject({ code: Code.Canceled })
  })

  it('of the server aborts running calls', async () => {
    const shutdown = new AbortController()
    await using server = await startServer(
      handlerOf(
        (_message, { signal }) =>
          new Promise((_, reject) => {
            signal.addEventListener('abort', () => reject(signal.reason))
            shutdown.abort()
          }),
        { shutdownSignal: shutdown.signal },
      ),
    )
    const answer = await server.send({ target: '/v1/things/a' })
    expect([answer.status, answer.headers['retry-after']]).toEqual([503, '1'])
  })

  it('comes with the end of a call, as over Connect', async () => {
    let signal: AbortSignal | undefined
    await using server = await startServer(
      handlerOf((message, context) => {
        signal = context.signal
        expect(signal.aborted).toBe(false)
        return message
      }),
    )
    expect((await server.send({ target: '/v1/things/a' })).status).toBe(200)
    expect(signal?.aborted).toBe(true)
  })
})

describe('options', () => {
  it('fallback gets every unknown path and nothing else', async () => {
    await using server = await startServer(
      handlerOf(echo, {
        fallback: (request, response) => {
          response.statusCode = 299
          response.setHeader('x-url', request.url ?? '')
          response.end()
        },
      }),
    )
    const other = await server.send({ method: 'POST', target: '/other?x=1' })
    expect(other.status).toBe(299)
    expect(other.headers['x-url']).toBe('/other?x=1')
    expect(await server.send({ method: 'OPTIONS', target: '/other' })).toMatchObject({ status: 299 })
    expect(await server.send({ method: 'PUT', target: '/v1/things/a' })).toMatchObject({ status: 405 })
  })

  it('unknownQuery: ignore passes over names that bind nothing or what the path binds, not over bad values', async () => {
    await using server = await startServer(handlerOf(echo, { unknownQuery: 'ignore' }))
    expect((await server.send({ target: '/v1/things/a?nope=1&leaf.nope=2&i32=3' })).text).toBe('{"id":"a","i32":3}\n')
    expect((await server.send({ target: '/v1/things/a?i32=x' })).status).toBe(400)
    expect((await server.send({ target: '/v1/things/a?id=x' })).text).toBe('{"id":"a"}\n')
  })

  it('systemParameters are passed over, under body * too', async () => {
    await using server = await startServer(handlerOf(echo, { systemParameters: ['$alt', 'key'] }))
    expect((await server.send({ target: '/v1/things/a?%24alt=json&key=x&key=y' })).text).toBe('{"id":"a"}\n')
    expect((await server.send({ method: 'POST', target: '/v1/things?key=x' })).status).toBe(200)
    expect((await server.send({ target: '/v1/things/a?alt=json' })).status).toBe(400)
  })

  it('completeError adds to every error, and nothing where it fails', async () => {
    const failures: unknown[] = []
    await using server = await startServer(
      handlerOf(echo, {
        completeError: (error, status) => {
          if (status === 405) throw new Error('no')
          error.details.push({ type: 'test.Status', value: new Uint8Array([status % 256]) })
        },
        onError: (cause) => failures.push(cause),
      }),
    )
    expect(JSON.parse((await server.send({ target: '/other' })).text).detail).toEqual({
      type: 'test.Status',
      value: 'lA',
    })
    expect(JSON.parse((await server.send({ method: 'PUT', target: '/v1/things/a' })).text).detail).toBeUndefined()
    expect(failures).toEqual([new Error('no')])
  })

  it('errorBody: status answers google.rpc.Status', async () => {
    await using server = await startServer(handlerOf(echo, { errorBody: 'status' }))
    const response = await server.send({ target: '/v1/things/a?i32=x' })
    expect(JSON.parse(response.text)).toEqual({
      code: 3,
      message: 'i32: expected a decimal integer, got "x"',
      details: [
        {
          '@type': 'type.googleapis.com/google.rpc.BadRequest',
          fieldViolations: [{ field: 'i32', description: 'expected a decimal integer, got "x"' }],
        },
      ],
    })
  })

  it('errorBody as a function may replace the body of one method', async () => {
    const seen: unknown[] = []
    await using server = await startServer(
      handlerOf(echo, {
        errorBody: (error, { method }) => {
          seen.push(method?.name)
          return method === undefined ? undefined : { contentType: 'text/plain', body: `no: ${error.rawMessage}` }
        },
      }),
    )
    const response = await server.send({ target: '/v1/things/a?i32=x' })
    expect(response).toMatchObject({ status: 400, text: 'no: i32: expected a decimal integer, got "x"' })
    expect(response.headers['content-type']).toBe('text/plain')
    expect(JSON.parse((await server.send({ target: '/nowhere' })).text).code).toBe('not_found')
    expect(seen).toEqual(['Get', undefined])
  })

  it('defaultBindings mount a method without a rule', async () => {
    await using server = await startServer(handlerOf(echo, { defaultBindings: true }))
    const target = '/rest.test.v1.TestService/Unmapped'
    expect((await server.send({ method: 'POST', target, headers: json, body: '{"id":"a"}' })).text).toBe('{"id":"a"}\n')
    expect((await server.send({ target: '/rest.test.v1.TestService/Get' })).status).toBe(404)
  })

  it('defaultBindings leave the RPC protocols to the fallback', async () => {
    const fallback: RestTranscoderOptions['fallback'] = (_request, response) => {
      response.writeHead(299)
      response.end()
    }
    await using server = await startServer(handlerOf(echo, { defaultBindings: true, fallback }))
    const target = '/rest.test.v1.TestService/Unmapped'
    const post = async (headers: Record<string, string>) =>
      (await server.send({ method: 'POST', target, headers, body: '{}' })).status
    for (const type of [
      'application/grpc',
      'application/grpc-web+proto',
      'application/proto',
      'application/connect+json',
    ]) {
      expect(await post({ 'content-type': type })).toBe(299)
    }
    expect(await post({ ...json, 'connect-protocol-version': '1' })).toBe(299)
    expect((await server.send({ target: `${target}?connect=v1&encoding=json&message=%7B%7D` })).status).toBe(299)
    expect(await post(json)).toBe(200)
    expect(await post({ 'content-type': 'text/plain' })).toBe(415)
    expect((await server.send({ target })).status).toBe(405)
  })

  it('jsonOptions decide how JSON is printed and read', async () => {
    const options = { jsonOptions: { useProtoFieldName: true, enumAsInteger: true, ignoreUnknownFields: true } }
    await using server = await startServer(handlerOf(echo, options))
    const body = '{"floatValue":1,"color":"COLOR_RED","nope":{"x":[1]},"colors":["NOPE",2]}'
    const response = await server.send({ method: 'POST', target: '/v1/things', headers: json, body })
    expect(response.text).toBe('{"float_value":1,"color":1,"colors":[2]}\n')
  })

  it('alwaysEmitImplicit prints every field without presence', async () => {
    await using server = await startServer(handlerOf(echo, { jsonOptions: { alwaysEmitImplicit: true } }))
    const response = JSON.parse((await server.send({ target: '/v1/things/a' })).text)
    expect(response).toMatchObject({
      id: 'a',
      flag: false,
      i64: '0',
      names: [],
      labels: {},
      color: 'COLOR_UNSPECIFIED',
    })
    expect(response).not.toHaveProperty('opt')
  })

  it('requestTypes, maxBodyBytes and emptyResponse hold per method', async () => {
    await using server = await startServer(
      handlerOf(echo, {
        requestTypes: () => ['form'],
        maxBodyBytes: (method) => (method.name === 'Create' ? 20 : 0),
        emptyResponse: (method) => method.name === 'Create',
      }),
    )
    const post = { method: 'POST', target: '/v1/things' }
    expect((await server.send({ ...post, headers: json, body: '{}' })).status).toBe(415)
    const form = { 'content-type': 'application/x-www-form-urlencoded' }
    const fine = await server.send({ ...post, headers: form, body: 'id=a' })
    expect(fine).toMatchObject({ status: 200, text: '' })
    expect(fine.headers['content-length']).toBe('0')
    expect((await server.send({ ...post, headers: form, body: `id=${'a'.repeat(18)}` })).status).toBe(413)
    expect((await server.send({ target: '/v1/things/a' })).text).toBe('{"id":"a"}\n')
  })

  it('compressResponses: false compresses nothing, and small answers never are', async () => {
    const large: AnyHandler = () => ({ id: 'a'.repeat(5000) })
    const headers = { 'accept-encoding': 'gzip' }
    await using off = await startServer(handlerOf(large, { compressResponses: false }))
    expect((await off.send({ target: '/v1/things/a', headers })).headers['content-encoding']).toBeUndefined()
    await using on = await startServer(handlerOf(echo))
    expect((await on.send({ target: '/v1/things/a', headers })).headers['content-encoding']).toBeUndefined()
  })

  it('fullyDecodeReservedExpansion decodes slashes in captures of several segments', async () => {
    const files = defineService({ Get: { rule: { get: '/files/{id=**}' } } })
    await using server = await startServer(
      createRestTranscoder({ routes: routesOf(files, echo), fullyDecodeReservedExpansion: true }),
    )
    expect((await server.send({ target: '/files/a%2Fb/c' })).text).toBe('{"id":"a/b/c"}\n')
  })
})

describe('content negotiation of codings', () => {
  it.each([
    ['gzip', 'gzip'],
    ['br', 'br'],
    ['deflate, gzip;q=0.5', 'deflate'],
    ['gzip;q=0, br;q=0.1', 'br'],
    ['*', 'gzip'],
    ['*;q=0', undefined],
    ['identity', undefined],
    ['identity;q=1, gzip;q=0.5', undefined],
    ['gzip, deflate, br', 'gzip'],
    ['compress', undefined],
    ['', undefined],
    ['gzip;q=nonsense', undefined],
  ])('Accept-Encoding %s gives %s', async (header, coding) => {
    await using server = await startServer(handlerOf(() => ({ id: 'a'.repeat(5000) })))
    const response = await server.send({ target: '/v1/things/a', headers: { 'accept-encoding': header } })
    expect(response.headers['content-encoding']).toBe(coding)
    expect(response.headers['vary']).toBe('accept-encoding')
  })
})
