import { createHash } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import type { Tables } from '../../src/db/tables.js'
import { recordAuditEvents, systemActor } from '../../src/domain/audit/audit-event.js'
import { createAnswerOnce, type KeptAnswer, type NamedCall } from '../../src/domain/idempotency.js'
import { createTestDatabase, type TestDatabase } from '../support/database.js'
import { eventually } from '../support/eventually.js'
import { fixture, insertFixture, insertUserToken } from '../support/fixture.js'
import { createTestRuntime } from '../support/runtime.js'
import { organizationKey, scopeOn } from '../support/scope.js'
import { type RestAnswer, startTestService, type TestService } from '../support/service.js'
import type { Database } from '../support/sql.js'

let testDatabase: TestDatabase
let database: Database
beforeAll(async () => {
  testDatabase = await createTestDatabase()
  database = testDatabase.open()
  await insertFixture(database)
})
afterAll(() => testDatabase.drop())

const runtime = createTestRuntime()
const caller = organizationKey(fixture.acme)
const callOf = (key: string, asked = 'this'): NamedCall => {
  return { method: 'm', key, requestHash: createHash('sha256').update(asked).digest(), isLong: false, sendsOut: false }
}

const answerOf = (json: string): KeptAnswer => ({ json, entityTag: null })

/** An effect that can be counted. */
const effectOf = (name: string) => async (store: Tables) => {
  await store.transaction((transaction) =>
    recordAuditEvents(transaction, [{ organizationId: fixture.acme, action: 'user.update', targetId: name }], {
      actor: systemActor,
      runtime,
    }),
  )
  return answerOf(`{"effect":"${name}"}`)
}
const countOf = async (name: string) =>
  (await database.query('SELECT FROM audit_events WHERE target_id = $1', [name])).length

