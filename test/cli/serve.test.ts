import { once } from 'node:events'
import { createServer } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { runInProcess } from '../support/command-line.js'
import { createTestDatabase, type TestDatabase } from '../support/database.js'
import { eventually } from '../support/eventually.js'
import { type RunningServe, runSvc, startServe } from '../support/program.js'
import { workersOf } from '../trial/workers.js'

describe('svc serve during shutdown', () => {
  it('logs a line when it begins to stop and one when it has stopped', async () => {
    const testDatabase = await createTestDatabase()
    try {
      const serve = await startServe([], { ...testDatabase.environment, LOG_LEVEL: 'info', LOG_FORMAT: 'json' })
      expect(await serve.stop()).toBe(0)
      const lines = serve.stderr().trimEnd().split('\n')
      expect(lines.slice(-2).map((line) => JSON.parse(line))).toEqual([
        expect.objectContaining({
          msg: 'stopping',
          signal: 'SIGTERM',
          runningCalls: 0,
          drainSeconds: 0,
          graceSeconds: 10,
        }),
        expect.objectContaining({ msg: 'stopped', tookMs: expect.any(Number) }),
      ])
    } finally {
      await testDatabase.drop()
    }
  })
})

describe('svc serve on a PostgreSQL server', () => {
  let testDatabase: TestDatabase
  beforeAll(async () => {
    testDatabase = await createTestDatabase('empty')
  })
  afterAll(() => testDatabase.drop())

  it('exits with status 1 and an explanation if it cannot print its address', async () => {
    const broken = await createTestDatabase()
    try {
      await broken.open().execute('ALTER TABLE journeys RENAME TO renamed')
      const { status, stderr } = await runSvc(['serve', '--no-demo'], { env: { ...broken.environment, PORT: '0' } })
      expect([status, stderr]).toEqual([1, expect.stringContaining('journeys')])
    } finally {
      await broken.drop()
    }
  })

  describe('with a port and a host of its own', () => {
    let port: string
    let serve: RunningServe
    beforeAll(async () => {
      const free = createServer().listen(0, '127.0.0.1')
      await once(free, 'listening')
      port = String(Object(free.address()).port)
      await once(free.close(), 'close')
      const env = { ...testDatabase.environment, HOST: '192.0.2.1' }
      serve = await startServe(['--port', port, '--host=127.0.0.1'], env)
    })
    afterAll(() => serve.stop())

    it('listens on --port and --host, whatever PORT and HOST are', async () => {
      expect(serve.origin).toBe(`http://127.0.0.1:${port}`)
      expect((await fetch(`${serve.origin}/v2/users`)).status).toBe(401)
    })

    it('exits with status 1 and an explanation if the port is taken', async () => {
      const second = await runSvc(['serve'], { env: { ...testDatabase.environment, PORT: port } })
      expect([second.status, second.stderr]).toEqual([
        1,
        expect.stringMatching(`port ${port} on 127.0.0.1 is taken: .* PORT or --port`),
      ])
      expect(await serve.stop()).toBe(0)
    })
  })

  it.each([
    ['--port', '65536', 'must be from 0 to 65535'],
    ['--port', 'eighty', 'must be from 0 to 65535'],
    ['--host', '', 'must not be empty'],
  ])('refuses %s %s', async (option, value, reason) => {
    const { status, stderr } = await runSvc(['serve', option, value])
    expect([status, stderr]).toEqual([1, expect.stringContaining(reason)])
  })

  it('reports an address that does not belong to this machine', async () => {
    const { status, stderr } = await runSvc(['serve', '--host', '192.0.2.1'])
    expect([status, stderr]).toEqual([1, expect.stringMatching('^svc: cannot listen on port 8080 on 192.0.2.1 ')])
  })

  it.each([
    ['127.0.0.1', 'connect ECONNREFUSED 127.0.0.1:1'],
    ['localhost', 'ECONNREFUSED'],
  ])('exits with status 1 and an explanation if there is no server at %s', async (host, reason) => {
    const { status, stderr } = await runSvc(['serve'], { env: { DATABASE_URL: `postgresql://${host}:1/svc` } })
    expect([status, stderr]).toEqual([1, expect.stringContaining('cannot connect to the database: ')])
    expect(stderr).toContain(reason)
  })

  it('shares the port between workers, shows them in status, and loads no demo unless asked', async () => {
    const serve = await startServe(['--workers', '2'], testDatabase.environment)
    const statuses = await Promise.all(
      Array.from({ length: 20 }, async () => (await fetch(`${serve.origin}/v2/users`)).status),
    )
    expect(new Set(statuses)).toEqual(new Set([401]))
    expect(await testDatabase.open().query('SELECT id FROM organizations')).toEqual([])
    const status = await runSvc(['status', '--json'], { env: testDatabase.environment })
    const { servers, database, ...rest } = JSON.parse(status.stdout)
    expect([servers[0].url, database, Object.keys(rest)]).toEqual([serve.origin, 'DATABASE_URL', ['commands']])
    expect(await serve.stop()).toBe(0)
  })

  it('replaces workers that die, also before they listen', async () => {
    const serve = await startServe(['--workers', '2'], testDatabase.environment)
    for (let killed = 0; killed < 2; killed++) {
      // The newest, so the second time the one that begins to start.
      const victim = Math.max(...workersOf(serve))
      process.kill(victim, 'SIGKILL')
      await eventually(() => {
        const now = workersOf(serve)
        expect([now.length, now.includes(victim)]).toEqual([2, false])
      })
      expect((await fetch(`${serve.origin}/v2/users`)).status).toBe(401)
    }
    expect(await serve.stop()).toBe(0)
    expect(serve.stderr().match(/a worker died/g)).toHaveLength(2)
  })
})

