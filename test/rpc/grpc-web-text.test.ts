import { once } from 'node:events'
import { request as http1Request } from 'node:http'
import { create } from '@bufbuild/protobuf'
import { Code } from '@connectrpc/connect'
import { encodeEnvelope } from '@connectrpc/connect/protocol'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import fc from 'fast-check'
import { createBase64Decoder } from '../../src/rpc/base64-body.js'
import { openConnection, versions } from './connection.js'
import { type EchoServer, maxBodyBytes, startEchoServer } from './echo-server.js'
import { everything, failing, idsAnswered, type Kind, kinds, pathOf } from './echo-service.js'
import type { RawAnswer } from './raw-call.js'
import { bodyOf, bytesOf, codings, forms, headersOf, readAnswer, type WireForm } from './wire-form.js'

let server: EchoServer
beforeAll(async () => {
  server = await startEchoServer()
})
afterAll(() => server.close())

const rows = kinds.flatMap((kind) =>
  versions.flatMap((version) =>
    forms.flatMap((form) => codings.map((coding) => ({ kind, version, form, coding }) as const)),
  ),
)
const served = rows.filter(({ kind, version }) => kind !== 'Bidi' || version === 'HTTP/2')
type Row = (typeof rows)[number]

const wireOf = ({ kind, form, coding }: Pick<Row, 'kind' | 'form' | 'coding'>): WireForm => {
  return { protocol: 'grpc-web', form, coding, unary: kind === 'Unary' }
}
const base64 = (bytes: Uint8Array) => Buffer.from(Buffer.from(bytes).toString('base64'))
const message = (id: string, form: WireForm['form'] = 'proto') =>
  bytesOf(everything, create(everything, { id } as Record<string, unknown>), form)

const asText = (wire: WireForm): Record<string, string> => ({
  ...headersOf(wire),
  'content-type': `application/grpc-web-text+${wire.form}`,
})

/** The answer with its body in bytes. Throws if it is not text. */
function decoded({ body, ...answer }: RawAnswer): RawAnswer {
  const text = body.toString('latin1')
  if (!/^[\w+/=]*$/.test(text)) throw new Error('the body is not base64')
  return { ...answer, body: Buffer.concat((text.match(/[^=]+=*/g) ?? []).map((piece) => Buffer.from(piece, 'base64'))) }
}

/** Sends a body as text, and gives what the answer says. */
async function callAsText(row: Row, body: Uint8Array, headers: Record<string, string> = {}, path = pathOf(row.kind)) {
  const connection = openConnection(server, row.version)
  const wire = wireOf(row)
  const answer = await connection.send({ path, headers: { ...asText(wire), ...headers }, body })
  connection.close()
  return readAnswer(wire, everything, decoded(answer))
}

describe.each(served)('$kind over gRPC-Web as text, in $form and $coding on $version', (row) => {
  // Each is long enough to be compressed, and none ends with a group of three bytes.
  const ids = row.kind === 'Unary' || row.kind === 'ServerStream' ? ['a'.repeat(1500)] : ['a'.repeat(1501), 'b', 'c']
  const messages = ids.map((id) => message(id, row.form))

  it('responds like the binary form', async () => {
    const answer = await callAsText(row, base64(bodyOf(wireOf(row), messages)), { 'x-say': 'hello' })
    expect(answer).toMatchObject({
      status: 200,
      contentType: `application/grpc-web-text+${row.form}`,
      headers: { 'x-echo': 'hello' },
      trailers: { 'x-trailer': 'POST grpc-web' },
      code: 0,
    })
    expect(answer.messages).toEqual(idsAnswered(row.kind, ids))
  })

  it('accepts messages that are encoded each by itself', async () => {
    const each = messages.map((bytes) => base64(bodyOf(wireOf(row), [bytes])))
    const answer = await callAsText(row, Buffer.concat(each))
    expect([answer.code, answer.messages]).toEqual([0, idsAnswered(row.kind, ids)])
  })

  it('fails with the same status', async () => {
    const answer = await callAsText(row, base64(bodyOf(wireOf(row), messages)), { 'x-fail': String(failing) })
    expect([answer.status, answer.code, answer.text]).toEqual([200, failing, 'it failed: "é" 100%'])
  })
})

