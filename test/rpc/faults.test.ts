import { brotliCompressSync, gzipSync } from 'node:zlib'
import { create } from '@bufbuild/protobuf'
import { Code, ConnectError } from '@connectrpc/connect'
import { encodeEnvelope } from '@connectrpc/connect/protocol'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { openConnection, type Version, versions } from './connection.js'
import { type EchoServer, maxBodyBytes, startEchoServer } from './echo-server.js'
import { everything, type Kind, kinds, pathOf } from './echo-service.js'
import type { RawRequest } from './raw-call.js'
import { bytesOf, headersOf, isEnveloped, readAnswer, requestOf, rpcProtocols, type WireForm } from './wire-form.js'

let server: EchoServer
beforeAll(async () => {
  server = await startEchoServer()
})
afterAll(() => server.close())

/** A transport of a method: a protocol on an HTTP version. */
interface Transport {
  readonly kind: Kind
  readonly version: Version
  readonly protocol: WireForm['protocol']
}

const transports: Transport[] = kinds.flatMap((kind) =>
  versions.flatMap((version) => rpcProtocols.map((protocol) => ({ kind, version, protocol }))),
)
const served = transports.filter(({ kind, version }) => kind !== 'Bidi' || version === 'HTTP/2')

const message = (id: string, form: WireForm['form'] = 'proto') =>
  bytesOf(everything, create(everything, { id } as Record<string, unknown>), form)

/** Sends one call after the other on one connection, and a good one behind them; gives the codes of the answers. */
async function codesOn({ kind, version, protocol }: Transport, calls: readonly [WireForm, RawRequest][]) {
  const connection = openConnection(server, version)
  const good: WireForm = { protocol, form: 'proto', coding: 'identity', unary: kind === 'Unary' }
  const codes: number[] = []
  for (const [wire, request] of [...calls, [good, requestOf(good, pathOf(kind), [message('a')])] as const]) {
    codes.push(readAnswer(wire, everything, await connection.send(request)).code)
  }
  expect(connection.openStreams()).toBe(0)
  connection.close()
  return codes
}

/** A request that is malformed: its form, the data of its message, and headers that say otherwise than the form. */
type Malformed = readonly [string, Partial<WireForm>, data: Uint8Array, headers?: Record<string, string>]

const zipped = gzipSync(message('a'.repeat(2000)))
const malformed: readonly Malformed[] = [
  ['bytes that are no message', { form: 'proto' }, Buffer.from([0xff, 0xff])],
  ['a number where a text belongs', { form: 'proto' }, Buffer.from([0x08, 0])],
  ['a message that ends early', { form: 'proto' }, message('abc').subarray(0, 3)],
  ['a text that is not UTF-8', { form: 'proto' }, Buffer.from([0x0a, 1, 0xff])],
  ['text that is not JSON', { form: 'json' }, Buffer.from('{id:1}')],
  ['a value of the wrong type', { form: 'json' }, Buffer.from('{"id":[]}')],
  ['a lone surrogate', { form: 'json' }, Buffer.from('{"id":"\\ud800"}')],
  ['gzip that ends early', { coding: 'gzip' }, zipped.subarray(0, -9)],
  ['gzip with a wrong sum', { coding: 'gzip' }, Buffer.concat([zipped.subarray(0, -8), Buffer.alloc(8)])],
  ['what is not gzip', { coding: 'gzip' }, message('abc')],
  ['gzip for br', { coding: 'br' }, zipped],
  ['br that ends early', { coding: 'br' }, brotliCompressSync(message('abc')).subarray(0, -1)],
]

