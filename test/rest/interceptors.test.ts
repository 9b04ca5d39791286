import { gzipSync } from 'node:zlib'
import { Code, ConnectError, createContextKey, createContextValues, type Interceptor } from '@connectrpc/connect'
import { describe, expect, it } from '@jest/globals'
import { createRestTranscoder, type RestTranscoderOptions } from '../../src/rest/index.js'
import { echo, handlerOf, json, service } from './echo.js'
import type { AnyHandler } from './fixture.js'
import { startServer } from './http.js'

describe('interceptors', () => {
  const key = createContextKey('unset')

  it('see the message, run in order, and may change the request, response and headers', async () => {
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

  it('may return a response of their own', async () => {
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

  it('do not run for a malformed request', async () => {
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

  it('runs after path and method matching and before size, type and content checks', async () => {
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

  it('passes its context values to interceptors and handlers', async () => {
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

  it('that throws is masked', async () => {
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

describe('beforeDecode', () => {
  it('runs after the size and type checks and before decoding, and its error is returned', async () => {
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

  it('runs before decompression, but after a compressed body is found too large', async () => {
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
