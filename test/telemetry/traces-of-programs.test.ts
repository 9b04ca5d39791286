import { randomUUID } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from '@jest/globals'
import { createTestDatabase, type TestDatabase } from '../support/database.js'
import { startServe } from '../support/program.js'
import { type SpanCollector, startSpanCollector } from '../support/span-collector.js'

let testDatabase: TestDatabase
let collector: SpanCollector
const folder = mkdtempSync(join(tmpdir(), 'svc-packages-'))

beforeAll(async () => {
  testDatabase = await createTestDatabase()
  collector = await startSpanCollector()
})
afterAll(async () => {
  await collector.stop()
  await testDatabase.drop()
  rmSync(folder, { recursive: true })
})

const start = (variables: Readonly<Record<string, string>> = {}) =>
  startServe(['--no-demo'], {
    ...testDatabase.environment,
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_BSP_SCHEDULE_DELAY: '60000',
    ...variables,
  })
/** A call without a credential has a span as any other. */
const call = async (origin: string) => {
  const answer = await fetch(`${origin}/v2/priorities`)
  expect(answer.status).toBe(401)
  return answer.headers.get('x-request-id')
}

it.concurrent('traces are sent before the program ends', async () => {
  const program = await start()
  const requestId = await call(program.origin)
  const sent = () => collector.spans.filter(({ attributes }) => attributes['svc.request.id'] === requestId)
  expect(sent()).toEqual([])
  expect(await program.stop()).toBe(0)
  expect(sent()).toHaveLength(1)
})

it.concurrent.each([
  ['before the program ends', '1000'],
  ['until then', '60000'],
])('traces do not affect the program if no collector responds %s', async (_, OTEL_EXPORTER_OTLP_TIMEOUT) => {
  const alone = await start({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1', OTEL_EXPORTER_OTLP_TIMEOUT })
  await call(alone.origin)
  expect([await alone.stop(), alone.stderr()]).toEqual([0, expect.not.stringMatching(/^svc: /m)])
})

it.concurrent.each([
  [false, 'no variable asks for them', { OTEL_EXPORTER_OTLP_ENDPOINT: '' }],
  [false, 'OTEL_SDK_DISABLED', { OTEL_SDK_DISABLED: 'true' }],
  [false, 'OTEL_TRACES_EXPORTER=none', { OTEL_TRACES_EXPORTER: 'none' }],
  [true, 'OTEL_TRACES_EXPORTER=otlp', { OTEL_TRACES_EXPORTER: 'otlp' }],
] as const)('traces load their packages: %s, by %s', async (loads, _, variables) => {
  const file = join(folder, randomUUID())
  const preload = join(import.meta.dirname, '..', 'support', 'report-modules.cjs')
  const other = await start({ ...variables, NODE_OPTIONS: `--require=${preload}`, LOADED_PACKAGES: file })
  await other.stop()
  const packages: string[] = JSON.parse(readFileSync(file, 'utf8'))
  expect(packages.filter((name) => name.startsWith('@opentelemetry/sdk')).length > 0).toBe(loads)
  expect(packages.some((name) => name.startsWith('@opentelemetry/exporter'))).toBe(loads)
})

it.concurrent('traces are sent nowhere, which the program says, if a platform asks for what it does not have', async () => {
  const platform = { OTEL_TRACES_EXPORTER: 'zipkin', OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }
  const other = await start({ ...platform, OTEL_EXPORTER_OTLP_ENDPOINT: 'localhost:4317' })
  expect(await other.stop()).toBe(0)
  for (const name of [...Object.keys(platform), 'OTEL_EXPORTER_OTLP_ENDPOINT']) {
    expect(other.stderr()).toContain(`${name} is ignored`)
  }
})
