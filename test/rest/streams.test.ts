import { once } from 'node:events'
import { request as requestHttp1 } from 'node:http'
import { gunzipSync } from 'node:zlib'
import { Code, ConnectError } from '@connectrpc/connect'
import { describe, expect, it } from '@jest/globals'
import { createRestTranscoder } from '../../src/rest/index.js'
import { type AnyHandler, defineService, routesOf } from './fixture.js'
import { PROTOCOLS, startServer } from './http.js'

const service = defineService({
  Watch: { serverStream: true, rule: { get: '/v1/watch/{id}' } },
  WatchId: { serverStream: true, rule: { get: '/v1/ids', responseBody: 'id' } },
  WatchBody: { serverStream: true, rule: { post: '/v1/watch', body: '*' } },
  Fetch: { serverStream: true, output: 'google.api.HttpBody', rule: { get: '/v1/fetch' } },
})

function handlerOf(handler: AnyHandler, options: object = {}) {
  return createRestTranscoder({ routes: routesOf(service, handler), ...options })
}

async function* numbers() {
  yield { i32: 1 }
  yield { i32: 2 }
}

describe.each(PROTOCOLS)('a server stream over %s', (protocol) => {
  it('is one JSON document per line, without an envelope', async () => {
    await using server = await startServer(handlerOf(numbers), protocol)
    const response = await server.send({ target: '/v1/watch/a' })
    expect(response.headers['content-type']).toBe('application/x-ndjson')
    expect(response.text).toBe('{"i32":1}\n{"i32":2}\n')
    expect(response.status).toBe(200)
  })

  it('is an event stream if Accept asks for it', async () => {
    await using server = await startServer(handlerOf(numbers), protocol)
    const response = await server.send({ target: '/v1/watch/a', headers: { accept: 'text/event-stream' } })
    expect(response.headers).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
      vary: 'accept, accept-encoding',
    })
    expect(response.text).toBe('data: {"i32":1}\n\ndata: {"i32":2}\n\n')
  })

  it('has ids by which a client continues where events have some', async () => {
    async function* echo(message: object) {
      yield message
      yield { id: 'a\r\nb\0', i32: 1 }
    }
    const eventIds = ({ name }: { readonly name: string }) =>
      name === 'Watch' ? { id: 'id', lastId: 'opt' } : undefined
    await using server = await startServer(handlerOf(echo, { eventIds }), protocol)
    const headers = { accept: 'text/event-stream', 'last-event-id': 'z' }
    const { text } = await server.send({ target: '/v1/watch/a?opt=b', headers })
    expect(text).toBe(
      'retry: 1000\nid: a\ndata: {"id":"a","opt":"z"}\n\n' +
        'retry: 1000\nid: a  b \ndata: {"id":"a\\r\\nb\\u0000","i32":1}\n\n',
    )
    const lines = await server.send({ target: '/v1/watch/a', headers: { 'last-event-id': 'z' } })
    expect(lines.text).toMatch(/^\{"id":"a"\}\n/)
    const other = await server.send({ method: 'POST', target: '/v1/watch', headers })
    expect(other.text).toMatch(/^data: /)
  })

  it('keeps what a response depends on already', async () => {
    const handler = handlerOf(numbers)
    await using server = await startServer((request, response) => {
      response.setHeader('vary', 'origin')
      handler(request, response)
    }, protocol)
    const { headers } = await server.send({ target: '/v1/watch/a' })
    expect(headers).toMatchObject({ vary: 'origin, accept, accept-encoding', 'x-accel-buffering': 'no' })
  })

  it('prints the response body field of each message', async () => {
    async function* ids() {
      yield { id: 'a' }
      yield { id: '' }
    }
    await using server = await startServer(handlerOf(ids), protocol)
    expect((await server.send({ target: '/v1/ids' })).text).toBe('"a"\n""\n')
  })

  it('reads its request from path, query and body', async () => {
    async function* echo(message: object) {
      yield message
    }
    await using server = await startServer(handlerOf(echo), protocol)
    expect((await server.send({ target: '/v1/watch/a?i32=4' })).text).toBe('{"id":"a","i32":4}\n')
    const post = {
      method: 'POST',
      target: '/v1/watch',
      headers: { 'content-type': 'application/json' },
      body: '{"id":"b"}',
    }
    expect((await server.send(post)).text).toBe('{"id":"b"}\n')
  })

  it('has an empty body if there are no messages', async () => {
    async function* none() {}
    await using server = await startServer(handlerOf(none), protocol)
    expect(await server.send({ target: '/v1/watch/a' })).toMatchObject({ status: 200, text: '' })
  })

  it('returns an ordinary error if it fails before its first message', async () => {
    async function* broken() {
      yield await Promise.reject(new ConnectError('not here', Code.NotFound))
    }
    await using server = await startServer(handlerOf(broken), protocol)
    const response = await server.send({ target: '/v1/watch/a' })
    expect(response).toMatchObject({ status: 404, text: '{"code":"not_found","message":"not here"}\n' })
  })

  it('ends with an error line if it fails later', async () => {
    async function* broken() {
      yield { i32: 1 }
      throw new ConnectError('no more', Code.Unavailable)
    }
    await using server = await startServer(handlerOf(broken), protocol)
    const lines = await server.send({ target: '/v1/watch/a' })
    expect(lines.text).toBe('{"i32":1}\n{"error":{"code":"unavailable","message":"no more"}}\n')
    const events = await server.send({ target: '/v1/watch/a', headers: { accept: 'text/event-stream' } })
    expect(events.text).toBe(
      'data: {"i32":1}\n\nevent: error\ndata: {"error":{"code":"unavailable","message":"no more"}}\n\n',
    )
  })

  it('masks an unexpected error', async () => {
    const causes: unknown[] = []
    async function* broken() {
      yield { i32: 1 }
      throw new Error('secret')
    }
    await using server = await startServer(
      handlerOf(broken, { onError: (cause: unknown) => causes.push(cause) }),
      protocol,
    )
    const response = await server.send({ target: '/v1/watch/a' })
    expect(response.text).toBe('{"i32":1}\n{"error":{"code":"internal","message":"internal error"}}\n')
    expect(causes).toEqual([new Error('secret')])
  })

  it('ends at the deadline with an error line even if the handler ignores the signal', async () => {
    async function* stuck() {
      yield { i32: 1 }
      await new Promise(() => undefined)
    }
    await using server = await startServer(handlerOf(stuck), protocol)
    const response = await server.send({ target: '/v1/watch/a', headers: { 'connect-timeout-ms': '50' } })
    expect(response.text).toBe('{"i32":1}\n{"error":{"code":"deadline_exceeded","message":"the deadline passed"}}\n')
  })

  it('returns 504 if the deadline passes before its first message', async () => {
    async function* stuck() {
      await new Promise(() => undefined)
      yield {}
    }
    await using server = await startServer(handlerOf(stuck), protocol)
    const response = await server.send({ target: '/v1/watch/a', headers: { 'grpc-timeout': '50m' } })
    expect(response.status).toBe(504)
  })

  it('of raw bytes consists of those bytes, with the content type of the first message', async () => {
    async function* pieces() {
      yield { contentType: 'text/csv', data: Buffer.from('a,b\n') }
      yield { contentType: 'ignored', data: Buffer.from('c,d\n') }
    }
    await using server = await startServer(handlerOf(pieces), protocol)
    const response = await server.send({ target: '/v1/fetch' })
    expect(response.headers['content-type']).toBe('text/csv')
    expect(response.text).toBe('a,b\nc,d\n')
  })

  it('carries the headers set before the first message, and trailers', async () => {
    const handler: AnyHandler = async function* (_message, context) {
      context.responseHeader.set('x-before', '1')
      yield { i32: 1 }
      context.responseTrailer.set('x-after', '2')
    }
    await using server = await startServer(handlerOf(handler), protocol)
    const response = await server.send({ target: '/v1/watch/a' })
    expect(response.headers['x-before']).toBe('1')
    expect(response.trailers['x-after']).toBe('2')
  })

  it('is compressed on request, message by message', async () => {
    await using server = await startServer(handlerOf(numbers), protocol)
    const response = await server.send({ target: '/v1/watch/a', headers: { 'accept-encoding': 'gzip' } })
    expect(response.headers['content-encoding']).toBe('gzip')
    expect(gunzipSync(response.bytes).toString()).toBe('{"i32":1}\n{"i32":2}\n')
  })

  it('responds to HEAD with only the headers and stops the handler', async () => {
    let stopped = false
    async function* endless() {
      try {
        for (;;) yield { i32: 1 }
      } finally {
        stopped = true
      }
    }
    await using server = await startServer(handlerOf(endless), protocol)
    const response = await server.send({ method: 'HEAD', target: '/v1/watch/a' })
    expect(response).toMatchObject({ status: 200, text: '' })
    expect(response.headers['content-type']).toBe('application/x-ndjson')
    expect(stopped).toBe(true)
  })
})

