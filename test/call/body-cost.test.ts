import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { type DescMethod, toBinary } from '@bufbuild/protobuf'
import { FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt'
import { encodeEnvelope } from '@connectrpc/connect/protocol'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { services } from '../../src/handlers/routes.js'
import { image, messageType } from '../rest/fixture.js'
import { createTestDatabase, type TestDatabase } from '../support/database.js'
import { fixture, insertApiKey, insertFixture, insertUserToken } from '../support/fixture.js'
import { hostileBinary, hostileJson } from '../support/hostile-bodies.js'
import { processorMillis } from '../support/processor-time.js'
import { type ServiceProcess, startServiceProcess } from '../support/service-process.js'

const MIB = 1024 * 1024
/**
 * How long a body may keep the thread of the service busy, in milliseconds for each MiB or part of one: 25 on an idle
 * machine, and more where other tests run on the same processor.
 */
const MILLIS_PER_MIB = 40
/** A busy machine makes everything slower, for seconds too: what a body costs is what it costs in its best try. */
const TRIES = 20
const MILLIS_BETWEEN_TRIES = 100

/** Runs something until it is within the bound of its body, and answers what the best try has cost the process. */
async function costOf(
  pid: number,
  bytes: Uint8Array,
  run: () => Promise<void>,
): Promise<{ millis: number; allowed: number }> {
  const allowed = MILLIS_PER_MIB * Math.max(1, bytes.length / MIB)
  let millis = Number.POSITIVE_INFINITY
  for (let left = TRIES; left > 0 && millis > allowed; left--) {
    const before = processorMillis(pid)
    await run()
    millis = Math.min(millis, processorMillis(pid) - before)
    if (millis > allowed) await wait(MILLIS_BETWEEN_TRIES)
  }
  return { millis, allowed }
}

describe('a body of any content occupies the service for a bounded time per MiB', () => {
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
  const doors = {
    REST: { bodies: hostileJson, type: 'application/json', enveloped: false, http2: false },
    'Connect JSON': { bodies: hostileJson, type: 'application/json', enveloped: false, http2: false },
    'gRPC JSON': { bodies: hostileJson, type: 'application/grpc+json', enveloped: true, http2: true },
    'gRPC-Web JSON': { bodies: hostileJson, type: 'application/grpc-web+json', enveloped: true, http2: false },
    Connect: { bodies: hostileBinary, type: 'application/proto', enveloped: false, http2: false },
    gRPC: { bodies: hostileBinary, type: 'application/grpc', enveloped: true, http2: true },
    'gRPC-Web': { bodies: hostileBinary, type: 'application/grpc-web+proto', enveloped: true, http2: false },
  }
  type Door = keyof typeof doors

  const procedures = services.flatMap((each) => each.methods)
  const ingestion = procedures.filter((method) => method.name === 'IngestUserProfiles')
  const withBody = procedures.filter((method) => method.name in restTargets)
  const rows: (readonly [door: Door, name: string, mebibytes: number, method: DescMethod])[] = [
    ...withBody.map((method) => ['REST', method.name, 1, method] as const),
    ...withBody.map((method) => ['Connect', method.name, 1, method] as const),
    ...(Object.keys(doors) as Door[]).flatMap((door) =>
      ingestion.map((method) => [door, method.name, door === 'REST' || door === 'Connect' ? 3.99 : 1, method] as const),
    ),
  ]

  it.each(rows)(
    'over %s to %s, of %d MiB',
    async (door, name, mebibytes, method) => {
      const { bodies, type, enveloped, http2 } = doors[door]
      const [verb, path] = door === 'REST' ? (restTargets[name] ?? []) : ['POST', `/${method.parent.typeName}/${name}`]
      const token = name === 'UpdatePriority' ? tokens.user : tokens.key
      const headers = { 'content-type': type, authorization: `Bearer ${token}`, te: 'trailers' }
      const slow: string[] = []
      for (const { name: content, bytes } of bodies(method.input, Math.floor(mebibytes * MIB))) {
        const body = enveloped ? encodeEnvelope(0, bytes) : bytes
        const statuses = new Set<number>()
        const { millis, allowed } = await costOf(service.pid, bytes, async () => {
          sender.postMessage({ method: verb, path, headers, body, http2 })
          const [{ status }] = await once(sender, 'message')
          statuses.add(status)
        })
        expect([[...statuses].filter((status) => status === 0 || status >= 500), content]).toEqual([[], content])
        if (millis > allowed) slow.push(`${content}: ${millis.toFixed(1)} of ${allowed.toFixed(1)} ms`)
      }
      expect(slow).toEqual([])
    },
    120_000,
  )
})

it('JSON for every type of field is read in a bounded time per MiB, whatever it contains', async () => {
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
  const slow: string[] = []
  for (const { name, bytes } of hostileJson(desc, MIB)) {
    await ask({ bytes })
    const { millis, allowed } = await costOf(child.pid ?? 0, bytes, async () => {
      expect(await ask('read')).toEqual({ outcome: expect.any(String) })
    })
    if (millis > allowed) slow.push(`${name}: ${millis.toFixed(1)} of ${allowed.toFixed(1)} ms`)
  }
  child.disconnect()
  await once(child, 'exit')
  expect(slow).toEqual([])
}, 120_000)
