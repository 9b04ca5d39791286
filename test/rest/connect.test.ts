import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type DescMethod, type DescMethodServerStreaming, type Message, toJson } from '@bufbuild/protobuf'
import { ConnectError, createContextKey, type Interceptor } from '@connectrpc/connect'
import { connectNodeAdapter, createConnectTransport } from '@connectrpc/connect-node'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { createRestTranscoder } from '../../src/rest/index.js'
import { defineService, messageType, routesOf } from './fixture.js'

const service = defineService({
  Get: { rule: { post: '/v1/things/{id}', body: '*' } },
  Watch: { serverStream: true, rule: { get: '/v1/things/{id}:watch' } },
})
const everything = messageType('Everything')
const key = createContextKey('unset')

function isServerStreaming(method: DescMethod): method is DescMethodServerStreaming {
  return method.methodKind === 'server_streaming'
}

describe('the transcoder in front of connectNodeAdapter', () => {
  const seen: unknown[] = []
  let server: Server
  let origin: string

  beforeAll(async () => {
    const watch: Interceptor = (next) => async (req) => {
      req.contextValues.set(key, 'set')
      const message = req.stream ? 'a stream' : toJson(everything, req.message as Message)
      seen.push({
        message,
        method: req.method.name,
        service: req.service.typeName,
        stream: req.stream,
        header: req.header.get('x-mine'),
        origin: new URL(req.url).origin,
        signal: req.signal.aborted,
      })
      const res = await next(req)
      res.header.set('x-out', '1')
      return res
    }
    const routes = routesOf(service, (message, context, method) => {
      expect(context.values.get(key)).toBe('set')
      if (message['i32'] === 13) throw new ConnectError('unlucky')
      return method.methodKind === 'unary' ? message : many(message)
    })
    const fallback = connectNodeAdapter({ routes, interceptors: [watch] })
    server = createServer(createRestTranscoder({ routes, interceptors: [watch], fallback })).listen(0, '127.0.0.1')
    await once(server, 'listening')
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  })
  afterAll(() => {
    server.close()
    server.closeAllConnections()
  })

  async function* many(message: object) {
    yield message
    yield message
  }

  it('shows interceptors the same request, and returns the same message', async () => {
    const headers = { 'content-type': 'application/json', 'x-mine': 'yes' }
    const rest = await fetch(`${origin}/v1/things/a`, {
      method: 'POST',
      headers,
      body: '{"i64":"5","leaf":{"name":"b"}}',
    })
    const body = '{"id":"a","i64":"5","leaf":{"name":"b"}}'
    const rpc = await fetch(`${origin}/rest.test.v1.TestService/Get`, { method: 'POST', headers, body })
    expect(seen.splice(0)).toEqual(
      Array(2).fill({
        message: { id: 'a', i64: '5', leaf: { name: 'b' } },
        method: 'Get',
        service: 'rest.test.v1.TestService',
        stream: false,
        header: 'yes',
        origin,
        signal: false,
      }),
    )
    expect(await rest.json()).toEqual(await rpc.json())
    expect(rest.headers.get('x-out')).toBe('1')
    expect(rpc.headers.get('x-out')).toBe('1')
  })

  it('hides the same things in errors', async () => {
    const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"i32":13}' }
    const rest = await fetch(`${origin}/v1/things/a`, init)
    const rpc = await fetch(`${origin}/rest.test.v1.TestService/Get`, init)
    expect(await rest.json()).toEqual(await rpc.json())
    expect(rest.status).toBe(rpc.status)
  })

  it('streams through the same interceptors', async () => {
    seen.splice(0)
    const rest = await (await fetch(`${origin}/v1/things/a:watch`)).text()
    expect(rest).toBe('{"id":"a"}\n{"id":"a"}\n')
    const method = service.methods.find(isServerStreaming)
    if (method === undefined) throw new Error('no such method')
    const transport = createConnectTransport({ baseUrl: origin, httpVersion: '1.1' })
    const input = (async function* () {
      yield { id: 'a' }
    })()
    const response = await transport.stream(method, undefined, undefined, undefined, input)
    const messages: unknown[] = []
    for await (const message of response.message) messages.push(toJson(everything, message as Message))
    expect(messages).toEqual([{ id: 'a' }, { id: 'a' }])
    expect(seen).toMatchObject([
      { method: 'Watch', stream: true },
      { method: 'Watch', stream: true },
    ])
  })
})
