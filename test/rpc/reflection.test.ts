import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { createFileRegistry, fromBinary } from '@bufbuild/protobuf'
import { FileDescriptorProtoSchema, FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt'
import { Code, createClient } from '@connectrpc/connect'
import { createGrpcTransport } from '@connectrpc/connect-node'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { ServerReflection } from '../../gen/grpc/reflection/v1/reflection_pb.js'
import { ServerReflection as ServerReflectionV1Alpha } from '../../gen/grpc/reflection/v1alpha/reflection_pb.js'
import { services } from '../../src/handlers/routes.js'
import { fixture, insertApiKey, insertFixture } from '../support/fixture.js'
import { startTestService, type TestService } from '../support/service.js'

const buf = join(import.meta.dirname, '../../node_modules/.bin/buf')
const run = promisify(execFile)

describe('server reflection', () => {
  let service: TestService
  let token: string
  beforeAll(async () => {
    service = await startTestService()
    await insertFixture(service.database)
    token = (await insertApiKey(service.database, { organizationId: fixture.acme })).token
  })
  afterAll(() => service.stop())

  const bufCurl = async (...args: string[]) => {
    const { stdout } = await run(buf, ['curl', ...args], { env: { ...process.env, BUF_CACHE_DIR: '/tmp/buf-cache' } })
    return stdout
  }

  it.each(['connect', 'grpc', 'grpcweb'])('lets buf curl call a method without a schema, over %s', async (protocol) => {
    const stdout = await bufCurl(
      '--protocol',
      protocol,
      '--header',
      `Authorization: Bearer ${token}`,
      '--data',
      JSON.stringify({ id: fixture.journeys.it }),
      `${service.baseUrl}/svc.v2.JourneyService/GetJourney`,
    )
    expect(JSON.parse(stdout)).toMatchObject({ data: { id: fixture.journeys.it, name: 'Journey it' } })
  })

  it.each(['grpc-v1', 'grpc-v1alpha'])('lists every service and method to buf curl, over %s', async (protocol) => {
    const stdout = await bufCurl('--reflect-protocol', protocol, '--list-methods', service.baseUrl)
    const methods = services.flatMap((each) => each.methods.map((method) => `${each.typeName}/${method.name}`))
    expect(stdout.trim().split('\n')).toEqual(expect.arrayContaining(methods))
  })

  const versions = [ServerReflection, ServerReflectionV1Alpha]
  type Question = { case: string; value: unknown }
  const ask = async (version: (typeof versions)[number], ...questions: Question[]) => {
    const client = createClient(version, createGrpcTransport({ baseUrl: service.baseUrl }))
    async function* requests() {
      for (const messageRequest of questions) yield { host: 'h', messageRequest } as never
    }
    const answers = []
    for await (const answer of client.serverReflectionInfo(requests())) answers.push(answer)
    return answers
  }

  describe.each(versions)('$typeName', (version) => {
    it('answers every question of a stream in order, without repetition', async () => {
      const answers = await ask(
        version,
        { case: 'listServices', value: '' },
        { case: 'fileByFilename', value: 'svc/v2/journey.proto' },
        { case: 'allExtensionNumbersOfType', value: 'google.protobuf.MethodOptions' },
      )
      expect(answers.map((answer) => answer.messageResponse.case)).toEqual([
        'listServicesResponse',
        'fileDescriptorResponse',
        'allExtensionNumbersResponse',
      ])
      for (const answer of answers) expect([answer.originalRequest, answer.validHost]).toEqual([undefined, ''])
      expect(answers[2]?.messageResponse.value).toMatchObject({ extensionNumber: [50001, 50002, 72295728] })
    })

    it.each([
      'svc.v2.JourneyService',
      'svc.v2.JourneyService.GetJourney',
      'svc.v2.Journey',
      'svc.v2.Journey.id',
      'svc.v2.DATA_TYPE_TEXT',
      'svc.v2.DataType',
      'svc.v2.Approver.kind',
      'svc.v2.access',
    ])('returns the file of %s with all its imports, so that it can be used at once', async (symbol) => {
      const [answer] = await ask(version, { case: 'fileContainingSymbol', value: symbol })
      if (answer?.messageResponse.case !== 'fileDescriptorResponse') throw new Error('no file')
      const file = answer.messageResponse.value.fileDescriptorProto.map((bytes) =>
        fromBinary(FileDescriptorProtoSchema, bytes),
      )
      const registry = createFileRegistry({ $typeName: FileDescriptorSetSchema.typeName, file } as never)
      expect([...registry].length).toBeGreaterThan(0)
    })

    it('finds an extension by its extended type and number', async () => {
      const [answer] = await ask(version, {
        case: 'fileContainingExtension',
        value: { containingType: 'google.protobuf.MethodOptions', extensionNumber: 50001 },
      })
      expect(answer?.messageResponse.case).toBe('fileDescriptorResponse')
    })

    it.each<Question>([
      { case: 'fileByFilename', value: 'nothing.proto' },
      { case: 'fileContainingSymbol', value: 'svc.v2.Nothing' },
      { case: 'allExtensionNumbersOfType', value: 'svc.v2.Nothing' },
      { case: 'fileContainingExtension', value: { containingType: 'svc.v2.Journey', extensionNumber: 1 } },
    ])('returns NOT_FOUND for an unknown $case, and continues', async (question) => {
      const answers = await ask(version, question, { case: 'listServices', value: '' })
      expect(answers[0]?.messageResponse).toMatchObject({ case: 'errorResponse', value: { errorCode: Code.NotFound } })
      expect(JSON.stringify(answers[0]?.messageResponse)).not.toMatch(/nothing|Journey/i)
      expect(answers[1]?.messageResponse.case).toBe('listServicesResponse')
    })

    it('returns INVALID_ARGUMENT for an empty question', async () => {
      const [answer] = await ask(version, { case: undefined as never, value: undefined })
      expect(answer?.messageResponse).toMatchObject({ value: { errorCode: Code.InvalidArgument } })
    })
  })
})
