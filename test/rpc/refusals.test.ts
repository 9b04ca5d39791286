import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { startTestService, type TestService } from '../support/service.js'
import { openConnection, versions } from './connection.js'
import { type EchoServer, startEchoServer } from './echo-server.js'
import { pathOf } from './echo-service.js'

let server: EchoServer
let service: TestService
beforeAll(async () => {
  server = await startEchoServer()
  service = await startTestService({ config: { corsOrigins: ['https://a.example'] } })
})
afterAll(async () => {
  server.close()
  await service.stop()
})

describe.each(versions)('on %s', (version) => {
  const send = async (method: string, path: string, headers: Record<string, string> = {}) => {
    const connection = openConnection(server, version)
    const body = method.startsWith('P') ? Buffer.from('{}') : undefined
    const answer = await connection.send({ method, path, headers, ...(body && { body }) })
    connection.close()
    return { ...answer, text: answer.body.toString() }
  }

  it.each(['DELETE', 'PUT', 'PATCH'])('%s of a method returns 405 with the allowed verbs and no body', async (verb) => {
    const answer = await send(verb, pathOf('Unary'), { 'content-type': 'application/json' })
    expect([answer.status, answer.headers['allow'], answer.text]).toEqual([405, 'GET, HEAD, OPTIONS, POST', ''])
  })

  it.each(['GET', 'DELETE'])('%s of a stream returns 405', async (verb) => {
    const answer = await send(verb, pathOf('ServerStream'))
    expect([answer.status, answer.headers['allow'], answer.text]).toEqual([405, 'OPTIONS, POST', ''])
  })

  it('OPTIONS lists the verbs', async () => {
    const answer = await send('OPTIONS', pathOf('Unary'))
    expect([answer.status, answer.headers['allow']]).toEqual([204, 'GET, HEAD, OPTIONS, POST'])
  })

  it('HEAD responds like GET, without the body', async () => {
    const query = '?connect=v1&encoding=json&message=%7B%7D'
    const [get, head] = [await send('GET', pathOf('Unary') + query), await send('HEAD', pathOf('Unary') + query)]
    expect([head.status, head.text, head.headers['content-length']]).toEqual([200, '', get.headers['content-length']])
  })

  it.each([
    ['a type of something else', 'Unary', { 'content-type': 'image/jpeg' }],
    ['a form of messages that is not known', 'Unary', { 'content-type': 'application/grpc+thrift' }],
    ['the type of streams for one message', 'Unary', { 'content-type': 'application/connect+json' }],
    ['the type of one message for a stream', 'ServerStream', { 'content-type': 'application/json' }],
    ['a form of text that is not known', 'Unary', { 'content-type': 'application/grpc-web-text+thrift' }],
    ['no type', 'Unary', {}],
  ])('%s returns 415 with the accepted types', async (_, kind, headers) => {
    const answer = await send('POST', pathOf(kind), headers)
    const taken = `application/${kind === 'Unary' ? '' : 'connect+'}json, `
    expect(answer.status).toBe(415)
    expect(answer.headers['accept-post']).toContain(taken)
    expect(answer.text).toContain(`send one of ${taken}`)
  })

  it.each(['application/foo', 'application/connect+json'])('an empty body of type %s returns 415', async (type) => {
    const connection = openConnection(server, version)
    const answer = await connection.send({ method: 'POST', path: pathOf('Unary'), headers: { 'content-type': type } })
    connection.close()
    expect([answer.status, answer.body.toString()]).toEqual([
      415,
      expect.stringContaining(`content-type ${type} is not accepted here: send one of application/json, `),
    ])
  })

  // The stock handlers answer 415 without a body; but what is wrong is a parameter, and a GET has no type.
  it.each([
    ['', 'is required'],
    ['?connect=v1', 'is required'],
    ['?connect=v1&encoding=&message={}', 'is required'],
    ['?connect=v1&encoding=xml&message={}', '"xml" is not known'],
  ])('a GET with the query %p returns 400 with the available encodings', async (query, fault) => {
    const answer = await send('GET', pathOf('Unary') + query)
    expect([answer.status, answer.headers['content-type'], JSON.parse(answer.text)]).toMatchObject([
      400,
      'application/json',
      {
        code: 'invalid_argument',
        message: `encoding: ${fault}: send encoding=json or encoding=proto, beside connect=v1 and message`,
      },
    ])
  })

  it('the caller is checked before the content type', async () => {
    const answer = await send('POST', pathOf('Unary'), { 'content-type': 'image/jpeg', 'x-refuse': 'yes' })
    expect([answer.status, JSON.parse(answer.text)]).toEqual([401, { code: 'unauthenticated', message: 'not you' }])
  })
})

it('a bidirectional stream returns 505 over HTTP/1.1 and closes its connection', async () => {
  const connection = openConnection(server, 'HTTP/1.1')
  const headers = { 'content-type': 'application/connect+json' }
  const answer = await connection.send({ path: pathOf('Bidi'), headers })
  expect([answer.status, answer.headers['connection']]).toEqual([505, 'close'])
  connection.close()
})

