import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { Prisma } from '../../gen/prisma/client.js'
import { createStatement } from '../../src/db/statement.js'
import type { UserTables } from '../../src/db/tables.js'
import { createTestDatabase, type TestDatabase } from '../support/database.js'
import { eventually } from '../support/eventually.js'
import { untilLockWaits } from '../support/lock-wait.js'
import { type Database, sqlOn } from '../support/sql.js'

const sleep = createStatement<{ readonly seconds: number }, { readonly slept: string }>({
  name: 'sleep',
  columns: { slept: 'text' },
  text: ({ seconds }) => Prisma.sql`SELECT pg_sleep(${seconds}::float8)::text AS slept`,
})
const over = new Error('the call is over')
const outcomeOf = (work: Promise<unknown>) =>
  work.then(
    () => 'done',
    (error: unknown) => (error === over ? 'stopped' : error),
  )
/** The ways that a statement of a call can take. */
const ways: Record<string, (database: UserTables, seconds: number) => Promise<unknown>> = {
  statement: (database, seconds) => database.run(sleep, { seconds }),
  'statement in a transaction': (database, seconds) => database.transaction(({ run }) => run(sleep, { seconds })),
  'query of a model in a transaction': (database, seconds) =>
    database.transaction(({ models }) => models.$queryRaw`SELECT pg_sleep(${seconds}::float8)::text`),
  read: (database, seconds) => database.reads.run(sleep, { seconds }),
}

describe('a stopped call', () => {
  const connections = 4
  let test: TestDatabase
  let database: Database
  const running = async () =>
    (
      await test.queryNodes(`SELECT FROM pg_stat_activity WHERE datname = current_database() AND state = 'active'
      AND query LIKE '%pg_sleep%' AND pid <> pg_backend_pid()`)
    ).length

  beforeAll(async () => {
    test = await createTestDatabase()
    database = test.open({ maxConnections: connections })
  })
  afterAll(() => test.drop())

  it.each(Object.entries(ways))('has its statement cancelled: %s', async (_, send) => {
    const call = {}
    const outcome = outcomeOf(send(database.tablesFor({ call }), 60))
    await eventually(async () => expect(await running()).toBe(1))
    database.stop(call, over)
    expect(await outcome).toBe('stopped')
    expect(await running()).toBe(0)
    await eventually(() => expect(database.pool.inUse).toBe(0))
  })

  it.each(Object.entries(ways))('sends nothing more: %s', async (_, send) => {
    const call = {}
    database.stop(call, over)
    expect(await outcomeOf(send(database.tablesFor({ call }), 60))).toBe('stopped')
    expect(database.pool.inUse).toBe(0)
  })

  it('sends nothing more in a transaction that has begun', async () => {
    const call = {}
    const outcome = database.tablesFor({ call }).transaction(async ({ run }) => {
      await run(sleep, { seconds: 0 })
      database.stop(call, over)
      await run(sleep, { seconds: 60 })
    })
    expect(await outcomeOf(outcome)).toBe('stopped')
  })

  it('does not wait for a connection', async () => {
    const call = {}
    const others = Array.from({ length: connections }, () => database.run(sleep, { seconds: 0.3 }))
    const outcome = outcomeOf(database.tablesFor({ call }).run(sleep, { seconds: 60 }))
    database.stop(call, over)
    expect(await outcome).toBe('stopped')
    await Promise.all(others)
  })

  it('keeps a commit that has begun', async () => {
    await database.query('CREATE TABLE slow (id int)')
    await database.query(`CREATE FUNCTION be_slow() RETURNS trigger LANGUAGE plpgsql
      AS $$ BEGIN PERFORM pg_advisory_xact_lock(1); RETURN NEW; END $$`)
    await database.query(`CREATE CONSTRAINT TRIGGER slow AFTER INSERT ON slow DEFERRABLE INITIALLY DEFERRED
      FOR EACH ROW EXECUTE FUNCTION be_slow()`)
    const holder = await database.pool.connect()
    await holder.query('SELECT pg_advisory_lock(1)')
    const call = {}
    const outcome = database
      .tablesFor({ call })
      .transaction((tables) => sqlOn(tables).query('INSERT INTO slow VALUES (1)'))
    await untilLockWaits(test, 1)
    database.stop(call, over)
    await holder.query('SELECT pg_advisory_unlock(1)')
    holder.release()
    expect(await outcomeOf(outcome)).toBe('done')
    expect(await database.query('SELECT id FROM slow')).toEqual([{ id: 1 }])
  })

  it('loses no connection, and cancels no other call, in a thousand runs', async () => {
    const stranger = async () => {
      const outcomes: unknown[] = []
      while (stopped < 1_000) outcomes.push(await outcomeOf(database.run(sleep, { seconds: 0.001 })))
      return outcomes
    }
    let stopped = 0
    const strangers = Promise.all([stranger(), stranger(), stranger()])
    const caller = async () => {
      while (stopped < 1_000) {
        const send = Object.values(ways)[stopped % 4]
        const call = {}
        const pause = stopped % 5
        const outcome = outcomeOf(
          send?.(database.tablesFor({ call }), stopped % 3 === 0 ? 0.002 : 60) ?? Promise.reject(),
        )
        stopped++
        if (pause > 0) await delay(pause)
        database.stop(call, over)
        expect(['done', 'stopped']).toContain(await outcome)
      }
    }
    await Promise.all([caller(), caller(), caller()])
    expect(new Set((await strangers).flat())).toEqual(new Set(['done']))
    await eventually(() => expect([database.pool.inUse, database.pool.waiting]).toEqual([0, 0]))
    expect(database.pool.totalCount).toBeLessThanOrEqual(connections)
    await Promise.all(Array.from({ length: connections }, () => database.run(sleep, { seconds: 0.01 })))
    expect(await running()).toBe(0)
  })
})
