import { randomUUID } from 'node:crypto'
import { createServer, type Server } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals'
import { scratchFolder } from '../../harness/scratch-folder.js'
import { runInProcess } from '../support/command-line.js'
import { createTestDatabase, type TestDatabase } from '../support/database.js'
import { eventually } from '../support/eventually.js'
import { startOidcIssuer, startStaticIssuer } from '../support/oidc-issuer.js'
import { startServe } from '../support/program.js'

let testDatabase: TestDatabase
beforeAll(async () => {
  testDatabase = await createTestDatabase()
})
afterAll(() => testDatabase.drop())

/** What the doctor finds: the sentences of faults by check, and the names of what is healthy. */
async function examine(env: Readonly<Record<string, string>>) {
  const { status, stdout, stderr } = await runInProcess(['doctor', '--json'], { env })
  const { healthy, checks }: { healthy: boolean; checks: { check: string; healthy: boolean; text: string }[] } =
    JSON.parse(stdout)
  const faults = checks.filter((each) => !each.healthy)
  expect([status, healthy]).toEqual(faults.length === 0 ? [0, true] : [1, false])
  expect(stderr).toBe(faults.length === 0 ? '' : `svc: ${faults.length} fault${faults.length === 1 ? '' : 's'}\n`)
  return {
    sound: checks.filter((each) => each.healthy).map(({ check }) => check),
    faults: Object.fromEntries(faults.map(({ check, text }) => [check, text])),
  }
}

const environment = (more: Readonly<Record<string, string>> = {}) => ({
  ...testDatabase.environment,
  PORT: '0',
  ...more,
})

/** Whatever else the tests go through. */
const directly = (url: string) => environment({ DATABASE_URL: url, DATABASE_DIRECT_URL: '' })