const plain: Row = { kind: 'Unary', version: 'HTTP/1.1', form: 'proto', coding: 'identity' }

it.each<[string, Uint8Array, Code]>([
  ['bytes that are not text', encodeEnvelope(0, message('abc')), Code.InvalidArgument],
  ['base64 for URLs', Buffer.from('AAAAAA-_'), Code.InvalidArgument],
  ['base64 with line breaks', Buffer.from('AAAA\r\nAAA='), Code.InvalidArgument],
  ['base64 that ends early', base64(encodeEnvelope(0, message('abcd'))).subarray(0, -1), Code.InvalidArgument],
  ['an envelope that ends early', base64(encodeEnvelope(0, message('abc')).subarray(0, -1)), Code.InvalidArgument],
  ['no message', Buffer.alloc(0), Code.Unimplemented],
  ['a message above the limit', base64(encodeEnvelope(0, message('a'.repeat(maxBodyBytes)))), Code.ResourceExhausted],
])('%s is refused as text', async (_, body, code) => {
  expect(await callAsText(plain, body)).toMatchObject({ code, contentType: 'application/grpc-web-text+proto' })
})

it('an unknown method, and a caller who is not admitted, are refused as text', async () => {
  const body = base64(encodeEnvelope(0, message('a')))
  expect(await callAsText(plain, body, {}, pathOf('Nothing'))).toMatchObject({ code: Code.Unimplemented })
  expect(await callAsText(plain, body, { 'x-refuse': 'yes' })).toMatchObject({ code: Code.Unauthenticated })
})

it('a content type that names no form of messages means that they are binary', async () => {
  const body = base64(encodeEnvelope(0, message('a')))
  const answer = await callAsText(plain, body, { 'content-type': 'application/grpc-web-text' })
  expect([answer.code, answer.messages]).toEqual([0, [{ id: 'a' }]])
})

it('each message of a stream is sent at once, in whole groups', async () => {
  const headers = { ...asText(wireOf({ ...plain, kind: 'ServerStream' })), 'x-delay': '60000' }
  const path = pathOf('ServerStream' satisfies Kind)
  const request = http1Request({ port: server.http1, host: '127.0.0.1', method: 'POST', path, headers })
  request.end(base64(encodeEnvelope(0, message('a'))))
  const [response] = await once(request, 'response')
  const expected = Buffer.concat([base64(encodeEnvelope(0, message('a'))), base64(encodeEnvelope(0, message('a')))])
  let received = Buffer.alloc(0)
  for await (const chunk of response) {
    received = Buffer.concat([received, chunk])
    if (received.length >= expected.length) break
  }
  expect(received.toString()).toBe(expected.toString())
})

it('base64 is decoded wherever it is cut', () => {
  const pieces = fc.array(fc.uint8Array({ minLength: 1, maxLength: 9 }), { maxLength: 5 })
  fc.assert(
    fc.property(pieces, fc.array(fc.nat(9), { maxLength: 9 }), (given, cuts) => {
      const text = Buffer.concat(given.map(base64))
      const decoder = createBase64Decoder()
      const bytes: (Buffer | undefined)[] = []
      let at = 0
      for (const length of [...cuts, text.length]) {
        bytes.push(decoder.decode(text.subarray(at, at + length)))
        at += length
      }
      expect(bytes).not.toContain(undefined)
      expect(Buffer.concat(bytes.map((each) => each ?? Buffer.alloc(0)))).toEqual(Buffer.concat(given))
      expect(decoder.isComplete()).toBe(true)
    }),
  )
})
