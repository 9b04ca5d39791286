import { connect } from 'node:http2'
import { buffer } from 'node:stream/consumers'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { fixture, insertFixture, insertUserToken } from '../support/fixture.js'
import { startTestService, type TestService } from '../support/service.js'

/** Texts that are no request, and the field that the answer names; none where the text is no JSON. */
const refused: readonly (readonly [why: string, text: string, field: string])[] = [
  ['a duplicate key', '{"name":"a","name":"b"}', ''],
  ['a duplicate key in another spelling', '{"isAiSelectable":true,"is_ai_selectable":false}', 'is_ai_selectable'],
  ['an unknown field', '{"colour":"red"}', 'colour'],
  ['a number for a text', '{"name":7}', 'name'],
  ['a text for a boolean', '{"isAiSelectable":"true"}', 'isAiSelectable'],
  ['a list', '[]', 'body'],
  ['text that is not JSON', '{name:1}', ''],
  ['a trailing comma', '{"name":"a",}', ''],
  ['trailing text after the value', '{"name":"a"} {}', ''],
  ['a lone surrogate', '{"name":"\\ud800"}', ''],
]

describe('JSON over Connect', () => {
  let service: TestService
  let token: string
  beforeAll(async () => {
    service = await startTestService()
    await insertFixture(service.database)
    token = await insertUserToken(service.database, { userId: fixture.users.admin })
  })
  afterAll(() => service.stop())

  const path = '/svc.v2.PriorityService/UpdatePriority'
  const headers = { 'content-type': 'application/json' }

  it.each(refused)('refuses %s as REST does, with the field', async (_, text, field) => {
    const rest = await service.rest('PATCH', `/v2/priorities/${fixture.priorities.it}`, { token, headers, body: text })
    const connect = await service.rest('POST', path, { token, headers, body: text })
    expect([connect.status, connect.json.code]).toEqual([400, 'invalid_argument'])
    expect(connect.json.message).toBe(rest.json.message)
    expect(connect.json.details).toEqual([rest.json.detail])
    expect(connect.json.details[0].debug.fieldViolations[0].field).toBe(field)
  })

  it('refuses an empty body, which has no JSON', async () => {
    const answer = await service.rest('POST', path, { token, headers, body: '' })
    expect([answer.status, answer.json.code]).toEqual([400, 'invalid_argument'])
  })

  it('refuses bytes that are not UTF-8, also when compressed', async () => {
    const body = gzipSync(Buffer.from('{"name":"\xff"}', 'latin1'))
    const answer = await service.rest('POST', path, {
      token,
      headers: { ...headers, 'content-encoding': 'gzip' },
      body,
    })
    expect(answer.json.message).toBe('the body is not valid UTF-8: send JSON in UTF-8')
  })

  it.each([
    ['gzip', gzipSync('{}'), 'the body is compressed with gzip: say so with Content-Encoding: gzip'],
    ['UTF-16', Buffer.from('\uFEFF{}', 'utf16le'), 'the body is UTF-16: send JSON in UTF-8'],
    ['UTF-16, big end first', Buffer.from('\uFEFF{}', 'utf16le').swap16(), 'the body is UTF-16: send JSON in UTF-8'],
  ])('says of %s what it is', async (_, body, message) => {
    const answer = await service.rest('POST', path, { token, headers, body })
    expect([answer.status, answer.json.message]).toEqual([400, message])
  })

  it('is equally strict in the query of a GET', async () => {
    const message = encodeURIComponent('{"id":"a","id":"b"}')
    const get = `/svc.v2.JourneyService/GetJourney?connect=v1&encoding=json&message=${message}`
    const answer = await service.rest('GET', get, { token })
    expect([answer.status, answer.json.code]).toEqual([400, 'invalid_argument'])
    expect(answer.json.message).toContain('duplicate key "id"')
  })

  it('is equally strict over HTTP/2', async () => {
    const session = connect(service.baseUrl)
    const stream = session.request({ ...headers, authorization: `Bearer ${token}`, ':method': 'POST', ':path': path })
    stream.end('{"colour":"red"}')
    const answer = JSON.parse((await buffer(stream)).toString())
    session.close()
    expect(answer.message).toContain('colour: no such field in svc.v2.UpdatePriorityRequest: use one of id, name')
  })

  it('is read only after the caller is checked', async () => {
    const answer = await service.rest('POST', path, { headers, body: '{name:1}' })
    expect([answer.status, answer.json.code]).toEqual([401, 'unauthenticated'])
  })

  const generated = { ...headers, 'connect-protocol-version': '1' }
  const newer = { id: fixture.priorities.it, description: 'Newer', colour: 'red', shade: { of: ['red'] } }

  it('of a client of a newer schema is read without the fields that are not known', async () => {
    const unary = await service.rest('POST', path, { token, headers: generated, body: JSON.stringify(newer) })
    expect([unary.status, unary.json.data.description]).toEqual([200, 'Newer'])
    const query = new URLSearchParams({
      connect: 'v1',
      encoding: 'json',
      message: JSON.stringify({ id: fixture.priorities.it, colour: 'red' }),
    })
    const get = await service.rest('GET', `/svc.v2.PriorityService/GetPriority?${query.toString()}`, { token })
    expect([get.status, get.json.data.description]).toEqual([200, 'Newer'])
  })

  it.each(refused.filter(([why]) => why !== 'an unknown field'))(
    'of such a client is as strict otherwise: %s',
    async (_, text, field) => {
      const { status, json } = await service.rest('POST', path, { token, headers: generated, body: text })
      expect([status, json.details[0].debug.fieldViolations[0].field]).toEqual([400, field])
    },
  )

  it('of such a client is refused with an enum value that is not known, over whichever field', async () => {
    const request = { email: 'new@acme.example', role: 'USER_ROLE_NEWER' }
    const answer = await service.rest('POST', '/svc.v2.UserService/CreateUser', {
      token,
      headers: generated,
      body: JSON.stringify(request),
    })
    expect([answer.status, answer.json.message]).toEqual([400, expect.stringContaining('USER_ROLE_NEWER')])
  })

  it('over REST is strict, whatever the headers', async () => {
    const { id, ...body } = newer
    const answer = await service.rest('PATCH', `/v2/priorities/${id}`, {
      token,
      headers: generated,
      body: JSON.stringify(body),
    })
    expect([answer.status, answer.json.message]).toEqual([400, expect.stringContaining('colour: no such field')])
  })

  it('changes nothing when it is refused', async () => {
    await service.rest('POST', path, {
      token,
      headers,
      body: JSON.stringify({ id: fixture.priorities.it, name: 'Changed', colour: 'red' }),
    })
    const rows = await service.database.query('SELECT name FROM priorities WHERE id = $1', [fixture.priorities.it])
    expect(rows).toEqual([{ name: 'Priority it' }])
  })

  it('ends a call at its deadline', async () => {
    const answer = await service.rest('POST', path, {
      token,
      headers: { ...headers, 'connect-timeout-ms': '0' },
      body: JSON.stringify({ id: fixture.priorities.it, name: 'Late' }),
    })
    expect([answer.status, answer.json.code]).toEqual([504, 'deadline_exceeded'])
  })
})