describe('a server stream', () => {
  it('is not built where the fields by which it continues are no strings', () => {
    for (const fields of [
      { id: 'i32', lastId: 'id' },
      { id: 'id', lastId: 'nothing' },
    ]) {
      expect(() => handlerOf(numbers, { eventIds: () => fields })).toThrow(
        `eventIds: ${fields.id} of rest.test.v1.Everything and ${fields.lastId} of rest.test.v1.Everything must be strings`,
      )
    }
  })

  it('sends each message as soon as it is produced', async () => {
    let release: (() => void) | undefined
    const gate = new Promise<void>((resolve) => {
      release = resolve
    })
    async function* slow() {
      yield { i32: 1 }
      await gate
      yield { i32: 2 }
    }
    await using server = await startServer(handlerOf(slow))
    const request = requestHttp1({
      port: server.port,
      path: '/v1/watch/a',
      headers: { 'accept-encoding': 'gzip' },
    }).end()
    const [response] = await once(request, 'response')
    const [first] = await once(response, 'data')
    expect(first.length).toBeGreaterThan(0)
    release?.()
    await once(response.resume(), 'end')
  })

  it('stops when the client disconnects', async () => {
    let seen: (reason: unknown) => void = () => undefined
    const aborted = new Promise((resolve) => {
      seen = resolve
    })
    const handler: AnyHandler = async function* (_message, context) {
      try {
        yield { i32: 1 }
        await new Promise((_, reject) => context.signal.addEventListener('abort', () => reject(context.signal.reason)))
      } catch (error) {
        seen(error)
      }
    }
    await using server = await startServer(handlerOf(handler))
    const request = requestHttp1({ port: server.port, path: '/v1/watch/a' }).end()
    const [response] = await once(request, 'response')
    await once(response, 'data')
    request.destroy()
    expect(await aborted).toMatchObject({ code: Code.Canceled })
  })

  it('of very many messages can be abandoned by its client', async () => {
    let seen: (reason: unknown) => void = () => undefined
    const aborted = new Promise((resolve) => {
      seen = resolve
    })
    let made: () => void = () => undefined
    const all = new Promise<void>((resolve) => {
      made = resolve
    })
    const handler: AnyHandler = async function* (_message, context) {
      for (let index = 0; index < 20_000; index++) yield { i32: index }
      made()
      await new Promise(() => context.signal.addEventListener('abort', () => seen(context.signal.reason)))
    }
    await using server = await startServer(handlerOf(handler))
    const request = requestHttp1({ port: server.port, path: '/v1/watch/a' }).end()
    const [response] = await once(request, 'response')
    response.on('error', () => undefined).resume()
    await all
    request.destroy()
    expect(await aborted).toMatchObject({ code: Code.Canceled })
  })

  it('waits for a client that does not read', async () => {
    let made = 0
    const handler: AnyHandler = async function* (message) {
      const count = message['id'] === 'flood' ? 1000 : 1
      for (let index = 0; index < count; index++) {
        if (count > 1) made++
        yield { opt: 'x'.repeat(100_000) }
      }
    }
    await using server = await startServer(handlerOf(handler))
    const request = requestHttp1({ port: server.port, path: '/v1/watch/flood' }).end()
    const [response] = await once(request, 'response')
    response.pause()
    // Other calls are served meanwhile, which a flood without brakes would not allow before its end.
    for (let call = 0; call < 50; call++) await server.send({ target: '/v1/watch/other' })
    expect(made).toBeLessThan(1000)
    request.destroy()
  })

  it.each(['identity', 'gzip'])('of many messages arrives complete at a slow client, with %s', async (coding) => {
    const warnings: Error[] = []
    const onWarning = (warning: Error) => warnings.push(warning)
    process.on('warning', onWarning)
    const noise = Array.from({ length: 20_000 }, (_, index) => ((index * 7919) % 36).toString(36)).join('')
    async function* many() {
      for (let index = 0; index < 200; index++) yield { i32: index, opt: noise }
    }
    await using server = await startServer(handlerOf(many))
    const headers = { 'accept-encoding': coding }
    const request = requestHttp1({ port: server.port, path: '/v1/watch/a', headers }).end()
    const [response] = await once(request, 'response')
    const chunks: Buffer[] = []
    for await (const chunk of response) {
      chunks.push(chunk)
      await new Promise(setImmediate)
    }
    const bytes = Buffer.concat(chunks)
    const lines = (coding === 'gzip' ? gunzipSync(bytes) : bytes).toString().trimEnd().split('\n')
    expect(lines.length).toBe(200)
    expect(JSON.parse(lines.at(-1) ?? '')).toEqual({ i32: 199, opt: noise })
    expect(warnings).toEqual([])
    process.off('warning', onWarning)
  })

  it.each(['identity', 'gzip'])(
    'ends its handler when the client disconnects during a write, with %s',
    async (coding) => {
      let ended: () => void = () => undefined
      const end = new Promise<void>((resolve) => {
        ended = resolve
      })
      const noise = Array.from({ length: 100_000 }, (_, index) => ((index * 7919) % 36).toString(36)).join('')
      async function* flood() {
        try {
          for (;;) yield { opt: noise }
        } finally {
          ended()
        }
      }
      await using server = await startServer(handlerOf(flood))
      const request = requestHttp1({
        port: server.port,
        path: '/v1/watch/a',
        headers: { 'accept-encoding': coding },
      }).end()
      const [response] = await once(request, 'response')
      await once(response, 'data')
      response.pause()
      request.destroy()
      await end
      expect((await server.send({ method: 'HEAD', target: '/v1/watch/a' })).status).toBe(200)
    },
  )

  it.each(['identity', 'gzip'])(
    'ends its handler at the deadline even if its client does not read, with %s',
    async (coding) => {
      let ended: () => void = () => undefined
      const end = new Promise<void>((resolve) => {
        ended = resolve
      })
      const noise = Array.from({ length: 100_000 }, (_, index) => ((index * 7919) % 36).toString(36)).join('')
      async function* flood() {
        try {
          for (;;) yield { opt: noise }
        } finally {
          ended()
        }
      }
      await using server = await startServer(handlerOf(flood))
      const headers = { 'accept-encoding': coding, 'connect-timeout-ms': '200' }
      const request = requestHttp1({ port: server.port, path: '/v1/watch/a', headers }).end()
      const [response] = await once(request, 'response')
      response.on('error', () => undefined)
      await end
      expect(response.readableFlowing).toBe(null)
      request.destroy()
    },
  )

  it('of raw bytes that fails is not mistaken for complete', async () => {
    async function* broken() {
      yield { contentType: 'text/csv', data: Buffer.from('a') }
      throw new Error('secret')
    }
    await using server = await startServer(handlerOf(broken))
    await expect(server.send({ target: '/v1/fetch' })).rejects.toThrow(/aborted|hang up/)
  })
})
