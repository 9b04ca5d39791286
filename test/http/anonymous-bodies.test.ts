import { gzipSync } from 'node:zlib'
import { create, toBinary } from '@bufbuild/protobuf'
import { encodeEnvelope } from '@connectrpc/connect/protocol'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { HealthCheckRequestSchema } from '../../gen/grpc/health/v1/health_pb.js'
import { ServerReflectionRequestSchema } from '../../gen/grpc/reflection/v1/reflection_pb.js'
import { callHttp1, callHttp2, type RawAnswer } from '../rpc/raw-call.js'
import { startTestService, type TestService } from '../support/service.js'

const LIMIT = 16 * 1024
const check = '/grpc.health.v1.Health/Check'
const reflect = '/grpc.reflection.v1.ServerReflection/ServerReflectionInfo'
const token = '/v2/auth/token'

let service: TestService
let port: number
beforeAll(async () => {
  service = await startTestService()
  port = Number(new URL(service.baseUrl).port)
})
afterAll(() => service.stop())

/** The code of gRPC, wherever an answer has it. */
const grpcStatus = ({ headers, trailers }: RawAnswer) => Number(trailers['grpc-status'] ?? headers['grpc-status'])
const RESOURCE_EXHAUSTED = 8

const symbol = (length: number) =>
  toBinary(
    ServerReflectionRequestSchema,
    create(ServerReflectionRequestSchema, {
      messageRequest: { case: 'fileContainingSymbol', value: 'a'.repeat(length) },
    }),
  )
const name = (length: number) =>
  toBinary(HealthCheckRequestSchema, create(HealthCheckRequestSchema, { service: 'a'.repeat(length) }))

const form = (length: number) => Buffer.from(`grant_type=a&b=${'a'.repeat(length)}`)
const jsonName = (length: number) => Buffer.from(JSON.stringify({ service: 'a'.repeat(length) }))

describe.each([
  ['as it is', (bytes: Uint8Array) => bytes, {}, 0],
  ['compressed', (bytes: Uint8Array) => gzipSync(bytes), { gzip: 'gzip' }, 1],
] as const)('an anonymous body, %s', (_, coded, { gzip }: { readonly gzip?: string }, flags) => {
  const encoding = (header: string) => (gzip === undefined ? {} : { [header]: gzip })

  it('is limited to 16 KiB over gRPC', async () => {
    const headers = { 'content-type': 'application/grpc', te: 'trailers', ...encoding('grpc-encoding') }
    for (const [path, message] of [
      [check, name],
      [reflect, symbol],
    ] as const) {
      const statusOf = async (length: number) =>
        grpcStatus(await callHttp2(port, { path, headers, body: encodeEnvelope(flags, coded(message(length))) }))
      expect(await statusOf(LIMIT)).toBe(RESOURCE_EXHAUSTED)
      expect(await statusOf(LIMIT - 100)).not.toBe(RESOURCE_EXHAUSTED)
    }
  })

  it('is limited to 16 KiB over Connect', async () => {
    const headers = { 'content-type': 'application/json', ...encoding('content-encoding') }
    const codeOf = async (length: number) => {
      const answer = await callHttp1(port, { path: check, headers, body: coded(jsonName(length)) })
      return JSON.parse(answer.body.toString()).code
    }
    expect(await codeOf(LIMIT)).toBe('resource_exhausted')
    expect(await codeOf(LIMIT - 100)).toBe('not_found')
  })

  it('is limited to 4 KiB over REST, where methods expect a form', async () => {
    const headers = { 'content-type': 'application/x-www-form-urlencoded', ...encoding('content-encoding') }
    const statusOf = async (length: number) =>
      (await callHttp1(port, { path: token, headers, body: coded(form(length)) })).status
    expect(await statusOf(LIMIT)).toBe(413)
    expect(await statusOf(3_000)).toBe(400)
  })
})

describe('an anonymous response', () => {
  it('echoes nothing of a request to the health service', async () => {
    const headers = { 'content-type': 'application/json' }
    const answer = await callHttp1(port, { path: check, headers, body: Buffer.from('{"service":"svc.v2.Secrecy"}') })
    expect(answer.status).toBe(404)
    expect(answer.body.toString()).not.toContain('Secrecy')
  })
})
