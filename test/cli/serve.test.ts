import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { removeEmbeddedPostgres } from '../../src/db/embedded/embedded-postgres.js'
import { createTestDatabase, type TestDatabase } from '../support/database.js'
import { type RunningServe, runSvc, startServe } from '../support/program.js'

const run = promisify(execFile)

describe('svc serve on the embedded database', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'svc-serve-'))
  const env = { SVC_DATA_DIR: dataDir }
  let serve: RunningServe

  beforeAll(async () => {
    serve = await startServe(['--demo'], env)
  })
  afterAll(async () => {
    await serve.stop()
    await removeEmbeddedPostgres(dataDir)
    rmSync(dataDir, { recursive: true, force: true })
  })

  const requests = () => serve.banner.split('\n\n').filter((text) => /^(curl|npx) /.test(text))
  const tokenOf = () => /Bearer (\S+)'/.exec(serve.banner)?.[1] ?? ''

  it('prints requests that answer 200 when pasted', async () => {
    const curls = requests().filter((text) => text.startsWith('curl '))
    expect(curls.length).toBeGreaterThan(8)
    for (const request of curls) {
      const { stdout } = await run('bash', ['-c', `${request} -w '\\n%{http_code}'`])
      expect([request, stdout.split('\n').at(-1)]).toEqual([request, '200'])
    }
  })

  it('prints a request of buf curl that answers when pasted', async () => {
    const [request = ''] = requests().filter((text) => text.startsWith('npx buf curl'))
    const { stdout } = await run('bash', ['-c', request])
    expect(JSON.parse(stdout).data.tasks.length).toBeGreaterThan(0)
  })

  it('answers the requests of the README', async () => {
    const readme = readFileSync(join(import.meta.dirname, '..', '..', 'README.md'), 'utf8')
    const examples = [...readme.matchAll(/```sh\n(.*?)```/gs)].flatMap(([, text = '']) =>
      /\$TOKEN/.test(text) ? text : [],
    )
    expect(examples).toHaveLength(3)
    for (const example of examples) {
      const request = example.replace('http://127.0.0.1:8080', serve.origin)
      const { stdout } = await run('bash', ['-c', request], { env: { ...process.env, TOKEN: tokenOf() } })
      expect(JSON.parse(stdout)).toHaveProperty('data')
    }
  })

  it('lets the command line work while it runs: a key made now is accepted at once, and revoked at once', async () => {
    const created = await runSvc(['keys', 'create', '--org', 'org_acme', '--json'], { env })
    const key = JSON.parse(created.stdout)
    const form = new URLSearchParams({ grant_type: 'client_credentials', client_id: key.id, client_secret: key.secret })
    const exchange = await fetch(`${serve.origin}/v2/auth/token`, { method: 'POST', body: form })
    const { access_token: token }: { access_token: string } = JSON.parse(await exchange.text())
    const call = () =>
      fetch(`${serve.origin}/v2/app-instances?teamId=team_it`, { headers: { authorization: `Bearer ${token}` } })
    expect((await call()).status).toBe(200)
    expect((await runSvc(['keys', 'revoke', key.id], { env })).status).toBe(0)
    expect((await call()).status).toBe(401)
  })

  it('lets the command line name what it does not find', async () => {
    const { status, stderr } = await runSvc(['keys', 'list', '--org', 'nowhere', '--json'], { env })
    expect([status, stderr]).toEqual([1, 'svc: organization not found: nowhere\n'])
  })

  it('gives back with export what the demo file holds', async () => {
    const exported = await runSvc(['export'], { env })
    expect(exported.status).toBe(0)
    const again = await runSvc(['import', '-'], { env, stdin: exported.stdout })
    expect([again.status, again.stderr]).toEqual([0, ''])
    expect((await runSvc(['export'], { env })).stdout).toBe(exported.stdout)
  })

  it('refuses a second serve on the same data with a message that says why', async () => {
    const second = await runSvc(['serve'], { env: { ...env, PORT: '0' } })
    expect(second.status).toBe(1)
    expect(second.stderr).toMatch(/another|already/)
  })

  it('takes HTTP/2 with prior knowledge and HTTP/1.1 on the same port', async () => {
    const url = `${serve.origin}/v2/teams/team_it/sla-definitions`
    for (const version of ['--http1.1', '--http2-prior-knowledge']) {
      const { stdout } = await run('curl', [
        '-s',
        version,
        '-w',
        '\n%{http_code} %{http_version}',
        url,
        '-H',
        `Authorization: Bearer ${tokenOf()}`,
      ])
      expect(stdout.split('\n').at(-1)).toBe(version === '--http1.1' ? '200 1.1' : '200 2')
    }
  })

  it('survives a connection that breaks off in its first bytes', async () => {
    const { hostname, port } = new URL(serve.origin)
    const socket = connect(Number(port), hostname)
    await new Promise((resolve) => socket.write('PR', resolve))
    await new Promise((resolve) => socket.once('close', resolve).destroy())
    expect((await fetch(`${serve.origin}/v2/users`)).status).toBe(401)
  })

  it('keeps everything over a kill -9 of its process, and starts again', async () => {
    const before = (await runSvc(['export'], { env })).stdout
    process.kill(serve.pid, 'SIGKILL')
    serve = await startServe(['--demo'], env)
    expect((await runSvc(['export'], { env })).stdout).toBe(before)
  })

  it('ends with status 0 when it is asked to stop', async () => {
    expect(await serve.stop()).toBe(0)
  })
})

