import { fromJson, toBinary } from '@bufbuild/protobuf'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { PriorityService } from '../../gen/svc/v2/priority_pb.js'
import { services } from '../../src/handlers/routes.js'
import { takesIdempotencyKey } from '../../src/limits/method-rules.js'
import {
  fixture,
  insertApiKey,
  insertFeedEvent,
  insertFixture,
  insertManagedKeys,
  insertUserToken,
} from '../support/fixture.js'
import { methodNamed, type RequestJson, restFormOf } from '../support/method-forms.js'
import { startTestService, type TestService } from '../support/service.js'
import { removals, type WriteCall, writeCalls } from '../support/write-calls.js'

const protocols = ['REST', 'Connect JSON', 'Connect binary', 'gRPC-Web'] as const
type Protocol = (typeof protocols)[number]

/** What an answer and its repetition share, and what distinguishes them. */
interface Answer {
  readonly status: number
  readonly isReplayed: boolean
  readonly body: string
}

let service: TestService
const tokens = { admin: '', key: '' }
let count = 0
const next = () => ++count
const newKey = () => `key-${next()}`

beforeAll(async () => {
  service = await startTestService()
  await insertFixture(service.database)
  await insertFeedEvent(service.database)
  await insertManagedKeys(service.database)
  tokens.admin = await insertUserToken(service.database, { userId: fixture.users.admin })
  tokens.key = (await insertApiKey(service.database, { organizationId: fixture.acme })).token
})
afterAll(() => service.stop())

describe.each(protocols)('over %s', (protocol) => {
  it.each(writeCalls)('$name has one effect and one response, byte for byte, at once and later', async (call) => {
    const before = await eventCount()
    await send(protocol, call, call.request(next()), newKey())
    const eventsOfOne = (await eventCount()) - before
    // The first call of each changes something, except that the user has no source profiles to publish.
    if (protocol === protocols[0] && call.name !== 'RepublishUser') expect(eventsOfOne).toBeGreaterThan(0)
    const request = call.request(next())
    const key = newKey()
    const together = await Promise.all([1, 2, 3].map(() => send(protocol, call, request, key)))
    const executed = together.filter(({ isReplayed }) => !isReplayed)
    const replayed = [...together.filter(({ isReplayed }) => isReplayed), await send(protocol, call, request, key)]
    expect(executed).toHaveLength(1)
    expect(executed[0]?.status).toBe(200)
    const [kept] = hasSecret(call) ? replayed : executed
    expect(replayed).toEqual([1, 2, 3].map(() => ({ ...kept, isReplayed: true })))
    const shown = [executed[0], kept].map((answer) => /svc_secret_|whsec_/.test(answer?.body ?? ''))
    expect(shown).toEqual([hasSecret(call), false])
    expect((await eventCount()) - before).toBe(2 * eventsOfOne)
  })
})

it('the key is accepted by every method that writes and knows its caller', () => {
  const taking = services.flatMap(({ methods }) => methods).filter(takesIdempotencyKey)
  // Deletions need an object each, so they have tests of their own.
  const called = [...writeCalls, ...removals].map(({ name }) => name)
  expect(taking.map(({ name }) => name).toSorted()).toEqual(called.toSorted())
})

it('the key is accepted over gRPC, as metadata', async () => {
  const client = service.client(PriorityService, tokens.admin, 'grpc')
  const key = newKey()
  const update = async (name: string) => {
    let header = new Headers()
    const onHeader = (given: Headers) => {
      header = given
    }
    const headers = { 'idempotency-key': key }
    const answer = await client.updatePriority({ id: fixture.priorities.it, name }, { headers, onHeader })
    return { answer, isReplayed: header.get('idempotency-replayed') }
  }
  const first = await update('Over gRPC')
  expect(first.isReplayed).toBeNull()
  expect(await update('Over gRPC')).toEqual({ answer: first.answer, isReplayed: 'true' })
  await expect(update('Otherwise')).rejects.toMatchObject({
    rawMessage: expect.stringContaining('a different request'),
  })
})

it('the key identifies a request whatever its spelling and its protocol', async () => {
  const key = newKey()
  const [call] = writeCalls.filter(({ name }) => name === 'UpdatePriority')
  if (call === undefined) throw new Error('there is no such call')
  const headers = { 'idempotency-key': key, 'content-type': 'application/json' }
  const path = `/v2/priorities/${fixture.priorities.it}`
  const bodies = [
    '{"name":"N","isAiSelectable":true}',
    ' {"is_ai_selectable": true, "description": null, "name":"\\u004e"}',
  ]
  const answers = await Promise.all(
    bodies.map((body) => service.rest('PATCH', path, { token: tokens.admin, headers, body })),
  )
  expect(answers.map(({ status }) => status)).toEqual([200, 200])
  const request = { id: fixture.priorities.it, name: 'N', isAiSelectable: true }
  for (const protocol of protocols)
    expect(await send(protocol, call, request, key)).toMatchObject({ status: 200, isReplayed: true })
})

/** Whether the response shows a secret, which replays omit. */
function hasSecret({ name }: WriteCall): boolean {
  return methodNamed(name).output.fields.some(({ proto }) => proto.options?.debugRedact)
}

async function send(
  protocol: Protocol,
  { name, caller }: WriteCall,
  request: RequestJson,
  key: string,
): Promise<Answer> {
  const { verb, path, type, body } = formOf(protocol, name, request)
  const response = await fetch(service.baseUrl + path, {
    method: verb,
    body,
    headers: {
      authorization: `Bearer ${tokens[caller]}`,
      'idempotency-key': key,
      ...(body !== null && { 'content-type': type }),
    },
  })
  return {
    status: response.status,
    isReplayed: response.headers.get('idempotency-replayed') === 'true',
    body: Buffer.from(await response.arrayBuffer()).toString('latin1'),
  }
}

function formOf(protocol: Protocol, name: string, request: RequestJson) {
  const method = methodNamed(name)
  const rpc = { verb: 'POST', path: `/${method.parent.typeName}/${name}` }
  const text = JSON.stringify(request)
  switch (protocol) {
    case 'REST': {
      const { verb, path, json } = restFormOf(method, request)
      return { verb, path, type: 'application/json', body: json === undefined ? null : JSON.stringify(json) }
    }
    case 'Connect JSON':
      return { ...rpc, type: 'application/json', body: text }
    case 'Connect binary':
      return {
        ...rpc,
        type: 'application/proto',
        body: toBinary(method.input, fromJson(method.input, JSON.parse(text))),
      }
    case 'gRPC-Web': {
      const bytes = toBinary(method.input, fromJson(method.input, JSON.parse(text)))
      const head = Buffer.alloc(5)
      head.writeUInt32BE(bytes.length, 1)
      return { ...rpc, type: 'application/grpc-web+proto', body: Buffer.concat([head, bytes]) }
    }
  }
}

/** How many events the audit log has: every effect leaves some. */
async function eventCount(): Promise<number> {
  const [row] = await service.database.query<{ events: number }>('SELECT count(*)::int AS events FROM audit_events')
  return row?.events ?? 0
}
