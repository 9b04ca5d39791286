import { brotliCompressSync, brotliDecompressSync, deflateSync, gunzipSync, gzipSync, inflateSync } from 'node:zlib'
import { Code, ConnectError } from '@connectrpc/connect'
import { describe, expect, it } from '@jest/globals'
import { createRestTranscoder } from '../../src/rest/index.js'
import { echo, handlerOf, json, service } from './echo.js'
import { defineService, messageType, routesOf } from './fixture.js'
import { PROTOCOLS, startServer } from './http.js'

describe.each(PROTOCOLS)('a call over %s', (protocol) => {
  it('carries the headers and trailers that a handler sets, except cookies', async () => {
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

  it('gives the handler the same context as over Connect', async () => {
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

  it('returns an error with its status, body and metadata', async () => {
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

  it('sends an error intact even if its metadata claims compression', async () => {
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

  it('ends at its deadline even if the handler ignores the signal', async () => {
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

  it('refuses a body above its limit before and after decompression, visibly to the client', async () => {
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
  ] as const)('accepts and returns %s', async (coding, compress, decompress) => {
    await using server = await startServer(handlerOf(echo), protocol)
    const text = JSON.stringify({ id: 'abc'.repeat(1000) })
    const headers = { ...json, 'content-encoding': coding, 'accept-encoding': coding }
    const response = await server.send({ method: 'POST', target: '/v1/things', headers, body: compress(text) })
    expect(response.headers).toMatchObject({ 'content-encoding': coding, vary: 'accept-encoding' })
    expect(response.headers['content-length']).toBe(String(response.bytes.length))
    expect(decompress(response.bytes).toString()).toBe(`${text}\n`)
  })

  it("distinguishes too large from corrupt even if error classes are not Node's", async () => {
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

  it('refuses corrupt compressed data', async () => {
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

describe('an unexpected error', () => {
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

  it('is masked even if the reporting hook fails', async () => {
    const fail = () => {
      throw new Error('hook')
    }
    await using server = await startServer(handlerOf(fail, { onError: fail, errorBody: fail }))
    expect(await server.send({ target: '/v1/things/a' })).toMatchObject({
      status: 500,
      text: '{"code":"internal","message":"internal error"}\n',
    })
  })

  it('in a header that Node refuses closes the connection and is reported', async () => {
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

  it('from an unset method is unimplemented', async () => {
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

it('Any may contain well-known types that no file of the service imports', async () => {
  const any = 'google.protobuf.Any'
  const method = { input: any, output: any, rule: { post: '/v1/any', body: '*' } }
  const small = defineService({ Echo: method }, 'AnyService', ['google/protobuf/any.proto'])
  await using server = await startServer(createRestTranscoder({ routes: routesOf(small, echo) }))
  const body = '{"@type":"type.googleapis.com/google.protobuf.Int32Value","value":5}'
  const response = await server.send({ method: 'POST', target: '/v1/any', headers: json, body })
  expect(JSON.parse(response.text)).toEqual(JSON.parse(body))
})

it('an error does not grow with the refused input', async () => {
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
