import { afterAll, beforeAll, expect, it } from '@jest/globals'
import { createTestDatabase, type TestDatabase } from '../support/database.js'
import { eventually } from '../support/eventually.js'
import { insertFixture } from '../support/fixture.js'
import { answerFrames, openSocket, preface, requestFrames } from '../support/http2-client.js'
import { startTestService, type TestService } from '../support/service.js'

let testDatabase: TestDatabase
let service: TestService
beforeAll(async () => {
  testDatabase = await createTestDatabase()
  service = await startTestService({ testDatabase, config: { corsOrigins: ['https://a.example'] } })
  await insertFixture(service.database)
})
afterAll(async () => {
  await service.close()
  await testDatabase.drop()
})

const rpc = { ':method': 'POST', ':path': '/svc.v2.UserService/GetUser' }
const envelope = Buffer.of(0, 0, 0, 0, 0)

it.each([
  ['a probe', { ':method': 'GET', ':path': '/healthz' }, undefined, ['HEADERS', 'DATA']],
  ['a page', { ':method': 'GET', ':path': '/' }, undefined, ['HEADERS', 'DATA']],
  ['HEAD of a page', { ':method': 'HEAD', ':path': '/docs' }, undefined, ['HEADERS']],
  ['a preflight', { ':method': 'OPTIONS', ':path': '/v2/users' }, undefined, ['HEADERS']],
  ['a refused call over REST', { ':method': 'GET', ':path': '/v2/users' }, undefined, ['HEADERS', 'DATA']],
  ['a path that does not exist', { ':method': 'GET', ':path': '/v2/nothing' }, undefined, ['HEADERS', 'DATA']],
  ['a refused call over Connect', { ...rpc, 'content-type': 'application/json' }, '{}', ['HEADERS', 'DATA']],
  ['a refused call over gRPC', { ...rpc, 'content-type': 'application/grpc' }, envelope, ['HEADERS']],
  ['a refused call over gRPC-Web', { ...rpc, 'content-type': 'application/grpc-web' }, envelope, ['HEADERS', 'DATA']],
  ['a refused call over SCIM', { ':method': 'GET', ':path': '/scim/v2/Users' }, undefined, ['HEADERS', 'DATA']],
])('the end of the response to %s is in its last frame', async (_, fields, body, types) => {
  const socket = await openSocket(Number(new URL(service.baseUrl).port))
  const received: Buffer[] = []
  socket.on('data', (chunk: Buffer) => received.push(chunk))
  const head = { ':scheme': 'http', ':authority': 'localhost', ...fields, origin: 'https://a.example' }
  const request = requestFrames(1, head, body === undefined ? undefined : Buffer.from(body))
  socket.write(Buffer.concat([preface(65_535), request]))
  const frames = () => answerFrames(Buffer.concat(received)).get(1) ?? []
  await eventually(() => expect(frames().at(-1)?.endsStream).toBe(true))
  socket.destroy()
  expect(frames().map(({ type }) => type)).toEqual(types)
})

it('a client that is still sending its request gets the whole error', async () => {
  const socket = await openSocket(Number(new URL(service.baseUrl).port))
  const received: Buffer[] = []
  socket.on('data', (chunk: Buffer) => received.push(chunk))
  socket.write(preface(65_535))
  const fields = { ...rpc, ':scheme': 'http', ':authority': 'localhost', 'content-type': 'application/json' }
  const streams = Array.from({ length: 20 }, (_, index) => 2 * index + 1)
  for (const stream of streams) socket.write(requestFrames(stream, fields, Buffer.alloc(1_000), false))
  const ended = () => [...answerFrames(Buffer.concat(received)).values()].filter((each) => each.at(-1)?.endsStream)
  await eventually(() => expect(ended()).toHaveLength(streams.length))
  socket.destroy()
  expect(ended().map((frames) => frames.map(({ type }) => type))).toEqual(streams.map(() => ['HEADERS', 'DATA']))
})
