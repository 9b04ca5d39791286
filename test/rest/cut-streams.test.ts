import { once } from 'node:events'
import { request as requestHttp1 } from 'node:http'
import { connect } from 'node:http2'
import { constants, gunzipSync } from 'node:zlib'
import { Code, ConnectError } from '@connectrpc/connect'
import { describe, expect, it } from '@jest/globals'
import { createRestTranscoder } from '../../src/rest/index.js'
import { defineService, routesOf } from './fixture.js'
import { PROTOCOLS, startServer } from './http.js'

const service = defineService({
  Fetch: { serverStream: true, output: 'google.api.HttpBody', rule: { get: '/v1/fetch' } },
})

/** What comes of a stream of bytes before it is cut, and what shows that to its reader. */
async function fetchUntilCut(port: number, protocol: (typeof PROTOCOLS)[number], coding: string) {
  const headers = { 'accept-encoding': coding }
  const session = protocol === 'HTTP/2' ? connect(`http://127.0.0.1:${port}`) : undefined
  const sent =
    session?.request({ ...headers, ':path': '/v1/fetch' }) ?? requestHttp1({ port, path: '/v1/fetch', headers })
  const [head] = await once(sent.end(), 'response')
  const chunks: Buffer[] = []
  const error = await (async () => {
    for await (const chunk of session === undefined ? head : sent) chunks.push(chunk)
  })().catch((thrown: unknown) => thrown)
  session?.destroy()
  return { status: session === undefined ? head.statusCode : head[':status'], bytes: Buffer.concat(chunks), error }
}

describe.each(PROTOCOLS)('a server stream over %s', (protocol) => {
  it.each(['identity', 'gzip'])('of bytes that fails is cut after what was sent before: %s', async (coding) => {
    async function* broken() {
      yield { contentType: 'text/plain', data: Buffer.from('begun') }
      throw new ConnectError('broken', Code.Internal)
    }
    await using server = await startServer(createRestTranscoder({ routes: routesOf(service, broken) }), protocol)
    const { status, bytes, error } = await fetchUntilCut(server.port, protocol, coding)
    const text = coding === 'gzip' ? gunzipSync(bytes, { finishFlush: constants.Z_SYNC_FLUSH }) : bytes
    expect([status, text.toString()]).toEqual([200, 'begun'])
    expect(error).toBeInstanceOf(Error)
  })
})