describe('svc doctor', () => {
  it('finds no fault if a server could run, and reports each check', async () => {
    expect(await examine(environment())).toEqual({
      sound: [
        'configuration',
        'database',
        'sessions',
        'clock',
        'migrations',
        'events',
        'webhooks',
        'secret pepper',
        'seal key',
        'port',
      ],
      faults: {},
    })
    const { stdout } = await runInProcess(['doctor'], { env: environment() })
    expect(stdout).toMatch(/^ok {5}configuration {2}valid/)
    expect(stdout.trimEnd().split('\n')).toHaveLength(10)
  })

  it.each([
    [{}, '1 variable is set'],
    [{ LOG_LEVEL: 'info' }, '2 variables are set'],
  ])('uses the singular and plural correctly (%j)', async (more, text) => {
    const { stdout } = await runInProcess(['doctor'], { env: { DATABASE_URL: testDatabase.directUrl, ...more } })
    expect(stdout).toContain(`valid; ${text},`)
  })

  it('reports invalid variables, and skips the other checks', async () => {
    expect(await examine(environment({ PORT: 'http' }))).toEqual({
      sound: [],
      faults: { configuration: expect.stringContaining('PORT must be a whole number') },
    })
  })

  it('reports that the database does not respond, and still checks the port', async () => {
    const { sound, faults } = await examine(directly('postgresql://svc@127.0.0.1:1/svc'))
    expect(sound).toEqual(['configuration', 'port'])
    expect(faults['database']).toMatch(/ECONNREFUSED.*: start the database or fix DATABASE_URL$/)
  })

  it('creates no embedded database, and reports that there is none', async () => {
    const { faults } = await examine({ SVC_DATA_DIR: join(scratchFolder(), randomUUID()), PORT: '0' })
    expect(faults['database']).toMatch(/^there is no database in /)
  })

  it('reports a database without tables, and a read-only one', async () => {
    const other = await createTestDatabase('empty')
    try {
      const { faults } = await examine(environment(other.environment))
      expect(faults).toEqual({ migrations: 'the database is empty: run "npx svc migrate"' })
      const frozen = new URL(other.directUrl)
      frozen.searchParams.set('options', '-c default_transaction_read_only=on')
      const found = await examine(directly(frozen.href))
      expect(found.faults['database']).toMatch(/is read-only: point DATABASE_URL to the primary/)
    } finally {
      await other.drop()
    }
  })

  it('reports a port that another program has taken', async () => {
    const taken = await listening()
    const address = taken.address()
    const port = typeof address === 'object' ? `${address?.port}` : ''
    try {
      const { faults } = await examine(environment({ PORT: port }))
      expect(faults).toEqual({ port: expect.stringMatching(/EADDRINUSE.*: set PORT or HOST to another address$/) })
    } finally {
      await new Promise((resolve) => taken.close(resolve))
    }
  })

  it('accepts a port taken by a server of the same database', async () => {
    const server = await startServe([], testDatabase.environment)
    try {
      const { faults } = await examine(environment({ PORT: new URL(server.origin).port }))
      expect(faults).toEqual({})
    } finally {
      await server.stop()
    }
  })

  it('reports webhook endpoints without a key to sign with, and those that are behind', async () => {
    const own = await createTestDatabase()
    const database = own.open()
    await database.execute(`INSERT INTO organizations (id, name) VALUES ('acme', 'Acme')`)
    await database.execute(
      `INSERT INTO webhook_endpoints (id, organization_id, url, types, position)
       VALUES ('hook', 'acme', 'https://hooks.invalid/', '{}', 0)`,
    )
    const examineOwn = (more: Readonly<Record<string, string>> = {}) =>
      examine({ ...own.environment, PORT: '0', ...more })
    expect((await examineOwn()).faults).toEqual({
      webhooks: 'SVC_SEAL_KEY is not set, but webhook endpoints exist',
    })
    const sealed = { SVC_SEAL_KEY: 'a key of thirty-two characters !!' }
    expect((await examineOwn(sealed)).faults).toEqual({})
    const eventId = randomUUID()
    await database.execute(
      `INSERT INTO audit_events (id, organization_id, actor_kind, action, target_type, target_id)
       VALUES ($1, 'acme', 'SYSTEM', 'organization.update', 'organization', 'acme')`,
      [eventId],
    )
    await database.execute(
      `INSERT INTO webhook_deliveries (organization_id, event_id, endpoint_id, position, target_type, target_id, due_at)
       VALUES ('acme', $1, 'hook', 1, 'organization', 'acme', now() - interval '10 minutes')`,
      [eventId],
    )
    expect((await examineOwn(sealed)).faults['webhooks']).toMatch(
      /^an attempt of hook in acme has been due for 60\d s: look for "webhooks could not be sent"/,
    )
    await own.drop()
  })

  it('reports events that wait for longer than a minute, if there is a server', async () => {
    const database = testDatabase.open()
    await database.execute(`INSERT INTO organizations (id, name) VALUES ('late', 'Late')`)
    await database.execute(
      `WITH audited AS (
         INSERT INTO audit_events (id, organization_id, occurred_at, actor_kind, action, target_type, target_id)
         VALUES ((left(gen_random_uuid()::text, 32) || '0000')::uuid, 'late', now() - interval '90 seconds', 'SYSTEM', 'team.create', 'team', 't')
         RETURNING id
       )
       INSERT INTO event_outbox (organization_id, first_event_id, last_event_id, event_count)
       SELECT 'late', id, id, 1 FROM audited`,
    )
    await database.execute(`INSERT INTO event_heads (organization_id) VALUES ('late')`)
    const { stdout } = await runInProcess(['doctor'], { env: environment() })
    expect(stdout).toContain('those of 1 write are not in the feed yet: the next server puts them there')
    const server = await database.transaction(async (transaction) => {
      await transaction.query(`SELECT FROM event_heads WHERE organization_id = 'late' FOR UPDATE`)
      const started = await startServe([], testDatabase.environment)
      const { faults } = await examine(environment())
      expect(faults['events']).toMatch(
        /^those of 1 write are not in the feed yet, the oldest for \d+ s: look for "events could not/,
      )
      return started
    })
    try {
      await eventually(async () => expect((await examine(environment())).faults).toEqual({}))
    } finally {
      await server.stop()
    }
  })

  it('fetches the keys of the JWT issuer, and reports what is wrong with it', async () => {
    const issuer = await startOidcIssuer()
    const strange = await startStaticIssuer('{"keys":[]}')
    const faultOf = async (url: string) =>
      (await examine(environment({ OIDC_ISSUER: url, OIDC_AUDIENCE: 'svc' }))).faults['issuer']
    try {
      const { sound, faults } = await examine(environment({ OIDC_ISSUER: issuer.url, OIDC_AUDIENCE: 'svc' }))
      expect([sound.at(-1), faults]).toEqual(['issuer', {}])
      expect(await faultOf(`${issuer.url}/`)).toContain(`names another issuer: "${issuer.url}": fix OIDC_ISSUER`)
      expect(await faultOf(`${issuer.url}/tenant`)).toMatch(/openid-configuration cannot be used: the status is 404: /)
      issuer.fail(true)
      expect(await faultOf(issuer.url)).toMatch(
        /the status is 500: fix OIDC_ISSUER, the issuer or the connection to it$/,
      )
      expect(await faultOf(strange.url)).toBe(`${strange.url} has no keys: add one to it`)
    } finally {
      await issuer.stop()
      await strange.stop()
    }
    expect(await faultOf(issuer.url)).toMatch(/openid-configuration cannot be used: .*ECONNREFUSED/)
  })

  it('compares the clock with that of the database', async () => {
    const { now: machineNow } = Date
    const now = jest.spyOn(Date, 'now').mockImplementation(() => machineNow() + 3_600_000)
    try {
      expect((await examine(environment())).faults).toEqual({
        clock: expect.stringMatching(/^3(?:599|600)\d{3} ms ahead of the database's: synchronize both clocks/),
      })
    } finally {
      now.mockRestore()
    }
  })
})

async function listening(): Promise<Server> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return server
}
