import { randomUUID } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { createTestDatabase, type TestDatabase } from '../support/database.js'
import { eventually } from '../support/eventually.js'
import { metricsFromText } from '../support/metrics.js'
import { runSvc, startServe } from '../support/program.js'

describe('METRICS_PORT', () => {
  let testDatabase: TestDatabase
  let env: Record<string, string>
  const folder = mkdtempSync(join(tmpdir(), 'svc-packages-'))
  beforeAll(async () => {
    testDatabase = await createTestDatabase()
    env = testDatabase.environment
  })
  afterAll(async () => {
    rmSync(folder, { recursive: true })
    await testDatabase.drop()
  })

  it('serves only /metrics, by GET and HEAD', async () => {
    const port = await freePort()
    const serve = await startServe(['--no-demo'], { ...env, METRICS_PORT: String(port) })
    const ask = (path: string, method = 'GET') => fetch(`http://127.0.0.1:${port}${path}`, { method })
    const answer = await ask('/metrics')
    expect(answer.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8')
    expect(metricsFromText(await answer.text()).sum('svc_ready')).toBe(1)
    expect((await ask('/metrics?x=1')).status).toBe(200)
    expect(await (await ask('/metrics', 'HEAD')).text()).toBe('')
    const post = await ask('/metrics', 'POST')
    expect([post.status, post.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
    expect((await ask('/')).status).toBe(404)
    expect((await fetch(`${serve.origin}/metrics`)).status).toBe(404)
    expect(await serve.stop()).toBe(0)
  })

  it('aggregates the processes that share a port', async () => {
    const port = await freePort()
    const serve = await startServe(['--no-demo', '--workers', '2'], { ...env, METRICS_PORT: String(port) })
    const read = async () => metricsFromText(await (await fetch(`http://127.0.0.1:${port}/metrics`)).text())
    for (let number = 0; number < 12; number++) {
      const answer = await fetch(`${serve.origin}/healthz`, { headers: { connection: 'close' } })
      expect(answer.status).toBe(200)
    }
    await eventually(async () => expect((await read()).sum('svc_http_requests_total', { protocol: 'probe' })).toBe(12))
    const metrics = await read()
    expect([metrics.sum('svc_pool_connections_max'), metrics.sum('svc_ready'), metrics.sum('svc_build_info')]).toEqual([
      20, 1, 1,
    ])
    expect(await serve.stop()).toBe(0)
  })

  it('ends the program if the port is taken', async () => {
    const taken = createServer()
    const port = await new Promise<number>((resolve) => {
      taken.listen(0, '127.0.0.1', () => {
        const address = taken.address()
        resolve(typeof address === 'object' ? (address?.port ?? 0) : 0)
      })
    })
    const result = await runSvc(['serve', '--no-demo', '--port', '0'], { env: { ...env, METRICS_PORT: String(port) } })
    expect([result.status, result.stderr]).toEqual([1, expect.stringContaining(`127.0.0.1:${port}`)])
    await new Promise((resolve) => taken.close(resolve))
  })

  it.each([
    ['loads nothing for metrics if it is not set', {}, false],
    ['loads what metrics require if it is set', { METRICS_PORT: '0' }, true],
  ])('%s', async (_, variables, loads) => {
    const file = join(folder, randomUUID())
    const preload = join(import.meta.dirname, '..', 'support', 'report-modules.cjs')
    const serve = await startServe(['--no-demo'], {
      ...env,
      ...variables,
      NODE_OPTIONS: `--require=${preload}`,
      LOADED_PACKAGES: file,
    })
    await serve.stop()
    const packages: string[] = JSON.parse(readFileSync(file, 'utf8'))
    expect(packages).toContain('pino')
    expect(packages.includes('prom-client')).toBe(loads)
    expect(packages.filter((name) => name.startsWith('@opentelemetry/') && name !== '@opentelemetry/api')).toEqual([])
  })
})

async function freePort(): Promise<number> {
  const server = createServer()
  const port = await new Promise<number>((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      resolve(typeof address === 'object' ? (address?.port ?? 0) : 0)
    })
  })
  await new Promise((resolve) => server.close(resolve))
  return port
}
