import { describe, expect, it } from '@jest/globals'
import pg from 'pg'
import { configFromEnvironment } from '../../src/config.js'
import { runInProcess } from '../support/command-line.js'

const env = {
  DATABASE_URL: 'postgresql://svc:in-the-url@db.internal/svc?password=as-parameter&application_name=mine',
  DATABASE_REPLICA_URL: 'postgresql://svc:of-the-replica@replica.internal/svc',
  SVC_SECRET_PEPPER: 'sixteen characters',
  SVC_SECRET_PEPPER_PREVIOUS: 'the ones before them',
  PORT: '9000',
  LOG_LEVEL: '',
}

describe('svc config', () => {
  it('shows each variable that the service reads, with its given or default value', async () => {
    const { status, stdout } = await runInProcess(['config'], { env })
    expect(status).toBe(0)
    expect(stdout.split('\n')).toEqual(
      expect.arrayContaining([
        'PORT=9000',
        'HOST=127.0.0.1  # default',
        'LOG_LEVEL=info  # default',
        'PUBLIC_URL=  # default',
      ]),
    )
  })

  it('prints one JSON object, with null for unset variables', async () => {
    const { stdout } = await runInProcess(['config', '--json'], { env })
    expect(JSON.parse(stdout)).toMatchObject({ PORT: '9000', HOST: '127.0.0.1', PUBLIC_URL: null })
  })

  it.each([[[]], [['--json']]])('shows no secret (%j)', async (options) => {
    const { stdout, stderr } = await runInProcess(['config', ...options], { env })
    for (const secret of [
      'in-the-url',
      'as-parameter',
      'of-the-replica',
      'sixteen characters',
      'the ones before them',
    ]) {
      expect(stdout + stderr).not.toContain(secret)
    }
    expect(stdout).toContain('postgresql://svc:***@db.internal/svc?password=***&application_name=mine')
  })

  it.each([
    ['DATABASE_DIRECT_URL', 'postgresql://svc:hidden@db.internal/svc', 'postgresql://svc:***@db.internal/svc'],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'https://me:hidden@collector.internal', 'https://me:***@collector.internal/'],
  ])('shows no password in %s', async (name, value, shown) => {
    const { stdout } = await runInProcess(['config'], { env: { ...env, [name]: value } })
    expect(stdout.split('\n')).toContain(`${name}=${shown}`)
  })

  it.each([
    ['a hash', 'postgresql://svc:12#hidden@db.internal/svc'],
    ['a slash', 'postgresql://svc:12/hidden@db.internal/svc'],
    ['a question mark', 'postgresql://svc:12?hidden@db.internal/svc'],
    ['a percent sign', 'postgresql://svc:hidden%@db.internal/svc'],
    ['an @ and a slash', 'postgresql://svc:12@12/hidden@db.internal/svc'],
    ['no host and a hash', 'postgresql://svc:hidden#12@/svc?host=/cloudsql/a'],
  ])('says how to write a password with %s, and not what it is', async (_, url) => {
    for (const name of ['DATABASE_URL', 'DATABASE_DIRECT_URL', 'DATABASE_REPLICA_URL']) {
      const given = { DATABASE_URL: 'postgresql://svc@db.internal/svc', [name]: url }
      const { status, stdout, stderr } = await runInProcess(['config'], { env: given })
      expect([status, stdout, stderr]).toEqual([1, '', expect.stringContaining(`${name} must have its user`)])
      expect(stderr).toContain('percent-encoded: # is %23')
      expect(stderr).not.toContain('hidden')
    }
  })

  it.each(['http://me:12#hidden@proxy.internal', 'http://me:12?hidden@proxy.internal', 'http://me:12%@proxy.internal'])(
    'says how to write the password of a proxy: %s',
    async (url) => {
      const { status, stderr } = await runInProcess(['config'], { env: { WEBHOOK_PROXY: url } })
      expect([status, stderr]).toEqual([
        1,
        expect.stringContaining('WEBHOOK_PROXY must have its user and its password'),
      ])
      expect(stderr).not.toContain('hidden')
    },
  )

  it.each([
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'https://me:12#hidden@collector.internal', 'https://me:***@collector.internal'],
    [
      'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT',
      'https://me:12/hidden@collector.internal',
      'https://me:***@collector.internal',
    ],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'collector://me:hidden@a b', 'collector://me:***@a b'],
    ['DATABASE_URL', 'postgresql://svc:hid@den@db.internal/svc', 'postgresql://svc:***@db.internal/svc'],
    [
      'DATABASE_URL',
      'postgresql://svc:hidden@/svc?host=/cloudsql/a:b:c',
      'postgresql://svc:***@/svc?host=/cloudsql/a:b:c',
    ],
    ['DATABASE_URL', 'postgresql://svc@/svc?host=/tmp&password=hidden', 'postgresql://svc@/svc?host=/tmp&password=***'],
  ])('shows no password in an unusual %s: %s', async (name, value, shown) => {
    const { stdout } = await runInProcess(['config'], { env: { [name]: value } })
    expect(stdout.split('\n')).toContain(`${name}=${shown}`)
  })

  it('takes the URL of a socket without a host, as pg does', () => {
    const of = (url: string) => configFromEnvironment({ DATABASE_URL: url }).databaseUrl ?? ''
    const targetOf = (url: string) => new pg.Client(of(url))
    expect(targetOf('postgresql://svc:a%23b@/svc?host=/cloudsql/project:region:instance')).toMatchObject({
      host: '/cloudsql/project:region:instance',
      user: 'svc',
      password: 'a#b',
      database: 'svc',
    })
    expect(targetOf('postgresql:///svc?host=/tmp&user=me')).toMatchObject({ host: '/tmp', user: 'me', database: 'svc' })
    expect(targetOf('postgresql://svc@/svc')).toMatchObject({ host: 'localhost', user: 'svc' })
  })

  it.each([
    ['METRICS_PORT', 'tcp://10.96.0.12:9090'],
    ['METRICS_PORT', 'udp://[fd00::1]:53'],
    ['PORT', 'tcp://10.96.0.12:8080'],
  ])('guesses where a %s of %s comes from', async (name, value) => {
    const { status, stderr } = await runInProcess(['config'], { env: { [name]: value } })
    expect([status, stderr]).toEqual([1, expect.stringContaining('set enableServiceLinks to false')])
    const { stderr: other } = await runInProcess(['config'], { env: { [name]: '9o9o' } })
    expect(other).not.toContain('enableServiceLinks')
  })

  it.each([
    ['OTEL_EXPORTER_OTLP_PROTOCOL', 'grpc', 'http/json or http/protobuf'],
    ['OTEL_EXPORTER_OTLP_TRACES_PROTOCOL', 'nonsense', 'http/json or http/protobuf'],
    ['OTEL_TRACES_EXPORTER', 'console', 'otlp or none'],
    ['OTEL_TRACES_EXPORTER', 'zipkin,none', 'otlp or none'],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'collector:4317', 'an http or https URL'],
    ['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', '10.0.0.1', 'an http or https URL'],
  ])('ignores a %s of %s, which platforms set for every program, and says so', async (name, value, usable) => {
    const config = configFromEnvironment({ [name]: value })
    expect(config).toMatchObject({ isTraced: false, traceProtocol: 'http/json' })
    expect(config.advice).toEqual([`${name} is ignored: it must be ${usable} here`])
  })

  it.each([
    [{ OTEL_TRACES_EXPORTER: 'otlp' }, true, 'http/json'],
    [{ OTEL_TRACES_EXPORTER: 'console,OTLP' }, true, 'http/json'],
    [{ OTEL_TRACES_EXPORTER: 'none', OTEL_EXPORTER_OTLP_ENDPOINT: 'http://a' }, false, 'http/json'],
    [{ OTEL_TRACES_EXPORTER: 'console', OTEL_EXPORTER_OTLP_ENDPOINT: 'http://a' }, true, 'http/json'],
    [{ OTEL_SDK_DISABLED: 'TRUE', OTEL_TRACES_EXPORTER: 'otlp' }, false, 'http/json'],
    [{ OTEL_EXPORTER_OTLP_PROTOCOL: 'http/protobuf' }, false, 'http/protobuf'],
    [
      { OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc', OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: 'http/protobuf' },
      false,
      'http/protobuf',
    ],
  ])('reads the variables of OpenTelemetry %j', (variables, isTraced, traceProtocol) => {
    expect(configFromEnvironment(variables)).toMatchObject({ isTraced, traceProtocol })
  })

  it('prints values that the service reads back as the same configuration', async () => {
    const { stdout } = await runInProcess(['config', '--json'], {
      env: { TRUST_PROXY: '10.0.0.0/8', CORS_ORIGINS: '*' },
    })
    const shown: Record<string, string | null> = JSON.parse(stdout)
    const set = Object.fromEntries(Object.entries(shown).map(([name, value]) => [name, value ?? undefined]))
    const { settings, ...values } = configFromEnvironment({ TRUST_PROXY: '10.0.0.0/8', CORS_ORIGINS: '*' })
    expect(configFromEnvironment(set)).toEqual({ ...values, settings: expect.any(Array) })
    expect(settings.map(({ name }) => name)).toEqual(Object.keys(set))
  })

  it('refuses a replica of the embedded database', async () => {
    const { status, stderr } = await runInProcess(['config'], {
      env: { DATABASE_REPLICA_URL: 'postgresql://svc@db/svc' },
    })
    expect([status, stderr]).toEqual([1, expect.stringContaining('DATABASE_REPLICA_URL needs DATABASE_URL')])
  })

  it('reports all faults at once', async () => {
    const faulty = { PORT: 'http', DRAIN_SECONDS: '-1', OIDC_ISSUER: 'https://id.example.com', CORS_ORIGINS: 'a, b' }
    const { status, stdout, stderr } = await runInProcess(['config'], {
      env: { ...faulty, DATABASE_DIRECT_URL: 'postgresql://svc@db.internal/svc' },
    })
    expect([status, stdout]).toEqual([1, ''])
    expect(stderr).toContain('PORT must be a whole number')
    expect(stderr).toContain('DRAIN_SECONDS must be a whole number')
    expect(stderr).toContain('OIDC_ISSUER and OIDC_AUDIENCE must be set together')
    expect(stderr).toContain('CORS_ORIGINS has a,')
    expect(stderr).toContain('CORS_ORIGINS has b,')
    expect(stderr).toContain('DATABASE_DIRECT_URL needs DATABASE_URL')
  })

  it.each([
    ['schema=app', 'DATABASE_URL names a schema other than public'],
    ['sslmode=required', 'DATABASE_URL has an unknown sslmode: it must be one of disable, no-verify, verify-full'],
  ])('refuses a database URL with ?%s', async (query, fault) => {
    const env = { DATABASE_URL: `postgresql://svc@db.internal/svc?${query}` }
    const { status, stderr } = await runInProcess(['config'], { env })
    expect([status, stderr]).toEqual([1, expect.stringContaining(fault)])
  })

  it.each(['schema=public', 'sslmode=verify-full', 'sslmode=require'])(
    'accepts a database URL with ?%s',
    async (query) => {
      const env = { DATABASE_URL: `postgresql://svc@db.internal/svc?${query}` }
      expect(await runInProcess(['config'], { env })).toMatchObject({ status: 0, stderr: '' })
    },
  )

  it.each([
    ['DATABASE_MAX_WAITING', 1, 100_000],
    ['DATABASE_IDLE_SECONDS', 1, 3_600],
    ['HEADER_SECONDS', 1, 600],
    ['REQUEST_SECONDS', 1, 3_600],
    ['MAX_HEADER_BYTES', 4_096, 1_048_576],
    ['MAX_STREAMS', 1, 10_000],
    ['GRACE_SECONDS', 1, 300],
  ])('accepts a %s from %i to %i', async (name, least, most) => {
    const env = { HEADER_SECONDS: '1', REQUEST_SECONDS: '3600' }
    for (const value of [least, most]) {
      expect((await runInProcess(['config'], { env: { ...env, [name]: String(value) } })).stdout).toContain(
        `${name}=${value}`,
      )
    }
    for (const value of [least - 1, most + 1, 'x']) {
      const { stderr } = await runInProcess(['config'], { env: { ...env, [name]: String(value) } })
      expect(stderr).toContain(`${name} must be a whole number from ${least} to ${most}`)
    }
  })

  it('refuses a header timeout above the request timeout', async () => {
    const { stderr } = await runInProcess(['config'], { env: { HEADER_SECONDS: '61' } })
    expect(stderr).toContain('HEADER_SECONDS must not be more than REQUEST_SECONDS')
  })

  it('reads how long events are kept, in days', async () => {
    expect(configFromEnvironment({})).toMatchObject({ eventRetention: 90 })
    expect(configFromEnvironment({}).auditRetention).toBeUndefined()
    const set = { EVENT_RETENTION: '30d', AUDIT_RETENTION: '30d' }
    expect(configFromEnvironment(set)).toMatchObject({ eventRetention: 30, auditRetention: 30 })
    for (const value of ['0d', '90', '24h', '100000d', '-1d']) {
      const { stderr } = await runInProcess(['config'], { env: { EVENT_RETENTION: value } })
      expect(stderr).toContain('EVENT_RETENTION must be a number of days from 1d to 99999d, such as 90d')
    }
  })

  it('refuses an audit log that forgets events before the feed does', async () => {
    const { status, stderr } = await runInProcess(['config'], { env: { AUDIT_RETENTION: '89d' } })
    expect([status, stderr]).toEqual([
      1,
      expect.stringContaining('AUDIT_RETENTION must not be less than EVENT_RETENTION'),
    ])
  })
})