it.each(versions)('an unread body of 90 kB keeps the connection usable, whatever the path, on %s', async (version) => {
  const port = Number(new URL(service.baseUrl).port)
  const connection = openConnection({ http1: port, http2: port, close: () => undefined }, version)
  const body = Buffer.alloc(90_000)
  const json = { 'content-type': 'application/json' }
  const length = { 'content-length': '90000' }
  const preflight = { ...length, origin: 'https://a.example', 'access-control-request-method': 'POST' }
  const requests = [
    { method: 'POST', path: '/v2/priorities/a', headers: json, body, status: 405 },
    { method: 'PATCH', path: '/v2/priorities/a', headers: json, body, status: 401 },
    { method: 'POST', path: '/v2/nothing', headers: json, body, status: 404 },
    { method: 'POST', path: '/docs', headers: json, body, status: 405 },
    { method: 'PUT', path: '/', headers: json, body, status: 405 },
    { method: 'OPTIONS', path: '/v2/users', headers: preflight, body, status: 204 },
    { method: 'POST', path: '/svc.v2.UserService/GetUser', headers: json, body, status: 401 },
    { method: 'GET', path: '/v2/openapi.json', headers: length, body, status: 200 },
  ]
  for (let time = 0; time < 40; time++) {
    for (const { status, ...request } of requests) {
      expect([request.path, (await connection.send(request)).status]).toEqual([request.path, status])
    }
  }
  expect(connection.openStreams()).toBe(0)
  connection.close()
})

describe('an unknown method', () => {
  const path = '/svc.v2.PriorityService/Nothing'

  it.each([
    ['POST', path, { 'connect-protocol-version': '1', 'content-type': 'application/json' }],
    ['POST', path, { 'content-type': 'application/json' }],
    ['POST', path, { 'content-type': 'application/proto' }],
    ['POST', path, { 'content-type': 'application/connect+json' }],
    ['POST', '/svc.v2.Nothing/Get', { 'content-type': 'application/connect+proto' }],
    ['GET', `${path}?connect=v1&encoding=json&message=%7B%7D`, {}],
  ])('returns 404 and unimplemented over Connect: %s %s %o', async (method, target, headers) => {
    const answer = await service.rest(method, target, { headers, ...(method === 'POST' && { body: '{}' }) })
    expect([answer.status, answer.json.code]).toEqual([404, 'unimplemented'])
    expect(answer.json.message).toContain(`${target.split('?')[0]} is not a method of this service: `)
  })

  const updatePriority = 'did you mean /svc.v2.PriorityService/UpdatePriority?'
  it.each([
    ['/svc.v2.PriorityService/UpdatePriority/', updatePriority],
    ['//svc.v2.PriorityService//UpdatePriority', updatePriority],
    ['/v2/svc.v2.PriorityService/UpdatePriority', updatePriority],
    ['/PriorityService/UpdatePriority', updatePriority],
    ['/svc.v1.PriorityService/UpdatePriority', updatePriority],
    ['/svc.v2.priorityservice/updatePriority', updatePriority],
    ['/svc.v2.PriorityService/update_priority', updatePriority],
    ['/svc.v2.PriorityServce/UpdatePriorty', updatePriority],
    ['/svc.v2.UserService/UpdatePriority', updatePriority],
    [path, 'svc.v2.PriorityService has GetPriority, ListPriorities, CreatePriority, UpdatePriority, DeletePriority'],
    ['/acme.Warehouse/Open', 'the services are '],
  ])('gets a suggestion, or the list of methods: %s', async (target, hint) => {
    const expected = expect.stringContaining(`is not a method of this service: ${hint}`)
    expect(await messagesOf(target)).toEqual([expected, expected, expected])
  })

  it.each(['/svc.v2.PriorityServce/UpdatePriorty', '//svc.v2.PriorityService/update_priority/'])(
    'gets a suggestion if the request is recognizable as Connect only by its JSON: %s',
    async (target) => {
      const answer = await service.rest('POST', target, { json: {} })
      expect([answer.status, answer.json.message]).toEqual([404, expect.stringContaining(updatePriority)])
    },
  )

  it.each([
    ['one word', '/x'],
    ['no end', `/${'a.B/'.repeat(2000)}C`],
  ])('gets a short hint about the form of paths if its path has %s', async (_, target) => {
    for (const message of (await messagesOf(target)).slice(0, 2)) {
      expect(message).toMatch(/^.{2,150}: the path of a method is \/package\.Service\/Method$/)
    }
  })

  /** The texts of gRPC, gRPC-Web and Connect. */
  const messagesOf = async (target: string) => {
    const port = Number(new URL(service.baseUrl).port)
    const connection = openConnection({ http1: port, http2: port, close: () => undefined }, 'HTTP/2')
    const send = (type: string) =>
      connection.send({ method: 'POST', path: target, headers: { 'content-type': type }, body: Buffer.alloc(5) })
    const grpc = await send('application/grpc')
    const web = await send('application/grpc-web+json')
    const connect = await send('application/proto')
    connection.close()
    return [
      decodeURIComponent(String(grpc.trailers['grpc-message'] ?? grpc.headers['grpc-message'])),
      decodeURIComponent(/grpc-message: ?(.*)/i.exec(web.body.subarray(5).toString())?.[1]?.trim() ?? ''),
      String(JSON.parse(connect.body.toString()).message),
    ]
  }

  it.each([
    ['GET', path, {}],
    ['POST', '/v2/nothing', { 'content-type': 'application/json' }],
    ['POST', '/v2/svc.v2.PriorityService/Nothing', { 'content-type': 'application/json' }],
    ['POST', '/v2/nothing', { 'connect-protocol-version': '1', 'content-type': 'application/json' }],
  ])('is an unknown path over REST: %s %s %o', async (method, target, headers) => {
    const answer = await service.rest(method, target, { headers, ...(method === 'POST' && { body: '{}' }) })
    expect([answer.status, answer.json.code, answer.json.detail.debug.reason]).toEqual([
      404,
      'not_found',
      'ERROR_REASON_PATH_NOT_FOUND',
    ])
  })
})