describe('svc serve on a PostgreSQL server', () => {
  let testDatabase: TestDatabase
  beforeAll(async () => {
    testDatabase = await createTestDatabase('empty')
  })
  afterAll(() => testDatabase.drop())

  it('ends with status 1 and says why where the port is taken', async () => {
    const env = { DATABASE_URL: testDatabase.connectionString }
    const serve = await startServe([], env)
    const { port } = new URL(serve.origin)
    const second = await runSvc(['serve'], { env: { ...env, PORT: port } })
    expect([second.status, second.stderr]).toEqual([1, expect.stringContaining(`EADDRINUSE`)])
    expect(await serve.stop()).toBe(0)
  })

  it.each([
    ['127.0.0.1', 'connect ECONNREFUSED 127.0.0.1:1'],
    ['localhost', 'ECONNREFUSED'],
  ])('ends with status 1 and says so where there is no server at %s', async (host, reason) => {
    const { status, stderr } = await runSvc(['serve'], { env: { DATABASE_URL: `postgresql://${host}:1/svc` } })
    expect([status, stderr]).toEqual([1, expect.stringContaining('cannot connect to the database: ')])
    expect(stderr).toContain(reason)
  })

  it('shares the port between workers, and loads no demo unless asked', async () => {
    const serve = await startServe(['--workers', '2'], { DATABASE_URL: testDatabase.connectionString })
    const statuses = await Promise.all(
      Array.from({ length: 20 }, async () => (await fetch(`${serve.origin}/v2/users`)).status),
    )
    expect(new Set(statuses)).toEqual(new Set([401]))
    expect(await testDatabase.open().query('SELECT id FROM organizations')).toEqual([])
    expect(await serve.stop()).toBe(0)
  })
})

describe('a configuration that cannot be used', () => {
  it.each([
    [{ PORT: 'eighty' }, 'PORT must be a whole number from 0 to 65535'],
    [{ PORT: '65536' }, 'PORT must be a whole number from 0 to 65535'],
    [{ PORT: '0x50' }, 'PORT must be'],
    [{ PORT: ' ' }, 'PORT must be'],
    [{ DATABASE_URL: 'mysql://x/y' }, 'DATABASE_URL'],
    [{ TRUST_PROXY: '10.0.0.0/99' }, 'TRUST_PROXY'],
    [{ LOG_LEVEL: 'loud' }, 'LOG_LEVEL'],
    [{ OIDC_ISSUER: 'https://issuer.example' }, 'OIDC_AUDIENCE'],
    [{ CORS_ORIGINS: 'example.com' }, 'CORS_ORIGINS'],
    [{ PUBLIC_URL: 'ftp://example.com' }, 'PUBLIC_URL'],
    [{ SVC_SECRET_PEPPER: 'short' }, 'SVC_SECRET_PEPPER'],
    [{ SVC_MAX_BODY_BYTES: '-1' }, 'SVC_MAX_BODY_BYTES must be a whole number from 1024 to 268435456'],
  ])('keeps the program from starting and is named: %j', async (env, variable) => {
    const { status, stderr } = await runSvc(['serve'], { env: { SVC_DATA_DIR: '/nonexistent/never-made', ...env } })
    expect(status).toBe(1)
    expect(stderr).toContain(variable)
  })
})
