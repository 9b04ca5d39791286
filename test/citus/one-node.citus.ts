import { createReadStream } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import {
  callsApart,
  logRemoteCommands,
  type RemoteCommands,
  watchRemoteCommands,
} from '../../harness/remote-commands.js'
import { services } from '../../src/handlers/routes.js'
import { importRecords } from '../../src/transfer/import-records.js'
import { scimOperations, sendScimExample } from '../support/collected-scim-answers.js'
import { createTestDatabase } from '../support/database.js'
import { insertDemoCallers } from '../support/demo-requests.js'
import {
  fixture,
  type InsertedApiKey,
  insertApiKey,
  insertFeedEvent,
  insertFixture,
  insertManagedKeys,
  insertUserToken,
} from '../support/fixture.js'
import { methodNamed, restFormOf } from '../support/method-forms.js'
import { readCalls } from '../support/read-calls.js'
import { startTestService, type TestService } from '../support/service.js'
import { removals, type WriteCall, writeCalls } from '../support/write-calls.js'

/** Why a method talks to more than one node, or commits in two phases. */
const exceptions: Readonly<Record<string, string>> = {
  IngestUserProfiles: 'it gives profiles their order',
  ImportRecords: 'records are staged on the coordinator',
  RevokeLeakedKey: 'only the database knows whose a secret is',
}

/** Methods that need no credential. The second one has an exception, and is not called. */
const anonymous = ['CreateToken', 'RevokeLeakedKey']

describe('a call of one organization talks to one node', () => {
  let service: TestService
  let take: () => RemoteCommands
  let drop: () => Promise<void>
  let demo: string
  let directory: InsertedApiKey
  const tokens: Partial<Record<WriteCall['caller'], string>> = {}

  beforeAll(async () => {
    const testDatabase = await createTestDatabase()
    drop = testDatabase.drop
    await logRemoteCommands(testDatabase.directUrl)
    const [database, background] = [testDatabase.open(), testDatabase.open()]
    take = watchRemoteCommands(database)
    const watched = callsApart(database, background)
    service = await startTestService({ testDatabase: { ...testDatabase, open: () => watched } })
    await insertFixture(background)
    await insertFeedEvent(background)
    await insertManagedKeys(background)
    const file = createReadStream(join(import.meta.dirname, '..', '..', 'demo', 'organization.ndjson'))
    await importRecords(background, file, { runtime: service.runtime })
    demo = (await insertDemoCallers(background)).administrator
    directory = await insertApiKey(background, { organizationId: 'org_acme', kind: 'mk' })
    tokens.admin = await insertUserToken(background, { userId: fixture.users.admin })
    tokens.key = (await insertApiKey(background, { organizationId: fixture.acme })).token
    // The first call with the secret of a management key asks all nodes whose it is.
    await sendScimExample(service.baseUrl, directory, 'Users/List')
  })
  afterAll(async () => {
    await service.close()
    await drop()
  })

  const send = async (name: string, token: string | undefined, request: Readonly<Record<string, unknown>>) => {
    const { verb, path, json } = restFormOf(methodNamed(name), request)
    const answer = await service.rest(verb, path, { token, ...(json && { json }) })
    expect([answer.status, answer.text]).toEqual([200, answer.text])
    return answer
  }
  const expectOneNode = (name: string) => {
    const { nodes, isPrepared, texts, warnings } = take()
    expect(warnings).toEqual([])
    const isMore = nodes.length > 1 || isPrepared
    if (name in exceptions) expect(isMore).toBe(true)
    else expect(isMore ? [nodes, texts] : []).toEqual([])
  }

  it('whatever the method', () => {
    const covered = [
      ...readCalls.map(([name]) => name),
      ...writeCalls.map(({ name }) => name),
      ...removals.map(({ name }) => name),
    ]
    const all = services.flatMap(({ methods }) => methods).map(({ name }) => name)
    expect([...new Set([...covered, ...anonymous])].toSorted()).toEqual(all.toSorted())
    expect(Object.keys(exceptions).filter((name) => ![...all, ...scimOperations].includes(name))).toEqual([])
  })

  it.each(readCalls)('%s', async (name, request, isStream) => {
    if (isStream) return expectStream(name, request)
    await send(name, demo, request)
    take()
    await send(name, demo, request)
    expectOneNode(name)
  })

  const expectStream = async (name: string, request: Readonly<Record<string, unknown>>) => {
    const { path } = restFormOf(methodNamed(name), request)
    const stop = new AbortController()
    take()
    const response = await fetch(service.baseUrl + path, {
      headers: { authorization: `Bearer ${demo}` },
      signal: stop.signal,
    })
    expect(response.status).toBe(200)
    await response.body?.getReader().read()
    stop.abort()
    expectOneNode(name)
  }

  it.each(writeCalls)('$name', async ({ name, caller, request }) => {
    await send(name, tokens[caller], request(1)).catch(() => undefined)
    take()
    await send(name, tokens[caller], request(3))
    expectOneNode(name)
  })

  it.each(removals)('$name', async ({ name, caller, made, request }) => {
    const { json } = await send(made.name, tokens[made.caller], made.request(1_001))
    take()
    await send(name, tokens[caller], request(String(json.data?.id)))
    expectOneNode(name)
  })

  it.each(scimOperations)('SCIM %s', async (operation) => {
    take()
    const { status, body } = await sendScimExample(service.baseUrl, directory, operation)
    expect([status, body]).toEqual([expect.any(Number), body])
    expect(status).toBeLessThan(300)
    expectOneNode(operation)
  })

  it('CreateToken', async () => {
    const { json } = await send('CreateApiKey', tokens.admin, { name: 'Client', permissions: ['tickets:read'] })
    const authorization = `Basic ${Buffer.from(`${json.data.id}:${json.secret}`).toString('base64')}`
    take()
    const form = { grant_type: 'client_credentials' }
    const answer = await service.rest('POST', '/v2/auth/token', { form, headers: { authorization } })
    expect([answer.status, answer.text]).toEqual([200, answer.text])
    expectOneNode('CreateToken')
  })
})
