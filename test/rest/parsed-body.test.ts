import { buffer } from 'node:stream/consumers'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from '@jest/globals'
import type { NodeHandler } from '../../src/call/node-http.js'
import { createRestTranscoder } from '../../src/rest/index.js'
import { type AnyHandler, defineService, routesOf } from './fixture.js'
import { PROTOCOLS, startServer } from './http.js'

const service = defineService({
  Create: { rule: { post: '/v1/things', body: '*' } },
  Upload: { rule: { post: '/v1/raw', body: '*' }, input: 'google.api.HttpBody', output: 'google.api.HttpBody' },
})
const echo: AnyHandler = (message) => message

/** A framework that reads every body before it calls its handlers, and leaves what it makes of it on the request. */
function reading(handler: NodeHandler, leave: (bytes: Buffer) => unknown): NodeHandler {
  return (request, response) => {
    void buffer(request).then((bytes) => {
      const body = leave(bytes)
      handler(body === undefined ? request : Object.assign(request, { body }), response)
    })
  }
}

interface Asked {
  readonly target?: string
  readonly type?: string
  readonly maxBodyBytes?: number
}

const asJson = (bytes: Buffer) => JSON.parse(bytes.toString())
const asBytes = (bytes: Buffer) => bytes
const asText = (bytes: Buffer) => bytes.toString()
const dropped = () => undefined

describe.each(PROTOCOLS)('behind a framework that has read the body, over %s', (protocol) => {
  async function post(
    leave: (bytes: Buffer) => unknown,
    body: string,
    { target = '/v1/things', type = 'application/json', ...options }: Asked = {},
  ) {
    const transcoder = createRestTranscoder({ routes: routesOf(service, echo), ...options })
    await using server = await startServer(reading(transcoder, leave), protocol)
    return await server.send({ method: 'POST', target, headers: { 'content-type': type }, body })
  }

  it.each([
    ['a parsed value', asJson],
    ['bytes', asBytes],
    ['text', asText],
  ])('its body is %s', async (_, leave) => {
    const sent = '{"id":"a","i64":"9007199254740993","f64":1e300,"leaf":{"name":"ü"}}'
    const { status, text } = await post(leave, sent.replace('"f64"', '"doubleValue"'))
    expect([status, JSON.parse(text)]).toEqual([
      200,
      { id: 'a', i64: '9007199254740993', doubleValue: 1e300, leaf: { name: 'ü' } },
    ])
  })

  it.each([
    ['nothing of the body', dropped, '{"id":"a"}', {}, 500, 'the body was read before the transcoder could'],
    [
      'a form as an object',
      () => ({ id: 'a' }),
      'id=a',
      { type: 'application/x-www-form-urlencoded' },
      500,
      'was read',
    ],
    ['a value where bytes are meant', asJson, '{}', { target: '/v1/raw' }, 500, 'the body was read before'],
    ['a rounded integer', asJson, '{"i64":9007199254740993}', {}, 400, 'i64: is an integer beyond 2^53'],
    ['an unknown field', asJson, '{"idd":"a"}', {}, 400, 'idd: no such field'],
    ['more than the limit', asJson, '{"id":"abcdef"}', { maxBodyBytes: 15 }, 200, '{"id":"abcdef"}'],
    ['more than the limit', asJson, '{"id":"abcdefg"}', { maxBodyBytes: 15 }, 413, 'larger than 15 bytes'],
    ['another type', asText, 'a', { type: 'text/plain' }, 415, 'send Content-Type: application/json'],
  ])('the answer says what is wrong: %s', async (_, leave, body, options, status, said) => {
    const answer = await post(leave, body, options)
    expect([answer.status, answer.text]).toEqual([status, expect.stringContaining(said)])
  })

  it('bytes are passed on as they are', async () => {
    const { text } = await post(asBytes, '{ }', { target: '/v1/raw' })
    expect(text).toBe('{ }')
  })

  it('a body that was compressed is not expanded twice', async () => {
    const transcoder = createRestTranscoder({ routes: routesOf(service, echo) })
    await using server = await startServer(
      reading(transcoder, () => ({ id: 'a' })),
      protocol,
    )
    const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' }
    const body = gzipSync('{"id":"a"}')
    expect((await server.send({ method: 'POST', target: '/v1/things', headers, body })).text).toBe('{"id":"a"}\n')
  })
})
