import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from '@jest/globals'
import { callJson } from '../../harness/call.js'
import { createTestDatabase, type TestDatabase } from '../support/database.js'
import { eventually } from '../support/eventually.js'
import { fixture, insertApiKey, insertFixture, insertUserToken } from '../support/fixture.js'
import { type RunningServe, startServe } from '../support/program.js'

const { acme, priorities, users } = fixture

/** More than the process has threads, and than Node looks up names at a time. */
const ENDPOINTS = 12
/** More than the pool has connections. */
const READS = 40

let testDatabase: TestDatabase
let serve: RunningServe | undefined
let dns: Socket
/** The names of receivers that were asked for. */
const asked = new Set<string>()
beforeAll(async () => {
  testDatabase = await createTestDatabase()
  dns = createSocket('udp4').bind(0, '127.0.0.1')
  await once(dns, 'listening')
  // It never answers.
  dns.on('message', (query) => {
    const name = /silent-\d+/.exec(query.toString('latin1'))?.[0]
    if (name !== undefined) asked.add(name)
  })
})
afterAll(async () => {
  await serve?.stop()
  await new Promise<void>((done) => dns.close(done))
  await testDatabase.drop()
})

it('names that nobody answers for keep the service neither from a database by host name nor from stopping', async () => {
  const database = testDatabase.open()
  await insertFixture(database)
  const { token } = await insertApiKey(database, { organizationId: acme })
  const admin = await insertUserToken(database, { userId: users.admin })
  const preload = new URL(`file://${join(import.meta.dirname, '../support/silent-dns.mjs')}`)
  preload.searchParams.set('server', `127.0.0.1:${dns.address().port}`)
  const running = await startServe(['--no-demo'], {
    ...testDatabase.environment,
    DATABASE_URL: testDatabase.connectionString.replace('127.0.0.1', 'localhost'),
    NODE_OPTIONS: `--import=${preload.href}`,
  })
  serve = running
  const call = (path: string, as: string, method = 'GET', json?: object) =>
    callJson(running, path, { token: as, method, ...(json !== undefined && { json }) })
  const ids: string[] = []
  for (let index = 0; index < ENDPOINTS; index++) {
    const json = { url: `https://silent-${index}.example.com/`, types: ['priority.update'] }
    const made = await call('/v2/webhook-endpoints', token, 'POST', json)
    expect(made.status).toBe(200)
    ids.push(JSON.parse(made.text).data.id)
  }
  const change = async (name: string) => {
    const path = `/v2/priorities/${priorities.it}`
    asked.clear()
    expect((await call(path, admin, 'PATCH', { name })).status).toBe(200)
    await eventually(() => expect(asked.size).toBe(ENDPOINTS))
  }
  await change('First')
  // As connections are made for them, the host of the database is looked up.
  const reads = await Promise.all(Array.from({ length: READS }, () => call('/v2/users', token)))
  expect(reads.map(({ status }) => status)).toEqual(reads.map(() => 200))
  /** How long a name is waited for. */
  const tested = performance.now()
  await call(`/v2/webhook-endpoints/${ids[0]}:test`, token, 'POST', {})
  const waited = performance.now() - tested
  await change('Second')
  const stopped = performance.now()
  expect(await running.stop()).toBe(0)
  expect(performance.now() - stopped).toBeLessThan(waited / 2)
  // No attempt has ended: each was given back, for another process.
  const last = await database.models.webhookDelivery.findMany({
    where: { organizationId: acme },
    select: { attempts: true, error: true },
    orderBy: { position: 'desc' },
    take: ENDPOINTS,
  })
  expect(last.map(({ attempts, error }) => [attempts, error])).toEqual(Array(ENDPOINTS).fill([0, '']))
})
