import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { type DescMethod, toBinary } from '@bufbuild/protobuf'
import { FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt'
import { encodeEnvelope } from '@connectrpc/connect/protocol'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { services } from '../../src/handlers/routes.js'
import { image, messageType } from '../rest/fixture.js'
import { createTestDatabase, type TestDatabase } from '../support/database.js'
import { fixture, insertApiKey, insertFixture, insertUserToken } from '../support/fixture.js'
import { hostileBinary, hostileJson, plainBinary, plainJson } from '../support/hostile-bodies.js'
import { processorMillis } from '../support/processor-time.js'
import { type ServiceProcess, startServiceProcess } from '../support/service-process.js'

const MIB = 1024 * 1024
/**
 * What a body may cost the thread that reads it, as a multiple of a plain body of its length, or of a MiB if it is
 * shorter. A plain message is cheaper than plain JSON: its texts are skipped unread.
 */
const MOST = { json: 12, binary: 25 } as const
/** What else the machine does makes a try dearer, never cheaper: the best of several is what a body costs. */
const TRIES = 20
const FIRST_TRIES = 3

/** Judges what bodies cost a process, whose work on one is measured in its processor time. */
function createCostJudge(pid: number, most: number, plain: Uint8Array, send: (bytes: Uint8Array) => Promise<unknown>) {
  let plainMillis = Number.POSITIVE_INFINITY
  const millisOf = async (bytes: Uint8Array) => {
    const before = processorMillis(pid)
    await send(bytes)
    return processorMillis(pid) - before
  }
  const measurePlain = async () => {
    plainMillis = Math.min(plainMillis, await millisOf(plain))
  }
  return {
    warmUp: async () => {
      for (let time = 0; time < FIRST_TRIES; time++) await measurePlain()
    },
    /** How many times as much as a plain one a body costs; ends as soon as that is little enough. */
    ratioOf: async (bytes: Uint8Array): Promise<number> => {
      const share = Math.max(bytes.length, MIB) / plain.length
      let millis = Number.POSITIVE_INFINITY
      for (let left = TRIES; left > 0 && millis > most * share * plainMillis; left--) {
        if (left < TRIES) await measurePlain()
        millis = Math.min(millis, await millisOf(bytes))
      }
      return millis / (share * plainMillis)
    },
  }
}

describe('a body of any content occupies the service for a few times as long as a plain one', () => {
  let testDatabase: TestDatabase
  let service: ServiceProcess
  let sender: Worker
  const tokens = { key: '', user: '' }
  beforeAll(async () => {
    testDatabase = await createTestDatabase()
    const database = testDatabase.open()
    await insertFixture(database)
    tokens.user = await insertUserToken(database, { userId: fixture.users.admin })
    tokens.key = (await insertApiKey(database, { organizationId: fixture.acme })).token
    service = await startServiceProcess(testDatabase.connectionString)
    const port = Number(new URL(service.baseUrl).port)
    sender = new Worker(new URL('../support/body-sender.mjs', import.meta.url), { workerData: { port } })
  })
  afterAll(async () => {
    await sender.terminate()
    await service.stop()
    await testDatabase.drop()
  })

  const restTargets: Readonly<Record<string, readonly [method: string, path: string]>> = {
    BatchUpdateAppResources: ['PUT', '/v2/app-resources/batch'],
    CreateAccessPolicyApprovalProcedure: [
      'POST',
      `/v2/access-policies/${fixture.accessPolicies.it}/approval-procedures`,
    ],
    CreateUser: ['POST', '/v2/users'],
    CreateUserRelationship: ['POST', '/v2/user-relationships'],
    IngestUserProfiles: ['POST', '/v2/user-ingestion/profiles'],
    RepublishUser: ['POST', `/v2/users/${fixture.users.viewer}:republish`],
    UpdatePriority: ['PATCH', `/v2/priorities/${fixture.priorities.it}`],
    UpdateUser: ['PUT', `/v2/users/${fixture.users.viewer}`],
  }
  const protocols = {
    REST: {
      bodies: hostileJson,
      plain: plainJson,
      most: MOST.json,
      type: 'application/json',
      enveloped: false,
      http2: false,
    },
    'Connect JSON': {
      bodies: hostileJson,
      plain: plainJson,
      most: MOST.json,
      type: 'application/json',
      enveloped: false,
      http2: false,
    },
    'gRPC JSON': {
      bodies: hostileJson,
      plain: plainJson,
      most: MOST.json,
      type: 'application/grpc+json',
      enveloped: true,
      http2: true,
    },
    'gRPC-Web JSON': {
      bodies: hostileJson,
      plain: plainJson,
      most: MOST.json,
      type: 'application/grpc-web+json',
      enveloped: true,
      http2: false,
    },
    Connect: {
      bodies: hostileBinary,
      plain: plainBinary,
      most: MOST.binary,
      type: 'application/proto',
      enveloped: false,
      http2: false,
    },
    gRPC: {
      bodies: hostileBinary,
      plain: plainBinary,
      most: MOST.binary,
      type: 'application/grpc',
      enveloped: true,
      http2: true,
    },
    'gRPC-Web': {
      bodies: hostileBinary,
      plain: plainBinary,
      most: MOST.binary,
      type: 'application/grpc-web+proto',
      enveloped: true,
      http2: false,
    },
  }
  type Protocol = keyof typeof protocols

  const procedures = services.flatMap((each) => each.methods)
  const ingestion = procedures.filter((method) => method.name === 'IngestUserProfiles')
  const withBody = procedures.filter((method) => method.name in restTargets)
  const rows: (readonly [protocol: Protocol, name: string, mebibytes: number, method: DescMethod])[] = [
    ...withBody.map((method) => ['REST', method.name, 1, method] as const),
    ...withBody.map((method) => ['Connect', method.name, 1, method] as const),
    ...(Object.keys(protocols) as Protocol[]).flatMap((protocol) =>
      ingestion.map(
        (method) => [protocol, method.name, protocol === 'REST' || protocol === 'Connect' ? 3.99 : 1, method] as const,
      ),
    ),
  ]

  it.each(rows)(
    'over %s to %s, of %d MiB',
    async (protocol, name, mebibytes, method) => {
      const { bodies, plain, most, type, enveloped, http2 } = protocols[protocol]
      const [verb, path] =
        protocol === 'REST' ? (restTargets[name] ?? []) : ['POST', `/${method.parent.typeName}/${name}`]
      const token = name === 'UpdatePriority' ? tokens.user : tokens.key
      const headers = { 'content-type': type, authorization: `Bearer ${token}`, te: 'trailers' }
      const size = Math.floor(mebibytes * MIB)
      const statuses = new Set<number>()
      const judge = createCostJudge(service.pid, most, plain(size), async (bytes) => {
        sender.postMessage({ method: verb, path, headers, body: enveloped ? encodeEnvelope(0, bytes) : bytes, http2 })
        const [{ status }] = await once(sender, 'message')
        statuses.add(status)
      })
      await judge.warmUp()
      const dear: string[] = []
      for (const { name: content, bytes } of bodies(method.input, size)) {
        statuses.clear()
        const ratio = await judge.ratioOf(bytes)
        expect([[...statuses].filter((status) => status === 0 || status >= 500), content]).toEqual([[], content])
        if (ratio > most) dear.push(`${content}: ${ratio.toFixed(1)} times as much as a plain body`)
      }
      expect(dear).toEqual([])
    },
    300_000,
  )
})

it('JSON for every type of field is read in a few times as long as plain JSON, whatever it contains', async () => {
  const desc = messageType('Everything')
  const child = fork(join(import.meta.dirname, '../support/json-reader-process.mjs'), {
    execArgv: [],
    serialization: 'advanced',
  })
  const ask = async (message: object | string) => {
    child.send(message)
    return (await once(child, 'message'))[0]
  }
  await ask({ schema: toBinary(FileDescriptorSetSchema, image), typeName: desc.typeName })
  const judge = createCostJudge(child.pid ?? 0, MOST.json, plainJson(MIB), async (bytes) =>
    expect(await ask({ bytes })).toEqual({ outcome: expect.any(String) }),
  )
  await judge.warmUp()
  const dear: string[] = []
  for (const { name, bytes } of hostileJson(desc, MIB)) {
    const ratio = await judge.ratioOf(bytes)
    if (ratio > MOST.json) dear.push(`${name}: ${ratio.toFixed(1)} times as much as plain JSON`)
  }
  child.disconnect()
  await once(child, 'exit')
  expect(dear).toEqual([])
})
