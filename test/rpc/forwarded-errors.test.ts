import { Code, ConnectError } from '@connectrpc/connect'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { type EchoServer, startEchoServer } from './echo-server.js'
import { pathOf } from './echo-service.js'
import { callHttp2 } from './raw-call.js'
import { bodyOf, headersOf, type WireForm } from './wire-form.js'

/** The headers of the response with which a client of a handler's own got its error. */
const ofOther = {
  'content-type': 'application/grpc+json',
  'content-encoding': 'gzip',
  'grpc-encoding': 'gzip',
  'grpc-status': '13',
  'x-other': 'passed on',
}

describe('an error that a handler passes on from a client of its own', () => {
  let server: EchoServer
  beforeAll(async () => {
    const fail = () => async () => {
      throw new ConnectError('not there', Code.NotFound, ofOther)
    }
    server = await startEchoServer({ interceptors: [fail] })
  })
  afterAll(() => server.close())

  it.each([
    ['connect', true, 'application/json'],
    ['connect', false, 'application/connect+json'],
    ['grpc', true, 'application/grpc+json'],
    ['grpc', false, 'application/grpc+json'],
    ['grpc-web', true, 'application/grpc-web+json'],
  ] as const)('is in the form of its own call over %s (unary: %s)', async (protocol, unary, contentType) => {
    const wire: WireForm = { protocol, form: 'json', coding: 'identity', unary }
    const { headers, trailers, body } = await callHttp2(server.http2, {
      path: pathOf(unary ? 'Unary' : 'ServerStream'),
      headers: headersOf(wire),
      body: bodyOf(wire, [Buffer.from('{}')]),
    })
    expect(headers['content-type']).toBe(contentType)
    for (const name of ['content-encoding', 'grpc-encoding']) {
      expect([name, headers[name], trailers[name]]).toEqual([name, undefined, undefined])
    }
    const said = `${JSON.stringify([headers, trailers])}${body.toString()}`
    expect(said).toContain('not')
    expect(said).toContain('passed on')
    expect(said).not.toContain('gzip')
  })
})