describe.each(served)('$kind over $protocol on $version', (transport) => {
  const { kind, protocol } = transport
  const wireOf = (changes: Partial<WireForm>): WireForm => ({
    protocol,
    form: 'proto',
    coding: 'identity',
    unary: kind === 'Unary',
    ...changes,
  })
  const callOf = (changes: Partial<WireForm>, data: Uint8Array): [WireForm, RawRequest] => {
    const wire = wireOf(changes)
    const flags = wire.coding === 'identity' ? 0 : 1
    const body = isEnveloped(wire) ? encodeEnvelope(flags, data) : data
    return [wire, { path: pathOf(kind), headers: headersOf(wire), body }]
  }

  it('returns invalid_argument for malformed input, and serves the next call on the connection', async () => {
    const before = server.reported.length
    const codes = await codesOn(
      transport,
      malformed.map(([, changes, data]) => callOf(changes, data)),
    )
    expect(codes.map((code, index) => [malformed[index]?.[0] ?? 'a good call', code])).toEqual([
      ...malformed.map(([name]) => [name, Code.InvalidArgument]),
      ['a good call', 0],
    ])
    expect(server.reported.slice(before)).toEqual([])
  })

  it('refuses a message above the limit, before and after decompression, and serves the next call', async () => {
    const calls = [
      callOf({}, message('a'.repeat(maxBodyBytes))),
      callOf({}, message('a'.repeat(40 * maxBodyBytes))),
      callOf({ coding: 'gzip' }, gzipSync(message('a'.repeat(maxBodyBytes)))),
      callOf({ coding: 'br' }, brotliCompressSync(message('a'.repeat(maxBodyBytes)))),
    ]
    expect(await codesOn(transport, calls)).toEqual([...calls.map(() => Code.ResourceExhausted), 0])
  })

  it('refuses 300 calls with bodies of 90 kB on one connection, and serves the next', async () => {
    const [wire, request] = callOf({}, message('a'.repeat(90_000)))
    const refused = { ...request, headers: { ...request.headers, 'x-refuse': 'yes' } }
    const codes = await codesOn(transport, Array<[WireForm, RawRequest]>(300).fill([wire, refused]))
    expect(codes).toEqual([...Array(300).fill(Code.Unauthenticated), 0])
  })

  it('returns unimplemented for unknown methods, whatever is sent, and serves the next', async () => {
    const [wire, request] = callOf({}, message('a'.repeat(90_000)))
    const unknown = { ...request, path: pathOf('Nothing') }
    // Over Connect it is 404 with an error in JSON, for streams as well.
    const read: WireForm = protocol === 'connect' ? { ...wire, unary: true } : wire
    expect(await codesOn(transport, Array(20).fill([read, unknown]))).toEqual([
      ...Array(20).fill(Code.Unimplemented),
      0,
    ])
  })
})

describe.each(served.filter(hasEnvelopes))('the envelopes of $kind over $protocol on $version', (transport) => {
  const wire: WireForm = {
    protocol: transport.protocol,
    form: 'proto',
    coding: 'identity',
    unary: transport.kind === 'Unary',
  }
  const path = pathOf(transport.kind)
  const headers = headersOf(wire)
  const codesOf = (body: Uint8Array, changes: Record<string, string> = {}) =>
    codesOn(transport, [[wire, { path, headers: { ...headers, ...changes }, body }]])

  it.each([
    ['a prefix that ends early', Buffer.from([0, 0, 0])],
    ['a message that ends early', encodeEnvelope(0, message('abc')).subarray(0, -1)],
    ['a prefix after the message', Buffer.concat([encodeEnvelope(0, message('a')), Buffer.from([0, 0])])],
  ])('are refused as invalid_argument with %s', async (_, body) => {
    expect(await codesOf(body)).toEqual([Code.InvalidArgument, 0])
  })

  it('are invalid_argument if one is compressed without a declared encoding, and internal with identity', async () => {
    const body = encodeEnvelope(1, zipped)
    const header = transport.protocol === 'connect' ? 'connect-content-encoding' : 'grpc-encoding'
    expect(await codesOf(body, { [header]: '' })).toEqual([Code.InvalidArgument, 0])
    // The protocol of gRPC wants it so for who declares identity and compresses.
    expect(await codesOf(body)).toEqual([Code.Internal, 0])
  })

  it('are unimplemented if a unary method gets no message or two', async () => {
    const isOne = transport.kind === 'Unary' || transport.kind === 'ServerStream'
    const expected = isOne ? Code.Unimplemented : 0
    expect(await codesOf(Buffer.alloc(0))).toEqual([expected, 0])
    expect(await codesOf(Buffer.concat([encodeEnvelope(0, message('a')), encodeEnvelope(0, message('b'))]))).toEqual([
      expected,
      0,
    ])
  })
})

