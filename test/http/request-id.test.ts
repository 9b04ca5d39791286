import { once } from 'node:events'
import { connect } from 'node:http2'
import { buffer } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { eventually } from '../support/eventually.js'
import { fixture, insertApiKey, insertFixture, insertUserToken } from '../support/fixture.js'
import { startTestService, type TestService } from '../support/service.js'

const connectJson = { 'content-type': 'application/json', 'connect-protocol-version': '1' }
const grpcWeb = { 'content-type': 'application/grpc-web+proto' }
const method = '/svc.v2.JourneyService/GetJourney'

describe('X-Request-Id', () => {
  let service: TestService
  let token: string
  beforeAll(async () => {
    service = await startTestService()
    await insertFixture(service.database)
    token = await insertUserToken(service.database, { userId: fixture.users.admin })
  })
  afterAll(() => service.stop())

  const send = (verb: string, path: string, headers: Readonly<Record<string, string>>) =>
    fetch(service.baseUrl + path, { method: verb, headers, body: verb === 'POST' ? '{}' : null })
  /** The id and the status of gRPC, wherever it is: in the header, in the trailer, or at the end of the body. */
  const callHttp2 = async (path: string, body: Buffer, headers: Readonly<Record<string, string>>) => {
    const session = connect(service.baseUrl)
    const stream = session.request({ ':method': 'POST', ':path': path, ...headers })
    const statuses: unknown[] = []
    stream.on('trailers', (trailers) => statuses.push(trailers['grpc-status']))
    stream.end(body)
    const [head] = await once(stream, 'response')
    const text = (await buffer(stream)).toString('latin1')
    session.close()
    statuses.push(head['grpc-status'], /grpc-status: ?(\d+)/.exec(text)?.[1])
    return { requestId: head['x-request-id'], status: statuses.find((status) => status !== undefined) }
  }
  const linesOf = (requestId: string) =>
    service.logLines
      .map((line): Record<string, unknown> => JSON.parse(line))
      .filter((line) => line['requestId'] === requestId)

  it.each([
    ['an answer', 200, 'GET', '/v2/users', {}],
    ['a probe', 200, 'GET', '/healthz', {}],
    ['a page', 200, 'GET', '/v2/openapi.json', {}],
    ['an anonymous caller over REST', 401, 'GET', '/v2/users', { authorization: 'Bearer no' }],
    ['an anonymous caller over Connect', 401, 'POST', method, { ...connectJson, authorization: 'Bearer no' }],
    ['an anonymous caller over gRPC-Web', 200, 'POST', method, { ...grpcWeb, authorization: 'Bearer no' }],
    ['an unknown path', 404, 'GET', '/nothing', {}],
    ['an unknown method', 404, 'POST', '/svc.v2.JourneyService/Nothing', connectJson],
    ['a verb that is not taken', 405, 'DELETE', '/v2/users', {}],
    ['a type that is not taken', 415, 'POST', '/v2/users', { 'content-type': 'text/plain' }],
    ['what is missing', 404, 'GET', '/v2/users/none', {}],
    ['what is not valid over Connect', 400, 'POST', method, connectJson],
    ['a path that can be read in two ways', 400, 'GET', '/v2/users/%zz', {}],
    ['an anonymous caller over SCIM', 401, 'GET', '/scim/v2/Users', { authorization: 'Bearer no' }],
    ['a token that SCIM does not take', 403, 'GET', '/scim/v2/Users', {}],
    ['an unknown path of SCIM', 404, 'GET', '/scim/v2/Nothing', {}],
    ['preflight', 204, 'OPTIONS', '/v2/users', {}],
  ] as const)('of a caller is on the response and in the log: %s, %i', async (what, status, verb, path, headers) => {
    const id = `caller:${what.replaceAll(' ', '_')}.1`
    const answer = await send(verb, path, { authorization: `Bearer ${token}`, ...headers, 'x-request-id': id })
    await answer.arrayBuffer()
    expect([answer.status, answer.headers.get('x-request-id')]).toEqual([status, id])
    await eventually(() => expect(linesOf(id)).toEqual([expect.objectContaining({ msg: 'request', status })]))
  })

  it('is logged beside the id of the calling key or user, and never beside a credential', async () => {
    const organizationId = fixture.acme
    const key = await insertApiKey(service.database, { organizationId, permissions: ['apps:read'] })
    const directory = await insertApiKey(service.database, { organizationId, kind: 'mk', permissions: [] })
    const journey = `/v2/journeys/${fixture.journeys.it}`
    const rows = [
      ['GET', journey, token, 200, fixture.users.admin],
      ['POST', '/svc.v2.JourneyService/GetJourney', token, 400, fixture.users.admin],
      ['GET', `/v2/app-instances?teamId=${fixture.it}`, key.token, 200, key.id],
      ['GET', journey, key.token, 403, key.id],
      ['GET', '/scim/v2/Users', directory.secret, 200, directory.id],
      ['GET', '/scim/v2/Users', key.token, 403, key.id],
      ['GET', '/scim/v2/Users', key.secret, 401, undefined],
      ['GET', journey, key.secret, 401, undefined],
      ['GET', '/healthz', token, 200, undefined],
    ] as const
    for (const [index, [verb, path, credential, status, callerId]] of rows.entries()) {
      const id = `identified:${index}`
      const headers = { 'content-type': 'application/json', authorization: `Bearer ${credential}`, 'x-request-id': id }
      const answer = await send(verb, path, headers)
      await answer.arrayBuffer()
      await eventually(() => expect(linesOf(id).some(({ msg }) => msg === 'request')).toBe(true))
      const line = linesOf(id).find(({ msg }) => msg === 'request')
      expect([path, line?.['status'], line?.['callerId']]).toEqual([path, status, callerId])
      expect(service.logLines.join('\n')).not.toContain(credential)
    }
  })

  it.each([
    ['an answer', '0', 'GetJourney', fixture.journeys.it, {}],
    ['what is missing', '5', 'GetJourney', '018f3b7a-0000-7000-8000-00000000000f', {}],
    ['what is not valid', '3', 'GetJourney', 'no id', {}],
    ['an anonymous caller', '16', 'GetJourney', fixture.journeys.it, { authorization: 'Bearer no' }],
    ['an unknown method', '12', 'Nothing', '', {}],
    ['a deadline that cannot be read', '3', 'GetJourney', '', { 'grpc-timeout': 'soon' }],
  ] as const)(
    'of a caller is on the response over gRPC and gRPC-Web, and in the log: %s',
    async (what, status, name, journey, headers) => {
      const message = Buffer.concat([Buffer.from([10, journey.length]), Buffer.from(journey)])
      const body = Buffer.concat([Buffer.from([0, 0, 0, 0, message.length]), message])
      for (const protocol of ['grpc', 'grpc-web']) {
        const id = `${protocol}:${what.replaceAll(' ', '_')}`
        const answer = await callHttp2(`/svc.v2.JourneyService/${name}`, body, {
          'content-type': `application/${protocol}+proto`,
          te: 'trailers',
          authorization: `Bearer ${token}`,
          'x-request-id': id,
          ...headers,
        })
        expect([answer.requestId, answer.status]).toEqual([id, status])
        await eventually(() => expect(linesOf(id)).toEqual([expect.objectContaining({ msg: 'request' })]))
      }
    },
  )

  it.each(['', 'with blank', 'x'.repeat(129), 'quote"', 'comma,comma'])(
    'is replaced by a new one for %j',
    async (id) => {
      const answer = await send('GET', '/nothing', { 'x-request-id': id })
      expect(answer.headers.get('x-request-id')).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
    },
  )

  it.each([
    ['REST', 'GET', `/v2/journeys/${fixture.journeys.it}`, {}],
    ['Connect', 'POST', method, connectJson],
  ])('appears in an internal error over %s, whose cause is in the log', async (protocol, verb, path, headers) => {
    const broken = await startTestService()
    const id = `broken-${protocol}`
    await insertFixture(broken.database)
    const own = await insertUserToken(broken.database, { userId: fixture.users.admin })
    await broken.database.execute('ALTER TABLE journeys RENAME TO gone')
    const answer = await fetch(broken.baseUrl + path, {
      method: verb,
      headers: { ...headers, authorization: `Bearer ${own}`, 'x-request-id': id },
      body: verb === 'POST' ? JSON.stringify({ id: fixture.journeys.it }) : null,
    })
    expect([answer.status, answer.headers.get('x-request-id')]).toEqual([500, id])
    const { detail, details = [detail] } = JSON.parse(await answer.text())
    expect(details).toEqual([expect.objectContaining({ debug: { requestId: id } })])
    expect(details[0].type).toBe('google.rpc.RequestInfo')
    const failures = broken.logLines.filter((line) => line.includes('"level":50'))
    expect(failures.map((line) => JSON.parse(line).requestId)).toEqual([id])
    await broken.stop()
  })
})
