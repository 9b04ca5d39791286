import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import fc from 'fast-check'
import { encodeGrpcMessage } from '../../src/rpc/grpc-status.js'
import { codePoint } from '../support/code-point.js'
import { type EchoServer, startEchoServer } from './echo-server.js'
import { failing, kinds, pathOf } from './echo-service.js'
import { callHttp2 } from './raw-call.js'
import { bodyOf, headersOf, type WireForm } from './wire-form.js'

describe('the message of a status', () => {
  it.each([
    ['priority not found: it does not exist, or you have no access to it', undefined],
    [' !"#$&\'()*+,-./09:;<=>?@AZ[\\]^_`az{|}~', undefined],
    ['100%', '100%25'],
    ['%41', '%2541'],
    ['two\r\nlines\t', 'two%0D%0Alines%09'],
    ['\x7f', '%7F'],
    ['é – 😀', '%C3%A9 %E2%80%93 %F0%9F%98%80'],
    ['\ud800', '%EF%BF%BD'],
  ])('%j is encoded only where it must be', (text, encoded = text) => {
    expect(encodeGrpcMessage(text)).toBe(encoded)
  })

  it('is read by clients that decode whole URIs as well as by those that decode their components', () => {
    fc.assert(
      fc.property(fc.string({ unit: codePoint }), (text) => {
        const encoded = encodeGrpcMessage(text)
        expect(encoded).toMatch(/^[ -~]*$/)
        expect([decodeURI(encoded), decodeURIComponent(encoded)]).toEqual([text.toWellFormed(), text.toWellFormed()])
      }),
    )
  })
})

describe('an error without messages', () => {
  let server: EchoServer
  beforeAll(async () => {
    server = await startEchoServer()
  })
  afterAll(() => server.close())

  const call = (kind: string, headers: Record<string, string>) => {
    const wire: WireForm = { protocol: 'grpc', form: 'proto', coding: 'identity', unary: kind === 'Unary' }
    const body = bodyOf(wire, [new Uint8Array()])
    return callHttp2(server.http2, { path: pathOf(kind), headers: { ...headersOf(wire), ...headers }, body })
  }
  const fails = { 'x-fail': String(failing), 'x-fail-first': 'yes' }

  it.each(kinds)('of %s leaves the headers that the handler set before the trailers', async (kind) => {
    const { headers, trailers, body } = await call(kind, { ...fails, 'x-say': 'hello' })
    expect(body).toHaveLength(0)
    expect(headers).toMatchObject({ 'content-type': 'application/grpc+proto', 'x-echo': 'hello' })
    const ofTrailers = ['x-trailer', 'x-meta', 'grpc-status', 'grpc-message', 'grpc-status-details-bin']
    expect(Object.keys(headers).filter((name) => ofTrailers.includes(name))).toEqual([])
    expect(Object.keys(trailers)).toEqual(expect.arrayContaining(ofTrailers))
    expect(trailers).toMatchObject({
      'x-trailer': 'POST grpc',
      'x-meta': 'extra',
      'grpc-status': String(failing),
      'grpc-message': 'it failed: "%C3%A9" 100%25',
    })
  })

  it.each(kinds)('of %s is Trailers-Only where the handler set none', async (kind) => {
    const { headers, trailers } = await call(kind, { 'x-refuse': 'yes' })
    expect(headers).toMatchObject({ 'grpc-status': '16', 'grpc-message': 'not you' })
    expect(trailers).toEqual({})
  })
})