it.each([
  ['connect', 0x02],
  ['grpc-web', 0x80],
] as const)('bytes after the last message are ignored, over %s', async (protocol, flag) => {
  const wire: WireForm = { protocol, form: 'proto', coding: 'identity', unary: false }
  const body = Buffer.concat([
    encodeEnvelope(0, message('a')),
    encodeEnvelope(flag, Buffer.from('{}')),
    encodeEnvelope(0, Buffer.from([0xff])),
  ])
  const request = { path: pathOf('ServerStream'), headers: headersOf(wire), body }
  expect(await codesOn({ kind: 'ServerStream', version: 'HTTP/1.1', protocol }, [[wire, request]])).toEqual([0, 0])
})

function hasEnvelopes({ kind, protocol }: Transport): boolean {
  return isEnveloped({ protocol, unary: kind === 'Unary' })
}

describe.each(versions)('a GET over Connect on %s', (version) => {
  const transport: Transport = { kind: 'Unary', version, protocol: 'connect' }
  const wire: WireForm = { protocol: 'connect', form: 'proto', coding: 'identity', unary: true }
  const get = (query: string): [WireForm, RawRequest] => [
    wire,
    { method: 'GET', path: `${pathOf('Unary')}?connect=v1&${query}`, headers: {} },
  ]
  const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64url')

  it.each([
    ['bad base64', 'encoding=proto&base64=1&message=%21%21'],
    ['base64 that is not a message', `encoding=proto&base64=1&message=${base64(Buffer.from([0xff]))}`],
    ['gzip that ends early', `encoding=proto&base64=1&compression=gzip&message=${base64(zipped.subarray(0, -9))}`],
    ['text that is not JSON', 'encoding=json&message=%7B'],
    ['no message in JSON', 'encoding=json'],
  ])('is refused as invalid_argument with %s', async (_, query) => {
    expect(await codesOn(transport, [get(query)])).toEqual([Code.InvalidArgument, 0])
  })

  it('treats an empty compression as none', async () => {
    expect(
      await codesOn(transport, [get(`encoding=proto&base64=1&compression=&message=${base64(message('a'))}`)]),
    ).toEqual([0, 0])
  })

  it('refuses a message above the limit after decompression', async () => {
    const bomb = base64(gzipSync(message('a'.repeat(maxBodyBytes))))
    expect(await codesOn(transport, [get(`encoding=proto&base64=1&compression=gzip&message=${bomb}`)])).toEqual([
      Code.ResourceExhausted,
      0,
    ])
  })
})

describe('an exception', () => {
  it.each(rpcProtocols)('before decoding ends the response and is reported, over %s', async (protocol) => {
    const failing = await startEchoServer({ beforeDecode: () => Promise.reject(new Error('a private failure')) })
    const wire: WireForm = { protocol, form: 'proto', coding: 'identity', unary: true }
    const connection = openConnection(failing, 'HTTP/2')
    const answer = await connection.send(requestOf(wire, pathOf('Unary'), [message('a')]))
    expect(readAnswer(wire, everything, answer)).toMatchObject({ code: Code.Internal, text: 'internal error' })
    expect(failing.reported).toEqual([new Error('a private failure')])
    connection.close()
    failing.close()
  })

  it.each(rpcProtocols)('with text that was cut inside a character is returned, over %s', async (protocol) => {
    const cut = await startEchoServer({
      beforeDecode: () => Promise.reject(new ConnectError('\u{1f680}'.slice(0, 1), Code.NotFound)),
    })
    const wire: WireForm = { protocol, form: 'proto', coding: 'identity', unary: true }
    const connection = openConnection(cut, 'HTTP/2')
    const answer = await connection.send(requestOf(wire, pathOf('Unary'), [message('a')]))
    expect(readAnswer(wire, everything, answer)).toMatchObject({ code: Code.NotFound, text: '\ufffd' })
    connection.close()
    cut.close()
  })

  it('with a header that cannot be sent cuts the response', async () => {
    const broken = await startEchoServer({
      interceptors: [
        (next) => async (request) => {
          const response = await next(request)
          response.header.set('x-broken', '\u0001')
          return response
        },
      ],
    })
    for (const protocol of rpcProtocols) {
      const wire: WireForm = { protocol, form: 'proto', coding: 'identity', unary: true }
      const connection = openConnection(broken, 'HTTP/1.1')
      await expect(connection.send(requestOf(wire, pathOf('Unary'), [message('a')]))).rejects.toThrow()
      connection.close()
    }
    expect(broken.reported).toHaveLength(rpcProtocols.length)
    broken.close()
  })
})
