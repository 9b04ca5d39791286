import { once } from 'node:events'
import { request as requestHttp1 } from 'node:http'
import { connect } from 'node:http2'
import { Code } from '@connectrpc/connect'
import { describe, expect, it } from '@jest/globals'
import { readBody } from '../../src/call/body-reader.js'
import type { NodeRequest, RestTranscoderOptions } from '../../src/rest/index.js'
import { echo, handlerOf, json } from './echo.js'
import { startServer } from './http.js'

describe('deadlines', () => {
  it.each([
    ['connect-timeout-ms', '500000', 500_000],
    ['grpc-timeout', '200S', 200_000],
    ['grpc-timeout', '500000m', 500_000],
    ['grpc-timeout', '99999001u', 100_000],
    ['grpc-timeout', '1H', 3_600_000],
    ['connect-timeout-ms', '9999999999', 9_999_999_999],
  ])('%s: %s gives the handler %s ms', async (name, value, expected) => {
    let left = Number.NaN
    await using server = await startServer(
      handlerOf((message, context) => {
        left = context.timeoutMs() ?? Number.NaN
        return message
      }),
    )
    const sentAt = performance.now()
    expect((await server.send({ target: '/v1/things/a', headers: { [name]: value } })).status).toBe(200)
    expect(left).toBeGreaterThan(expected - (performance.now() - sentAt) - 1)
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

  it('have a maximum, which is the default', async () => {
    const left: (number | undefined)[] = []
    await using server = await startServer(
      handlerOf(
        (message, context) => {
          left.push(Math.ceil((context.timeoutMs() ?? 0) / 1000))
          return message
        },
        { maxTimeoutMs: 2000 },
      ),
    )
    await server.send({ target: '/v1/things/a' })
    await server.send({ target: '/v1/things/a', headers: { 'connect-timeout-ms': '5000' } })
    await server.send({ target: '/v1/things/a', headers: { 'connect-timeout-ms': '1000' } })
    expect(left).toEqual([2, 2, 1])
  })

  it('cover admission, and default to the maximum if the header is malformed', async () => {
    const admit = () => new Promise<undefined>(() => undefined)
    await using server = await startServer(handlerOf(echo, { admit, maxTimeoutMs: 30 }))
    for (const timeout of [undefined, '10', '60000', 'soon']) {
      const headers = timeout === undefined ? {} : { 'connect-timeout-ms': timeout }
      expect((await server.send({ target: '/v1/things/a', headers })).status).toBe(504)
    }
  })

  it('reach admission when they pass, after which nothing starts', async () => {
    let begun = 0
    const admit: RestTranscoderOptions['admit'] = ({ signal }) =>
      new Promise((resolve) => signal.addEventListener('abort', () => resolve()))
    await using server = await startServer(handlerOf(echo, { admit, beforeDecode: () => void begun++ }))
    expect((await server.send({ target: '/v1/things/a', headers: { 'connect-timeout-ms': '20' } })).status).toBe(504)
    expect(begun).toBe(0)
  })

  it('end an HTTP/2 call whose body never ends, and its stream soon after', async () => {
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
  })

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
  it('when a client disconnects aborts the handler', async () => {
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

  it('when a client disconnects in the middle of its body affects no other call', async () => {
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

  it('when a client disconnects before its body is read is an error, not a wait', async () => {
    let gone: (request: NodeRequest) => void = () => undefined
    const left = new Promise<NodeRequest>((resolve) => {
      gone = resolve
    })
    await using server = await startServer((request) => void request.once('close', () => gone(request)))
    const headers = { ...json, 'content-length': 100 }
    const request = requestHttp1({ port: server.port, method: 'POST', path: '/v1/things', headers })
    request.on('error', () => undefined)
    request.write('{"id":', () => request.destroy())
    await expect(readBody(await left, undefined, 100)).rejects.toMatchObject({ code: Code.Canceled })
  })

  it('when the server stops aborts running calls', async () => {
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

  it('happens at the end of a call, as over Connect', async () => {
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
