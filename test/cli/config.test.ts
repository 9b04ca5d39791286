import { describe, expect, it } from '@jest/globals'
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
