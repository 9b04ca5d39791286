import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, it } from '@jest/globals'
import { createRedactedLog } from '../../src/cli/log.js'
import { createReadiness } from '../../src/db/readiness.js'
import { runInProcess } from '../support/command-line.js'
import { runCommand, runSvc } from '../support/program.js'

const SECRET = 'hidden'
const target = 'postgresql://svc@127.0.0.1:1/svc'

const databaseUrls = [
  ['of a server', 'postgresql://svc:hidden@127.0.0.1:1/svc'],
  ['whose host is not known', 'postgresql://svc:hidden@no-such-host.invalid/svc'],
  ['of a socket', 'postgresql://svc:hidden@/svc?host=/no/such/folder'],
  ['of Cloud SQL', 'postgresql://svc@/svc?host=/cloudsql/project:region:name&password=hidden'],
  ['without a user', 'postgresql:///svc?host=/no/such/folder&user=svc&password=hidden'],
  ['with an unencoded hash', 'postgresql://svc:12#hidden@127.0.0.1:1/svc'],
  ['with an unencoded slash', 'postgresql://svc:12/hidden@127.0.0.1:1/svc'],
  ['with an unencoded question mark', 'postgresql://svc:12?hidden@127.0.0.1:1/svc'],
  ['with an unencoded @', 'postgresql://svc:hid@hidden@127.0.0.1:1/svc'],
  ['with a percent sign', 'postgresql://svc:hidden%@127.0.0.1:1/svc'],
  ['with a line end', 'postgresql://svc:hidden@127.0.0.1:1/svc\n'],
  ['after a space', ' postgresql://svc:hidden@127.0.0.1:1/svc'],
  ['without slashes', 'svc:hidden@127.0.0.1:1/svc'],
  ['of another scheme', 'mysql://svc:hidden@127.0.0.1:1/svc'],
  ['with an unknown sslmode', 'postgresql://svc:hidden@127.0.0.1:1/svc?sslmode=hidden'],
] as const

const proxies = [
  ['with credentials', 'http://me:hidden@127.0.0.1:1'],
  ['with an unencoded hash', 'http://me:12#hidden@127.0.0.1:1'],
  ['with an unencoded slash', 'http://me:12/hidden@127.0.0.1:1'],
  ['with an unencoded question mark', 'http://me:12?hidden@127.0.0.1:1'],
  ['with an unencoded @', 'http://me:hid@hidden@127.0.0.1:1'],
  ['with a percent sign', 'http://me:hidden%@127.0.0.1:1'],
  ['with a line end', 'http://me:hidden@127.0.0.1:1\n'],
  ['after a space', ' http://me:hidden@127.0.0.1:1'],
  ['with one slash', 'http:/me:hidden@127.0.0.1:1'],
  ['without a scheme', 'me:hidden@127.0.0.1:1'],
] as const

