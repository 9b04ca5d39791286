import { afterAll, beforeAll, expect, it } from '@jest/globals'
import pg from 'pg'
import { createTestDatabase, type TestDatabase } from '../support/database.js'
import { eventually } from '../support/eventually.js'
import { fixture, insertFixture, insertUserToken } from '../support/fixture.js'
import { connectDirectory, type ScimClient } from '../support/scim.js'
import { startTestService, type TestService } from '../support/service.js'

const CONNECTIONS = 4
const SEARCHES = 12
/** Half of the connections; in a cluster, half of those that may wait for one worker. */
const MOST = process.env['TEST_ON'] === 'citus' ? 1 : CONNECTIONS / 2

let testDatabase: TestDatabase
let service: TestService
let acme: ScimClient
let token: string
let other: pg.Client
beforeAll(async () => {
  testDatabase = await createTestDatabase()
  const small = { ...testDatabase, open: () => testDatabase.open({ maxConnections: CONNECTIONS }) }
  service = await startTestService({ testDatabase: small })
  await insertFixture(service.database)
  acme = await connectDirectory(service)
  token = await insertUserToken(service.database, {
    userId: fixture.users.globexAdmin,
    organizationId: fixture.globex,
  })
  other = new pg.Client({ connectionString: testDatabase.directUrl })
  await other.connect()
  // In place of a million groups, through which a search takes as long as it may.
  await other.query('BEGIN')
  await other.query('LOCK TABLE groups IN ACCESS EXCLUSIVE MODE')
})
afterAll(async () => {
  await other.query('ROLLBACK')
  await other.end()
  await service.stop()
  await testDatabase.drop()
})

const pool = () => service.database.pool
const search = (milliseconds: number) =>
  acme.send('GET', '/Groups?filter=displayName%20co%20%22a%22', undefined, {
    'connect-timeout-ms': String(milliseconds),
  })

it('searches of one organization leave connections to another, and release theirs when their time is up', async () => {
  const searches = Array.from({ length: SEARCHES }, () => search(2_500))
  await eventually(() => expect([pool().inUse, pool().waiting]).toEqual([MOST, SEARCHES - MOST]))
  for (let call = 0; call < 5; call++) {
    expect((await service.rest('GET', '/v2/department-options', { token })).status).toBe(200)
  }
  expect([pool().inUse, pool().waiting]).toEqual([MOST, SEARCHES - MOST])
  const statuses = (await Promise.all(searches)).map(({ status }) => status)
  expect(statuses).toEqual(statuses.map(() => 504))
  await eventually(() => expect([pool().inUse, pool().waiting]).toEqual([0, 0]))
})
