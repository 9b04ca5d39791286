import { fromJson, type JsonObject, ScalarType, toJsonString } from '@bufbuild/protobuf'
import { ConnectError, createClient } from '@connectrpc/connect'
import { createGrpcTransport } from '@connectrpc/connect-node'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { BadRequestSchema, ErrorInfoSchema } from '../gen/google/rpc/error_details_pb.js'
import { services } from '../src/handlers/routes.js'
import { fixture, insertApiKey, insertFixture, insertUserToken } from './support/fixture.js'
import { startTestService, type TestService } from './support/service.js'
import { writeCalls } from './support/write-calls.js'

/** What another organization has, of every kind. */
const foreign = [
  fixture.globexIt,
  fixture.users.globexAdmin,
  'globex-key',
  ...Object.values(fixture).flatMap((kind) => (typeof kind === 'object' && 'globex' in kind ? [kind.globex] : [])),
]
const unknown = '018f3b7a-0000-7000-8000-0000000fffff'

/** Every field of a request that names something by its id. */
const named = services
  .flatMap(({ methods }) => methods.filter(({ methodKind }) => methodKind === 'unary'))
  .flatMap((method) =>
    method.input.fields
      .filter(({ localName, scalar }) => scalar === ScalarType.STRING && /^id$|Id$/.test(localName))
      .map(({ jsonName }) => [method.name, jsonName, method] as const),
  )

describe('what another organization has', () => {
  let service: TestService
  let clientOf: (parent: (typeof services)[number]) => object

  beforeAll(async () => {
    service = await startTestService()
    const { database } = service
    await insertFixture(database)
    await insertApiKey(database, { id: 'globex-key', organizationId: fixture.globex })
    const token = await insertUserToken(database, { userId: fixture.users.admin })
    const { baseUrl } = service
    const transport = createGrpcTransport({
      baseUrl,
      interceptors: [
        (next) => (request) => {
          request.header.set('authorization', `Bearer ${token}`)
          return next(request)
        },
      ],
    })
    clientOf = (parent) => createClient(parent, transport)
  })
  afterAll(() => service.stop())

  it.each(named)('is as unknown over gRPC as what nobody has: %s, %s', async (name, field, method) => {
    const others = writeCalls.find((each) => each.name === name)?.request(0)
    const answerTo = async (id: string) => {
      const message = fromJson(method.input, { ...others, [field]: id } as JsonObject)
      const call: unknown = Reflect.get(clientOf(method.parent), method.localName)
      if (typeof call !== 'function') throw new Error(`the client has no ${method.localName}`)
      try {
        const answer = await call(message)
        // What is created has ids and times of its own; lists and reads are compared whole.
        return /^(?:Get|List)/.test(name) ? toJsonString(method.output, answer).replaceAll(id, '{id}') : 'done'
      } catch (cause) {
        const error = ConnectError.from(cause)
        const details = [...error.findDetails(ErrorInfoSchema), ...error.findDetails(BadRequestSchema)]
        const facts = [error.code, error.rawMessage, ...details]
        return JSON.stringify(facts).replaceAll(id, '{id}')
      }
    }
    // Ids of journeys are UUIDs, and all else is refused as none.
    const ids = name === 'GetJourney' ? [fixture.journeys.globex] : foreign
    const expected = await answerTo(unknown)
    const answers = await Promise.all(ids.map(answerTo))
    expect(ids.map((id, index) => [id, answers[index]])).toEqual(ids.map((id) => [id, expected]))
  })
})
