import { Writable } from 'node:stream'
import type { DescService } from '@bufbuild/protobuf'
import { type Client, createClient, type Interceptor, type Transport } from '@connectrpc/connect'
import { createConnectTransport, createGrpcTransport, createGrpcWebTransport } from '@connectrpc/connect-node'
import { createApp } from '../../src/app.js'
import { createRedactedLog } from '../../src/cli/log.js'
import { type Config, configFromEnvironment } from '../../src/config.js'
import type { TlsIdentity } from '../../src/http/tls-identity.js'
import type { Meters } from '../../src/telemetry/meters.js'
import { assertContract } from './contract.js'
import { createTestDatabase, type TestDatabase } from './database.js'
import { createTestRuntime, type TestRuntime } from './runtime.js'
import type { Database } from './sql.js'

/** The protocols that a generated client speaks. */
export const protocols = ['connect-json', 'connect-binary', 'grpc', 'grpc-web'] as const

/** One of them. */
export type Protocol = (typeof protocols)[number]

/** A request over plain HTTP. */
export interface RestCall {
  readonly token?: string | undefined
  /** Sent as JSON. */
  readonly json?: unknown
  /** Sent as `application/x-www-form-urlencoded`. */
  readonly form?: Readonly<Record<string, string>> | string
  /** Sent unchanged. */
  readonly body?: string | Uint8Array
  readonly headers?: Readonly<Record<string, string>>
}

/** The response. */
export interface RestAnswer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** The body as JSON; undefined if it is empty. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape.
  readonly json: any
}

/** The whole service on a database of its own, behind a real port. */
export interface TestService {
  readonly baseUrl: string
  readonly database: Database
  readonly testDatabase: TestDatabase
  readonly runtime: TestRuntime
  /** Everything that the service logged, one JSON text per line. */
  readonly logLines: readonly string[]
  /** Sends a request to a path such as `/v2/priorities/p1`. Throws if the exchange differs from the OpenAPI document. */
  rest(method: string, path: string, call?: RestCall): Promise<RestAnswer>
  /** A generated client of a service, with the bearer token if one is given. */
  client<S extends DescService>(service: S, token?: string, protocol?: Protocol): Client<S>
  /** Stops the service, after a drain period if requested; the database stays. */
  close(drainMillis?: number): Promise<void>
  /** Presents another certificate to new connections. */
  useTlsIdentity(identity: TlsIdentity): void
  /** Stops the service and drops the database. */
  stop(): Promise<void>
}

/** What a test changes about the service. */
export interface TestServiceOptions {
  readonly config?: Partial<Config>
  /** An existing database; `stop` keeps it. */
  readonly testDatabase?: TestDatabase
  readonly runtime?: TestRuntime
  readonly meters?: Meters
  /** The certificate for TLS. */
  readonly tlsIdentity?: TlsIdentity
  /** What its database sessions have. */
  readonly sessions?: Parameters<TestDatabase['open']>[0]
}

/** Sessions whose statements run and wait until something else than their own limits ends them. */
export const patientSessions = { limits: { lock_timeout: 600_000, statement_timeout: 600_000 } }

const environment = { SVC_SEAL_KEY: 'a key of thirty-two characters !!' }

/** Starts the service on a free port. It can seal secrets. */
export async function startTestService(options: TestServiceOptions = {}): Promise<TestService> {
  const testDatabase = options.testDatabase ?? (await createTestDatabase())
  const database = testDatabase.open(options.sessions)
  const runtime = options.runtime ?? createTestRuntime()
  const logLines: string[] = []
  const log = createRedactedLog('trace', lineSink(logLines))
  const config = { ...configFromEnvironment(environment), ...options.config }
  const app = createApp({ config, database, runtime, log, meters: options.meters, tlsIdentity: options.tlsIdentity })
  const { port } = await app.listen(0, '127.0.0.1')
  const baseUrl = `${options.tlsIdentity === undefined ? 'http' : 'https'}://127.0.0.1:${port}`
  let closed: Promise<void> | undefined
  const close = (drainMillis?: number) => {
    closed ??= app.close(drainMillis)
    return closed
  }
  return {
    baseUrl,
    database,
    testDatabase,
    runtime,
    logLines,
    useTlsIdentity: app.useTlsIdentity,
    rest: (method, path, call = {}) => sendRest(baseUrl, method, path, call),
    client: (service, token, protocol = 'connect-json') =>
      createClient(service, createTransport(baseUrl, protocol, token)),
    close,
    stop: async () => {
      await close()
      if (options.testDatabase === undefined) await testDatabase.drop()
    },
  }
}

/** The part of a body that the document can describe. */
function requestBody(body: RequestInit['body']): string | Uint8Array | null {
  return typeof body === 'string' || body instanceof Uint8Array ? body : null
}

async function sendRest(baseUrl: string, method: string, path: string, call: RestCall): Promise<RestAnswer> {
  const headers = new Headers(call.headers)
  if (call.token !== undefined) headers.set('authorization', `Bearer ${call.token}`)
  let body: RequestInit['body'] = call.body ?? null
  if (call.json !== undefined) {
    headers.set('content-type', 'application/json')
    body = JSON.stringify(call.json)
  } else if (call.form !== undefined) {
    headers.set('content-type', 'application/x-www-form-urlencoded')
    body = typeof call.form === 'string' ? call.form : new URLSearchParams(call.form).toString()
  }
  const response = await fetch(baseUrl + path, { method, headers, body })
  const text = await response.text()
  const contentType = headers.get('content-type')
  const { status } = response
  assertContract({ method, path, contentType, body: requestBody(body), status, headers: response.headers, text })
  const isJson = response.headers.get('content-type')?.startsWith('application/json') ?? false
  return {
    status: response.status,
    headers: response.headers,
    text,
    json: isJson && text !== '' ? JSON.parse(text) : undefined,
  }
}

function createTransport(baseUrl: string, protocol: Protocol, token: string | undefined): Transport {
  const withToken: Interceptor = (next) => (request) => {
    if (token !== undefined) request.header.set('authorization', `Bearer ${token}`)
    return next(request)
  }
  const common = { baseUrl, interceptors: [withToken] }
  switch (protocol) {
    case 'connect-json':
      return createConnectTransport({ ...common, httpVersion: '1.1', useBinaryFormat: false })
    case 'connect-binary':
      return createConnectTransport({ ...common, httpVersion: '2', useBinaryFormat: true })
    case 'grpc':
      return createGrpcTransport(common)
    case 'grpc-web':
      return createGrpcWebTransport({ ...common, httpVersion: '1.1' })
  }
}

function lineSink(lines: string[]): Writable {
  return new Writable({
    decodeStrings: false,
    write: (chunk: string, _encoding, done) => {
      lines.push(chunk)
      done()
    },
  })
}