const environments: readonly (readonly [string, Readonly<Record<string, string>>])[] = [
  ...databaseUrls.flatMap(([form, url]) => [
    [`a DATABASE_URL ${form}`, { DATABASE_URL: url }] as const,
    [`a DATABASE_DIRECT_URL ${form}`, { DATABASE_URL: target, DATABASE_DIRECT_URL: url }] as const,
    [`a DATABASE_REPLICA_URL ${form}`, { DATABASE_URL: target, DATABASE_REPLICA_URL: url }] as const,
  ]),
  ...['CORS_ORIGINS', 'PUBLIC_URL', 'TRUST_PROXY', 'WEBHOOK_ALLOW'].map(
    (name) =>
      [`a ${name} with credentials`, { DATABASE_URL: target, [name]: 'https://me:hidden@127.0.0.1:1' }] as const,
  ),
  ...['WEBHOOK_PROXY', 'OTEL_EXPORTER_OTLP_ENDPOINT', 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'].flatMap((name) =>
    proxies.map(([form, url]) => [`a ${name} ${form}`, { DATABASE_URL: target, [name]: url }] as const),
  ),
  [
    'headers for a collector',
    { DATABASE_URL: target, OTEL_TRACES_EXPORTER: 'otlp', OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer hidden' },
  ],
]

describe('no command shows the password', () => {
  it.each(environments)('of %s', async (_, env) => {
    for (const args of [['config'], ['doctor'], ['users', 'list', '--org', 'a']]) {
      const { status, stdout, stderr } = await runInProcess(args, { env })
      expect([args, `${stdout}${stderr}`]).toEqual([args, expect.not.stringContaining(SECRET)])
      expect(stdout + stderr).not.toBe('')
      if (args[0] !== 'config') expect(status).toBe(1)
    }
  })
})

// The log goes to the standard error of the process.
it.each([
  ['a database that does not answer', { DATABASE_URL: 'postgresql://svc:hidden@127.0.0.1:1/svc?sslmode=require' }],
  ['a socket that is not there', { DATABASE_URL: 'postgresql://svc:hidden@/svc?host=/no/such/folder' }],
  ['an endpoint that is ignored', { DATABASE_URL: target, OTEL_EXPORTER_OTLP_ENDPOINT: 'me:hidden@127.0.0.1:1' }],
])('the log of a start shows no password: %s', async (_, env) => {
  const { status, stdout, stderr } = await runSvc(['serve', '--port', '0'], { env })
  expect([status, stdout + stderr]).toEqual([1, expect.stringMatching(/ECONNREFUSED|ENOENT/)])
  expect(stdout + stderr).not.toContain(SECRET)
})

it.each(databaseUrls.slice(0, 4))(
  'the reasons of /readyz, and its log, show no password of a database %s',
  async (_, connectionString) => {
    const lines: string[] = []
    const log = createRedactedLog('trace', { write: (line) => void lines.push(line) })
    const readiness = createReadiness({ database: { connectionString, pool: { silentMillis: 0 } as never }, log })
    expect(await readiness.ask()).toEqual({ database: 'does not answer' })
    await readiness.close()
    expect(lines.join('')).toMatch(/ECONNREFUSED|ENOENT|ENOTFOUND|EAI_AGAIN/)
    expect(lines.join('')).not.toContain(SECRET)
  },
)

/** Traces one call, and prints what is logged of it. */
const traceOne = `
  const { startTracing } = await import(${JSON.stringify(compiled('src/telemetry/tracing.js'))})
  const { PriorityService } = await import(${JSON.stringify(compiled('gen/svc/v2/priority_pb.js'))})
  const warn = ({ err }, message) => console.log(message, err.stack)
  const { calls, close } = startTracing({ version: '1.0.0', log: { warn } })
  const request = { headers: {}, httpVersion: '2.0' }
  const response = { getHeader: () => undefined }
  const method = PriorityService.method.getPriority
  const call = { protocolName: 'grpc', method, request, response, startedAt: performance.now() }
  calls.begun(call)
  calls.ended(call)
  await close()
  process.exit()`

function compiled(path: string): string {
  return pathToFileURL(join(import.meta.dirname, '../../dist', path)).href
}

// Node and the libraries of OpenTelemetry quote what they cannot use.
it.each([
  ['an endpoint that is no URL', { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://me:hidden@a b' }, 'not parse'],
  ['headers without =', { OTEL_EXPORTER_OTLP_HEADERS: 'authorization: Bearer hidden==' }, 'valid HTTP token'],
  ['a header of two lines', { OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%0Ahidden' }, 'Invalid character'],
])('the log of tracing shows no secret: %s', async (_, variables, expected) => {
  const env = { OTEL_EXPORTER_OTLP_TIMEOUT: '100', ...variables }
  const { stdout, stderr } = await runCommand(process.execPath, ['--input-type=module', '-e', traceOne], { env })
  expect(stdout + stderr).toContain(expected)
  expect(stdout + stderr).not.toContain(SECRET)
})
