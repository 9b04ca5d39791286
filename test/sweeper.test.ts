import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { createDatabaseClock } from '../src/db/clock.js'
import { systemTiming } from '../src/db/retries.js'
import { runSweeper, sweepOrganizations } from '../src/domain/sweeper.js'
import { createTestDatabase, type TestDatabase } from './support/database.js'
import { fixture, insertApiKey, insertFixture, insertUserToken } from './support/fixture.js'
import { createTestRuntime } from './support/runtime.js'
import type { Database } from './support/sql.js'

const runtime = createTestRuntime()
const options = { runtime, retention: { eventRetention: 90 } }

describe('the sweeper', () => {
  let testDatabase: TestDatabase
  let database: Database

  beforeAll(async () => {
    testDatabase = await createTestDatabase()
    database = testDatabase.open()
    await insertFixture(database)
  })

  afterAll(() => testDatabase.drop())

  it('deletes all tokens that expired more than a day ago, and no others', async () => {
    const { id } = await insertApiKey(database, { organizationId: fixture.acme })
    await insertUserToken(database, { userId: fixture.users.admin })
    await database.execute(
      `INSERT INTO api_key_sessions (organization_id, token_hash, api_key_id, expires_at)
       SELECT $1, sha256(n::text::bytea), $2, now() - interval '25 hours' FROM generate_series(1, 2500) AS n`,
      [fixture.acme, id],
    )
    await database.execute(
      `INSERT INTO user_tokens (token_hash, organization_id, user_id, expires_at)
       VALUES ('\\x00', $1, $2, now() - interval '25 hours'), ('\\x01', $1, $2, now() - interval '1 second')`,
      [fixture.acme, fixture.users.admin],
    )
    for (let time = 0; time < 2; time++) {
      expect(await sweepOrganizations(database, '', options)).toBe('')
      expect(await database.query('SELECT FROM api_key_sessions')).toHaveLength(1)
      expect(await database.query('SELECT FROM user_tokens')).toHaveLength(2)
    }
  })

  it('deletes the stored responses that have expired, one organization after another, and no others', async () => {
    for (const organizationId of [fixture.acme, fixture.globex]) {
      await database.execute(
        `INSERT INTO idempotency_keys (organization_id, actor_kind, actor_id, method, key, request_hash, answer, expires_at)
         SELECT $1, 'API_KEY'::actor_kind, 'k', 'm', 'over' || n, sha256(''), '{}', now() FROM generate_series(1, 1200) AS n
         UNION ALL SELECT $1, 'API_KEY', 'k', 'm', 'kept', sha256(''), '{}', now() + interval '1 minute'`,
        [organizationId],
      )
    }
    expect(await sweepOrganizations(database, fixture.acme, options)).toBe('')
    const kept = 'SELECT organization_id, count(*)::int FROM idempotency_keys GROUP BY 1 ORDER BY 1'
    expect((await database.query(kept)).map(({ count }) => count)).toEqual([1201, 1])
    expect(await sweepOrganizations(database, '', options)).toBe('')
    expect((await database.query(kept)).map(({ count }) => count)).toEqual([1, 1])
  })

  it('removes the team roles that have ended, records each, and removes no others', async () => {
    const { acme, it: team, people, users } = fixture
    await database.execute(
      `INSERT INTO team_members (organization_id, team_id, user_id, role, expires_at)
       VALUES ($1, $2, $3, 'AGENT', now() - interval '61 seconds'), ($1, $4, $3, 'AGENT', now() + interval '1 hour')`,
      [acme, team, users.requester, people],
    )
    const standing = 'SELECT team_id, user_id, expires_at FROM team_members ORDER BY 1, 2'
    const before = await database.query(standing)
    await sweepOrganizations(database, '', options)
    const isEnded = ({ team_id, user_id }: Record<string, unknown>) => team_id === team && user_id === users.requester
    expect(await database.query(standing)).toEqual(before.filter((each) => !isEnded(each)))
    const events = `SELECT actor_kind::text, action, target_type, target_id, team_id FROM audit_events`
    expect(await database.query(events)).toEqual([
      {
        actor_kind: 'SYSTEM',
        action: 'team_member.remove',
        target_type: 'user',
        target_id: users.requester,
        team_id: team,
      },
    ])
  })

  it('deletes webhook deliveries that ended and are older than 30 days, and no others', async () => {
    const { acme, webhookEndpoints } = fixture
    const day = 86_400_000
    const made = (status: 'PENDING' | 'FAILED' | 'SUCCEEDED', days: number) => ({ status, days })
    const all = [made('FAILED', 31), made('SUCCEEDED', 31), made('PENDING', 31), made('FAILED', 29)]
    const { models } = database
    for (const [index, { status, days }] of all.entries()) {
      const eventId = runtime.newId()
      const target = { targetType: 'team', targetId: fixture.it }
      const event = { organizationId: acme, actorKind: 'SYSTEM', action: 'team.update', ...target } as const
      await models.auditEvent.create({ data: { ...event, id: eventId }, select: { id: true } })
      const createdAt = new Date(runtime.now().getTime() - days * day)
      const delivery = {
        organizationId: acme,
        eventId,
        endpointId: webhookEndpoints.it,
        position: index + 1,
        ...target,
      }
      await models.webhookDelivery.create({
        data: { ...delivery, status, createdAt, dueAt: createdAt },
        select: { eventId: true },
      })
    }
    await sweepOrganizations(database, '', options)
    const left = await models.webhookDelivery.findMany({ orderBy: { position: 'asc' }, select: { position: true } })
    expect(left.map(({ position }) => Number(position))).toEqual([3, 4])
  })

  it('visits all organizations, a hundred at a time', async () => {
    await database.execute(
      `INSERT INTO organizations (id, name) SELECT 'many-' || lpad(n::text, 3, '0'), 'M' FROM generate_series(1, 200) AS n`,
    )
    const first = await sweepOrganizations(database, '', options)
    expect(first).toBe('many-098')
    expect(await sweepOrganizations(database, first, options)).toBe('many-198')
    expect(await sweepOrganizations(database, 'many-198', options)).toBe('')
  })

  it('sweeps nothing, and says why, while the clock of the machine is wrong by more than a minute', async () => {
    const day = 86_400_000
    await database.execute(
      `INSERT INTO idempotency_keys (organization_id, actor_kind, actor_id, method, key, request_hash, answer, expires_at)
       VALUES ($1, 'API_KEY', 'k', 'm', 'ended', sha256(''), '{}', now())`,
      [fixture.acme],
    )
    const rows = async (table: string) => (await database.query(`SELECT FROM ${table}`)).length
    const standing = () => Promise.all(['idempotency_keys', 'user_tokens', 'team_members', 'audit_events'].map(rows))
    const before = await standing()
    const sweptAt = async (aheadMillis: number) => {
      const stop = new AbortController()
      const failures: string[] = []
      const sleep = async () => stop.abort()
      await runSweeper({
        ...options,
        database,
        clock: createDatabaseClock(database, systemTiming, () => Date.now() + aheadMillis),
        runtime: { ...runtime, now: () => new Date(Date.now() + aheadMillis) },
        log: { warn: ({ err }) => failures.push(String(err)) },
        timing: { ...systemTiming, sleep },
        signal: stop.signal,
      })
      return failures
    }
    expect(await sweptAt(90 * day)).toEqual([
      "Error: the clock of this machine is 7776000 s ahead of the database's: synchronize both",
    ])
    expect(await sweptAt(-90 * day)).toHaveLength(1)
    expect(await standing()).toEqual(before)
    expect(await sweptAt(0)).toEqual([])
    expect(await standing()).not.toEqual(before)
  })

  it('logs a failure and continues, and stops when it is aborted', async () => {
    const stop = new AbortController()
    const failures: unknown[] = []
    const pauses: number[] = []
    const gone = new Error('the database is gone')
    const timing = {
      ...systemTiming,
      sleep: async (millis: number, signal?: AbortSignal) => {
        pauses.push(millis)
        if (pauses.length === 3) stop.abort()
        signal?.throwIfAborted()
      },
    }
    await runSweeper({
      database: {
        ...database,
        run: (...statement) => (pauses.length === 1 ? Promise.reject(gone) : database.run(...statement)),
      },
      clock: database.clock,
      log: { warn: ({ err }) => failures.push(err) },
      timing,
      ...options,
      signal: stop.signal,
    })
    expect(pauses).toEqual([60_000, 60_000, 60_000])
    expect(failures).toEqual([gone])
  })
})
