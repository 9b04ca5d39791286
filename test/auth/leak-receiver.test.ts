import { type ChildProcess, spawn } from 'node:child_process'
import { generateKeyPairSync, sign } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from '@jest/globals'
import { freePort } from '../../harness/free-port.js'
import { createApiKeySecret } from '../../src/domain/auth/api-key-secret.js'
import { eventually } from '../support/eventually.js'
import { fixture, insertApiKey, insertFixture } from '../support/fixture.js'
import { startTestService, type TestService } from '../support/service.js'

const root = join(import.meta.dirname, '../..')
const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })

let service: TestService
let programme: Server
let receiver: ChildProcess | undefined
let url: string

beforeAll(async () => {
  service = await startTestService()
  await insertFixture(service.database)
  const key = publicKey.export({ type: 'spki', format: 'pem' })
  const keys = JSON.stringify({ public_keys: [{ key_identifier: 'k1', key, is_current: true }] })
  programme = createServer((_, response) => response.end(keys)).listen(0, '127.0.0.1')
  await once(programme, 'listening')
  const port = await freePort()
  url = `http://127.0.0.1:${port}/`
  const environment = {
    ...process.env,
    PORT: String(port),
    BASE_URL: service.baseUrl,
    KEYS_URL: `http://127.0.0.1:${(programme.address() as AddressInfo).port}/`,
  }
  receiver = spawn(process.execPath, ['examples/receive-leaks.mjs'], { cwd: root, env: environment })
  await eventually(async () => expect((await fetch(url)).status).toBe(401))
})
afterAll(async () => {
  receiver?.kill()
  programme.closeAllConnections()
  programme.close()
  await service.stop()
})

/** Sends findings as the programme does. */
const post = (findings: readonly object[], { identifier = 'k1', signed = findings } = {}) => {
  const body = JSON.stringify(findings)
  const signature = sign('sha256', Buffer.from(JSON.stringify(signed)), privateKey).toString('base64')
  const headers = { 'github-public-key-identifier': identifier, 'github-public-key-signature': signature }
  return fetch(url, { method: 'POST', body, headers: { 'content-type': 'application/json', ...headers } })
}
const finding = (token: string) => ({ token, type: 'svc_api_key', url: 'https://x.example/a.txt', source: 'content' })
const newKeys = (count: number) =>
  Promise.all(Array.from({ length: count }, () => insertApiKey(service.database, { organizationId: fixture.acme })))
const revoked = async (keys: readonly { id: string }[]) => {
  const ids = keys.map(({ id }) => id)
  return (await service.database.query('SELECT FROM api_keys WHERE id = ANY ($1) AND revoked_at IS NOT NULL', [ids]))
    .length
}

it('the receiver of the guide ends every key that a programme finds, and reports none of them to it', async () => {
  const keys = await newKeys(7)
  const unknown = createApiKeySecret('pk', service.runtime)
  const answer = await post([...keys.map(({ secret }) => finding(secret)), finding(unknown), finding('no secret')])
  expect([answer.status, await answer.text()]).toEqual([200, '[]'])
  expect(await revoked(keys)).toBe(7)
})

it('the receiver of the guide takes nothing that the programme has not signed', async () => {
  const keys = await newKeys(1)
  const findings = keys.map(({ secret }) => finding(secret))
  for (const forged of [{ identifier: 'other' }, { signed: [] }]) {
    expect((await post(findings, forged)).status).toBe(401)
  }
  expect(await revoked(keys)).toBe(0)
})