describe('concurrent calls with one key', () => {
  it('wait for each other across processes, longer than one waits for a lock', async () => {
    const impatient = testDatabase.open({ limits: { lock_timeout: 20 } })
    const [here, there] = [createAnswerOnce(), createAnswerOnce()]
    let begin = () => {}
    const mayEnd = new Promise<void>((resolve) => {
      begin = resolve
    })
    let tries = 0
    const counted: Tables = {
      ...impatient,
      transaction: (work, options) => {
        tries++
        return impatient.transaction(work, options)
      },
    }
    const slow = async (store: Tables) => {
      const json = await effectOf('waited')(store)
      await mayEnd
      return json
    }
    const first = here(scopeOn(database, caller), callOf('waited'), slow)
    await eventually(async () => expect(await lockHolders()).toBeGreaterThan(0))
    const second = there(scopeOn(counted, caller), callOf('waited'), effectOf('waited'))
    await eventually(() => expect(tries).toBeGreaterThan(3))
    begin()
    expect(await first).toEqual({ json: '{"effect":"waited"}', entityTag: null, isReplayed: false })
    expect(await second).toEqual({ json: '{"effect":"waited"}', entityTag: null, isReplayed: true })
    expect(await countOf('waited')).toBe(1)
  })

  it('are executed by the next one if the first has failed', async () => {
    const other = testDatabase.open()
    const [here, there] = [createAnswerOnce(), createAnswerOnce()]
    const failing = async (store: Tables): Promise<KeptAnswer> => {
      await effectOf('failed')(store)
      throw new Error('in between')
    }
    const [first, second, third] = await Promise.allSettled([
      here(scopeOn(database, caller), callOf('failed'), failing),
      here(scopeOn(database, caller), callOf('failed'), effectOf('failed')),
      there(scopeOn(other, caller), callOf('failed'), effectOf('failed')),
    ])
    const fulfilled = [first, second, third].filter(({ status }) => status === 'fulfilled')
    expect(fulfilled.length).toBeGreaterThanOrEqual(2)
    expect(await countOf('failed')).toBe(1)
  })

  it('survive a process that vanishes, of which nothing remains', async () => {
    const gone = testDatabase.open()
    const answered = createAnswerOnce()(scopeOn(gone, caller), callOf('gone'), async (store) => {
      await effectOf('gone')(store)
      await database.query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
            WHERE datname = current_database() AND state = 'idle in transaction'`,
      )
      return answerOf('{}')
    })
    await expect(answered).rejects.toThrow()
    expect(await countOf('gone')).toBe(0)
    const again = await createAnswerOnce()(scopeOn(database, caller), callOf('gone'), effectOf('gone'))
    expect(again.isReplayed).toBe(false)
    expect(await countOf('gone')).toBe(1)
  })

  it('are abandoned with their callers: nothing is committed for them', async () => {
    const call = {}
    const reason = new Error('the caller is gone')
    const leave = async (store: Tables) => {
      const json = await effectOf('left')(store)
      database.stop(call, reason)
      return json
    }
    await expect(createAnswerOnce()(scopeOn(database.tablesFor({ call }), caller), callOf('left'), leave)).rejects.toBe(
      reason,
    )
    expect(await countOf('left')).toBe(0)
    expect(await database.query(`SELECT FROM idempotency_keys WHERE key = 'left'`)).toEqual([])
  })

  it('undo only the failed part, and store the error', async () => {
    const answerOnce = createAnswerOnce()
    const nested = async (store: Tables): Promise<KeptAnswer> => {
      await effectOf('outer')(store)
      await store
        .transaction(async (transaction) => {
          await effectOf('inner')(store)
          await transaction.transaction(() => Promise.reject(new Error('innermost'))).catch(() => undefined)
          throw new Error('inner')
        })
        .catch(() => undefined)
      return answerOf('{}')
    }
    await answerOnce(scopeOn(database, caller), callOf('nested'), nested)
    expect([await countOf('outer'), await countOf('inner')]).toEqual([1, 0])
  })

  it('take no connection while they wait in one process', async () => {
    const narrow = testDatabase.open({ maxConnections: 2 })
    const answerOnce = createAnswerOnce()
    let isFree = false
    const slow = async (store: Tables) => {
      await effectOf('narrow')(store)
      await wait(0)
      isFree = (await narrow.query('SELECT true AS free')).length === 1
      return answerOf('{}')
    }
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => answerOnce(scopeOn(narrow, caller), callOf('narrow'), slow)),
    )
    expect(answers.filter(({ isReplayed }) => !isReplayed)).toHaveLength(1)
    expect(isFree).toBe(true)
    expect(await countOf('narrow')).toBe(1)
  })
})

describe('two services on one database', () => {
  let services: [TestService, TestService]
  let token: string
  beforeAll(async () => {
    services = [await startTestService({ testDatabase }), await startTestService({ testDatabase })]
    token = await insertUserToken(database, { userId: fixture.users.admin })
  })
  afterAll(() => Promise.all(services.map((each) => each.close())))

  /** Repeats what a busy service refuses, as clients do. */
  const createUser = async (service: TestService, name: string): Promise<RestAnswer> => {
    for (;;) {
      const call = { token, headers: { 'idempotency-key': name }, json: { email: `${name}@example.com` } }
      const answer = await service.rest('POST', '/v2/users', call)
      if (answer.status !== 503) return answer
    }
  }

  it('give each of many concurrent pairs one effect and the same bytes', async () => {
    const pairs = Array.from({ length: 50 }, (_, n) => `pair-${n}`)
    const together = await Promise.all(
      pairs.map((name) => Promise.all(services.map((service) => createUser(service, name)))),
    )
    for (const answers of together) {
      expect(answers.map(({ status }) => status)).toEqual([200, 200])
      expect(new Set(answers.map(({ text }) => text)).size).toBe(1)
      expect(answers.filter(({ headers }) => headers.has('idempotency-replayed'))).toHaveLength(1)
    }
    const [{ count } = { count: 0 }] = await database.query<{ count: number }>(
      `SELECT count(*)::int AS count FROM audit_events WHERE action = 'user.create'`,
    )
    expect(count).toBe(pairs.length)
  })
})

/** How many transactions have claimed a key and not ended. */
async function lockHolders(): Promise<number> {
  const rows = await database.query(
    `SELECT FROM pg_stat_activity WHERE datname = current_database() AND state = 'idle in transaction'`,
  )
  return rows.length
}
