import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { readdir } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from '@jest/globals'
import { createTestDatabase, type TestDatabase } from '../support/database.js'
import { eventually } from '../support/eventually.js'
import { fixture, insertApiKey, insertFixture, insertUserToken } from '../support/fixture.js'
import { type RunningServe, startServe } from '../support/program.js'

const { acme, priorities, users } = fixture

/** How many files the process may have open, and how many endpoints it sends to: fewer than an organization may have. */
const FILES = 256
const ENDPOINTS = 90
const AT_ONCE = 10

let testDatabase: TestDatabase
let serve: RunningServe | undefined
let receiver: Server
const received = new Set<string>()
beforeAll(async () => {
  testDatabase = await createTestDatabase()
  receiver = createServer({ keepAliveTimeout: 0 }, (request, response) => {
    received.add(request.url ?? '')
    request.resume().on('end', () => response.end())
  }).listen(0, '0.0.0.0')
  await once(receiver, 'listening')
})
afterAll(async () => {
  await serve?.stop()
  receiver.closeAllConnections()
  await new Promise((done) => receiver.close(done))
  await testDatabase.drop()
})

it('webhooks leave a process with few files enough for its clients, and a crowd of clients takes nothing for good', async () => {
  const database = testDatabase.open()
  await insertFixture(database)
  const { token } = await insertApiKey(database, { organizationId: acme })
  const admin = await insertUserToken(database, { userId: users.admin })
  const running = await startServe(['--no-demo'], { ...testDatabase.environment, WEBHOOK_ALLOW: '127.0.0.0/8' })
  serve = running
  await promisify(execFile)('prlimit', ['--pid', String(running.pid), `--nofile=${FILES}:${FILES}`])
  /** Each over a connection of its own. */
  const call = async (path: string, as: string, method = 'GET', json?: object) => {
    const headers = { authorization: `Bearer ${as}`, connection: 'close', 'content-type': 'application/json' }
    const body = json && JSON.stringify(json)
    const response = await fetch(running.origin + path, { method, headers, ...(body !== undefined && { body }) })
    return { status: response.status, json: JSON.parse(await response.text()) }
  }
  const { port } = receiver.address() as AddressInfo
  const ids: string[] = []
  for (let index = 1; index <= ENDPOINTS; index++) {
    // Each has an address of its own, and so a connection.
    const json = { url: `http://127.0.1.${index}:${port}/${index}`, types: ['priority.update'] }
    ids.push((await call('/v2/webhook-endpoints', token, 'POST', json)).json.data.id)
  }
  for (let begun = 0; begun < ENDPOINTS; begun += AT_ONCE) {
    const some = ids.slice(begun, begun + AT_ONCE)
    const tests = await Promise.all(some.map((id) => call(`/v2/webhook-endpoints/${id}:test`, token, 'POST', {})))
    expect(tests.map(({ json }) => json.delivered)).toEqual(tests.map(() => true))
  }
  // A connection to each of them would be more.
  expect((await readdir(`/proc/${running.pid}/fd`)).length).toBeLessThan(ENDPOINTS)
  const reads = await Promise.all(Array.from({ length: 40 }, () => call('/v2/users?pageSize=1', token)))
  expect(reads.map(({ status }) => status)).toEqual(reads.map(() => 200))

  const crowd: Socket[] = []
  for (let index = 0; index < FILES + 50; index++) {
    const socket = connect(Number(new URL(running.origin).port), '127.0.0.1')
    crowd.push(socket.on('error', () => undefined))
    await Promise.race([once(socket, 'connect'), once(socket, 'close')])
  }
  for (const socket of crowd) socket.destroy()
  received.clear()
  const rename = () => call(`/v2/priorities/${priorities.it}`, admin, 'PATCH', { name: 'After the crowd' })
  await eventually(async () => expect((await rename()).status).toBe(200))
  await eventually(() => expect(received.size).toBe(ENDPOINTS))
  expect(await running.stop()).toBe(0)
})
