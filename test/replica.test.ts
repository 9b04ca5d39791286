import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { UserService } from '../gen/svc/v2/user_pb.js'
import { createDatabase } from '../src/db/database.js'
import { runInProcess } from './support/command-line.js'
import type { TestDatabase } from './support/database.js'
import { eventually } from './support/eventually.js'
import { fixture, insertApiKey, insertFixture, insertUserToken } from './support/fixture.js'
import { type ReplicatedServers, startReplicatedServers } from './support/replicated-servers.js'
import { protocols, startTestService, type TestService } from './support/service.js'
import { type Database, withSql } from './support/sql.js'

const { it: team, journeys, entityTypes, users } = fixture

let servers: ReplicatedServers
/** Two processes in all but name: each has its own connections and knows nothing of the other. */
let services: readonly TestService[]
let service: TestService
let other: TestService
let admin: string
const opened: Database[] = []

beforeAll(async () => {
  servers = await startReplicatedServers()
  const { primary, standby } = servers
  const testDatabase: TestDatabase = {
    connectionString: primary.url,
    directUrl: primary.url,
    environment: { DATABASE_URL: primary.url, DATABASE_REPLICA_URL: standby.url },
    sessions: {},
    queryNodes: (text, values) => service.database.query(text, values),
    open: () => {
      const database = withSql(
        createDatabase({
          connectionString: primary.url,
          replicaConnectionString: standby.url,
          log: { warn: () => {} },
        }),
      )
      opened.push(database)
      return database
    },
    drop: async () => {},
  }
  services = [await startTestService({ testDatabase }), await startTestService({ testDatabase })]
  ;[service, other] = services as [TestService, TestService]
  await insertFixture(service.database)
  admin = await insertUserToken(service.database, { userId: users.admin })
})
afterAll(async () => {
  await Promise.all(services.map((each) => each.stop()))
  await Promise.all(opened.map((database) => database.close()))
  await servers.remove()
})

const lists = [
  `/v2/app-instances?teamId=${team}`,
  `/v2/journeys/${journeys.it}`,
  `/v2/entity-ingestion-configs?teamId=${team}`,
  `/v2/entity-field-mappings?entityTypeId=${entityTypes.it}`,
  `/v2/teams/${team}/sla-definitions`,
  '/v2/users',
  '/v2/department-options',
  '/v2/audit-events',
]
const reads = () => service.database.replica?.reads ?? { replica: 0 }

describe('a service with a replica', () => {
  it.each(lists)('answers GET %s from it, byte for byte as the primary does', async (path) => {
    const get = () => service.rest('GET', path, { token: admin })
    await servers.caughtUp()
    await eventually(async () => {
      const before = reads().replica
      const { status, text } = await get()
      expect([status, reads().replica - before]).toEqual([200, 1])
      await servers.setLag(60_000)
      // A write, so that it is behind.
      await insertUserToken(service.database, { userId: users.admin })
      expect((await get()).text).toBe(text)
      expect(reads().replica - before).toBe(1)
      await servers.setLag(0)
      await servers.caughtUp()
    })
  })

  it('reads from the primary what a caller reads in order to write it, with its version', async () => {
    await servers.caughtUp()
    const before = reads().replica
    expect((await service.rest('GET', `/v2/users/${users.admin}`, { token: admin })).status).toBe(200)
    expect(reads().replica).toBe(before)
  })

  it.each(protocols)(
    "shows a write over %s at once, even another process's, with the replica 60 seconds behind",
    async (protocol) => {
      await servers.setLag(60_000)
      try {
        for (let round = 0; round < 5; round++) {
          const email = `${randomUUID()}@example.com`
          await service.client(UserService, admin, protocol).createUser({ email })
          for (const { client } of services) {
            const { data } = await client(UserService, admin, protocol).listUsers({})
            expect(data.map((user) => user.email)).toContain(email)
          }
        }
      } finally {
        await servers.setLag(0)
      }
    },
  )

  it('refuses a revoked key at once in every process, however far the replica is behind', async () => {
    await servers.caughtUp()
    const { token, secret } = await insertApiKey(service.database, { organizationId: fixture.acme })
    await servers.caughtUp()
    expect((await other.rest('GET', '/v2/users', { token })).status).toBe(200)
    await servers.setLag(60_000)
    try {
      await service.rest('POST', '/v2/auth/revoke', { form: { secret } })
      for (const each of services) expect((await each.rest('GET', '/v2/users', { token })).status).toBe(401)
    } finally {
      await servers.setLag(0)
    }
  })

  it('answers every call while the replica is killed and restarted', async () => {
    const statuses = new Map<number, number>()
    let isOver = false
    const calling = Promise.all(
      [service, other, service, other].map(async (each, index) => {
        for (let round = index; !isOver; round++) {
          const { status } = await each.rest('GET', lists[round % lists.length] ?? '', { token: admin })
          statuses.set(status, (statuses.get(status) ?? 0) + 1)
        }
      }),
    )
    for (let round = 0; round < 2; round++) {
      await servers.standby.kill()
      await servers.standby.start()
    }
    isOver = true
    await calling
    expect([...statuses.keys()]).toEqual([200])
  })
})

describe('svc doctor with a replica', () => {
  const examine = async (replica: string) => {
    const env = { DATABASE_URL: servers.primary.url, DATABASE_REPLICA_URL: replica, PORT: '0' }
    const { stdout } = await runInProcess(['doctor', '--json'], { env })
    const { checks }: { checks: { check: string; healthy: boolean; text: string }[] } = JSON.parse(stdout)
    const { healthy, text } = checks.find(({ check }) => check === 'replica') ?? {}
    return [healthy, text]
  }

  it('reports how far behind it is, and where exports are read', async () => {
    await servers.caughtUp()
    const text = /^follows the database, \d+ bytes behind; exports are read from the primary, because .* is off$/
    expect(await examine(servers.standby.url)).toEqual([true, expect.stringMatching(text)])
  })

  it('reports a replica that is not one, and one that does not respond', async () => {
    const advice = 'fix DATABASE_REPLICA_URL or the replica; until then, reads go to the primary'
    expect(await examine(servers.primary.url)).toEqual([false, `it is not a standby: ${advice}`])
    expect(await examine('postgresql://svc@127.0.0.1:1/svc')).toEqual([
      false,
      `connect ECONNREFUSED 127.0.0.1:1: ${advice}`,
    ])
  })
})