describe('an invalid configuration', () => {
  it.each([
    [{ PORT: 'eighty' }, 'PORT must be a whole number from 0 to 65535'],
    [
      { METRICS_PORT: 'tcp://10.0.0.1:9464' },
      'METRICS_PORT must be a whole number from 0 to 65535 (a Service of Kubernetes',
    ],
    [{ PORT: 'tcp://10.0.0.1:80' }, 'set enableServiceLinks to false'],
    [{ PORT: '65536' }, 'PORT must be a whole number from 0 to 65535'],
    [{ PORT: '0x50' }, 'PORT must be'],
    [{ PORT: ' ' }, 'PORT must be'],
    [{ DATABASE_URL: 'mysql://x/y' }, 'DATABASE_URL'],
    [{ TRUST_PROXY: '10.0.0.0/99' }, 'TRUST_PROXY'],
    [{ LOG_LEVEL: 'loud' }, 'LOG_LEVEL'],
    [{ LOG_FORMAT: 'colourful' }, 'LOG_FORMAT must be one of json, pretty'],
    [{ OIDC_ISSUER: 'https://issuer.example' }, 'OIDC_AUDIENCE'],
    [{ OIDC_ORGANIZATION: 'acme' }, 'OIDC_ORGANIZATION needs OIDC_ISSUER'],
    [{ OIDC_ORGANIZATION: 'Acme Inc.' }, 'OIDC_ORGANIZATION must be the id of an organization'],
    [{ OIDC_EMAIL_CLAIM: 'my mail' }, 'OIDC_EMAIL_CLAIM must be the name of a claim'],
    [{ OIDC_EMAIL_VERIFIED_CLAIM: 'ü' }, 'OIDC_EMAIL_VERIFIED_CLAIM must be the name of a claim'],
    [{ CORS_ORIGINS: 'example.com' }, 'CORS_ORIGINS'],
    [{ PUBLIC_URL: 'ftp://example.com' }, 'PUBLIC_URL'],
    [{ SVC_SECRET_PEPPER: 'short' }, 'SVC_SECRET_PEPPER'],
    [{ DRAIN_SECONDS: '5s' }, 'DRAIN_SECONDS must be a whole number from 0 to 300'],
    [{ SVC_MAX_BODY_BYTES: '-1' }, 'SVC_MAX_BODY_BYTES must be a whole number from 1024 to 268435456'],
  ])('prevents the start and is named: %j', async (env, variable) => {
    const { status, stderr } = await runInProcess(['serve'], {
      env: { SVC_DATA_DIR: '/nonexistent/never-made', ...env },
    })
    expect(status).toBe(1)
    expect(stderr).toContain(variable)
  })
})

describe('a data folder that cannot be made', () => {
  it.each([
    ['/proc/x', 'ENOENT'],
    ['/proc/x/y/z', 'ENOENT'],
    ['/dev/null', 'EEXIST'],
    ['/dev/null/x', 'ENOTDIR'],
  ])('ends the program, which says what to set: %s', async (folder, code) => {
    const { status, stderr } = await runSvc(['serve'], { env: { SVC_DATA_DIR: folder, PORT: '0' } })
    expect(status).toBe(1)
    expect(stderr).toMatch(
      new RegExp(
        `^svc: cannot make the folder ${folder.slice(0, 6)}.*: ${code}: set SVC_DATA_DIR to another folder, or .*\n$`,
      ),
    )
  })
})
