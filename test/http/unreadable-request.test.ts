import { ServerResponse } from 'node:http'
import { connect } from 'node:net'
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals'
import type { NodeRequest, NodeResponse } from '../../src/call/node-http.js'
import type { HttpServer } from '../../src/http/server.js'
import { createTestServer } from '../support/http-server.js'

describe('a request of HTTP/1.1 that cannot be read', () => {
  let server: HttpServer
  let port: number

  beforeEach(async () => {
    const handler = (_: NodeRequest, response: NodeResponse) => {
      if (response instanceof ServerResponse) response.write('begun')
    }
    server = createTestServer(handler, { maxHeaderBytes: 4_096 })
    port = (await server.listen(0, '127.0.0.1')).port
  })
  afterEach(() => server.close({ drainMillis: 0, graceMillis: 0, onGraceOver: () => {} }))

  /** All that comes back until the connection is closed; `next` is sent when something has come. */
  async function sent(first: string, next?: string): Promise<string> {
    const socket = connect(port, '127.0.0.1').setEncoding('utf8')
    socket.write(first)
    let text = ''
    for await (const part of socket) {
      if (text === '' && next !== undefined) socket.write(next)
      text += part
    }
    return text
  }

  it.each([
    ['a header that is too large', `x: ${'x'.repeat(5_000)}`, 431, 'larger than 4096 bytes: send a shorter path'],
    ['a path that is too long', undefined, 431, 'larger than 4096 bytes: send a shorter path'],
    ['a line that is no header', 'host svc', 400, 'this is not a request of HTTP/1.1'],
    ['two lengths', 'content-length: 1\r\ncontent-length: 2', 400, 'this is not a request of HTTP/1.1'],
  ])('is answered as errors are, to pages as well: %s', async (_, line, status, message) => {
    const path = line === undefined ? `/${'x'.repeat(5_000)}` : '/'
    const [header = '', body = ''] = (await sent(`GET ${path} HTTP/1.1\r\n${line ?? 'host: svc'}\r\n\r\n`)).split(
      '\r\n\r\n',
    )
    expect(header).toContain(`HTTP/1.1 ${status} `)
    expect(header.split('\r\n')).toEqual(
      expect.arrayContaining([
        'access-control-allow-origin: *',
        'connection: close',
        'content-type: application/json',
        `content-length: ${Buffer.byteLength(body)}`,
      ]),
    )
    expect(JSON.parse(body)).toMatchObject({
      code: 'invalid_argument',
      message: expect.stringContaining(message),
      detail: { debug: { reason: 'ERROR_REASON_MALFORMED_REQUEST' } },
    })
  })

  it('puts nothing into an answer that has begun', async () => {
    const text = await sent('GET / HTTP/1.1\r\nhost: svc\r\n\r\n', 'nothing of HTTP\r\n\r\n')
    expect(text).toMatch(/^HTTP\/1\.1 200 OK.*begun\r\n$/s)
  })
})
