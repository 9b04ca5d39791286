import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals'
import pg from 'pg'
import { Prisma } from '../../gen/prisma/client.js'
import type { OrganizationModel } from '../../gen/prisma/models.js'
import { databaseFailure } from '../../src/db/errors.js'
import { type Timing, withRetries } from '../../src/db/retries.js'
import { createStatement, type StatementDefinition } from '../../src/db/statement.js'
import type { Tables } from '../../src/db/tables.js'
import { createTestDatabase, type TestDatabase } from '../support/database.js'
import { type Database, type Sql, sqlOn } from '../support/sql.js'

/** Time that passes only during sleeps. */
function createTiming(random = 0.5): Timing & { pauses: number[] } {
  let now = 0
  const pauses: number[] = []
  return {
    pauses,
    now: () => now,
    random: () => random,
    sleep: async (millis) => {
      pauses.push(millis)
      now += millis
    },
  }
}

const statementTimeout = createStatement<object, { readonly millis: number }>({
  name: 'statement_timeout',
  columns: { millis: 'int4' },
  text: () =>
    Prisma.sql`SELECT extract(epoch FROM current_setting('statement_timeout')::interval)::int * 1000 AS millis`,
})

const organizationName = createStatement<{ readonly id: string }, Pick<OrganizationModel, 'name' | 'ordinal'>>({
  name: 'organization_name',
  columns: { name: 'text', ordinal: 'int8' },
  text: ({ id }) => Prisma.sql`SELECT name, ordinal FROM organizations WHERE id = ${id}`,
})

describe('a transaction', () => {
  let test: TestDatabase
  let database: Database

  beforeAll(async () => {
    test = await createTestDatabase('empty')
    database = test.open()
    await database.query('CREATE TABLE counter (id int PRIMARY KEY, value int NOT NULL)')
  })
  afterAll(() => test.drop())
  beforeEach(async () => {
    await database.query('DELETE FROM counter')
    await database.query('INSERT INTO counter VALUES (1, 0), (2, 0)')
  })

  const values = async () => {
    const rows = await database.query<{ value: number }>('SELECT value FROM counter ORDER BY id')
    return rows.map(({ value }) => value)
  }
  const add = (sql: Sql, id: number) => sql.execute('UPDATE counter SET value = value + 1 WHERE id = $1', [id])
  const conflict = (sql: Sql) => sql.execute(`DO $$ BEGIN RAISE EXCEPTION 'conflict' USING errcode = '40001'; END $$`)

  it('commits its work and returns the result', async () => {
    const work = async (sql: Sql) => {
      await add(sql, 1)
      await add(sql, 2)
      return 2
    }
    expect(await database.transaction(work)).toBe(2)
    expect(await values()).toEqual([1, 1])
  })

  it('leaves nothing behind when its work throws, and rethrows the error', async () => {
    const reason = new Error('no')
    const work = async (sql: Sql) => {
      await add(sql, 1)
      throw reason
    }
    await expect(database.transaction(work)).rejects.toBe(reason)
    await expect(
      database.transaction(async ({ models: prisma }) => {
        await prisma.$executeRaw`UPDATE counter SET value = 7`
        throw reason
      }),
    ).rejects.toBe(reason)
    expect(await values()).toEqual([0, 0])
  })

  it('does not pass for committed if its work has hidden a failed statement', async () => {
    const work = async (sql: Sql) => {
      await add(sql, 1)
      await sql.query('SELECT 1 / 0').catch(() => undefined)
    }
    await expect(database.transaction(work)).rejects.toThrow('a failed transaction cannot be committed')
    const single = test.open({ maxConnections: 1 })
    const hiding = single.transaction(async ({ models: prisma }) => {
      await prisma.$executeRaw`UPDATE counter SET value = 7`
      await prisma.$queryRaw`SELECT 1 / 0`.catch(() => undefined)
    })
    await expect(hiding).rejects.toThrow('a failed transaction cannot be committed')
    expect(await single.query('SELECT value FROM counter WHERE value = 7')).toEqual([])
    expect(await values()).toEqual([0, 0])
  })

  it('is retried as a whole when two transactions deadlock', async () => {
    let arrived = 0
    let bothHere = () => {}
    const meeting = new Promise<void>((resolve) => {
      bothHere = resolve
    })
    const crossing = (first: number, second: number) =>
      database.transaction(async (sql) => {
        await add(sql, first)
        if (++arrived === 2) bothHere()
        await meeting
        await add(sql, second)
      })
    await Promise.all([crossing(1, 2), crossing(2, 1)])
    expect(await values()).toEqual([2, 2])
    expect(arrived).toBe(3)
  })

  it('loses no update among many serializable ones', async () => {
    const increment = () =>
      database.transaction(async (sql) => {
        await sql.execute('SET TRANSACTION ISOLATION LEVEL SERIALIZABLE')
        const [row] = await sql.query<{ value: number }>('SELECT value FROM counter WHERE id = 1')
        await sql.execute('UPDATE counter SET value = $1 WHERE id = 1', [(row?.value ?? 0) + 1])
      })
    const results = await Promise.allSettled(Array.from({ length: 8 }, increment))
    const done = results.filter(({ status }) => status === 'fulfilled').length
    for (const result of results) {
      if (result.status === 'rejected') expect(databaseFailure(result.reason)).toEqual({ kind: 'retryable' })
    }
    expect((await values())[0]).toBe(done)
  })

  it.each(['sql', 'prisma'])(
    'is tried six times through %s, with growing random pauses, and then fails',
    async (way) => {
      const timing = createTiming()
      const patient = test.open({ timing })
      let tries = 0
      const attempt =
        way === 'sql'
          ? patient.transaction(async (sql) => {
              tries++
              await add(sql, 1)
              await conflict(sql)
            })
          : patient.transaction(async ({ models: prisma }) => {
              tries++
              await prisma.$executeRawUnsafe(`DO $$ BEGIN RAISE EXCEPTION USING errcode = '40P01'; END $$`)
            })
      const failure = await attempt.catch(databaseFailure)
      expect(failure).toEqual({ kind: 'retryable' })
      expect(tries).toBe(6)
      expect(timing.pauses).toEqual([5, 10, 20, 40, 80])
      expect(await values()).toEqual([0, 0])
    },
  )

  it('is retried once if it violates a foreign key: the row may have gone since it looked', async () => {
    await database.query('CREATE TABLE part (counter int NOT NULL REFERENCES counter)')
    let tries = 0
    const attempt = database.transaction(async (sql) => {
      tries++
      await sql.execute('INSERT INTO part VALUES (3)')
    })
    expect(await attempt.catch(databaseFailure)).toMatchObject({ kind: 'foreign_key_violation' })
    expect(tries).toBe(2)
    await database.query('DROP TABLE part')
  })

  it('is not retried for any other failure', async () => {
    let tries = 0
    const attempt = database.transaction(async (sql) => {
      tries++
      await sql.execute('INSERT INTO counter VALUES (1, 0)')
    })
    expect(await attempt.catch(databaseFailure)).toEqual({ kind: 'unique_violation', constraint: 'counter_pkey' })
    expect(tries).toBe(1)
  })

  it('is not retried beyond its budget, and each attempt knows the time that is left', async () => {
    const timing = createTiming()
    const left: (number | undefined)[] = []
    const counts = { conflict: 0, staleStatement: 0 }
    const attempt = withRetries(
      (millis) => {
        left.push(millis)
        return database.query(`DO $$ BEGIN RAISE EXCEPTION USING errcode = '40001'; END $$`)
      },
      { timeoutMillis: 30 },
      timing,
      counts,
    )
    expect(await attempt.catch(databaseFailure)).toEqual({ kind: 'retryable' })
    expect(left).toEqual([30, 25, 15])
    expect(counts).toEqual({ conflict: 2, staleStatement: 0 })
  })

  it('cancels a statement that exceeds its budget', async () => {
    const hurried = database.tablesFor({ timeoutMillis: 50 })
    const slow = hurried.transaction((tables) => sqlOn(tables).query('SELECT pg_sleep(5)'))
    expect(await slow.catch(databaseFailure)).toEqual({ kind: 'timeout' })
  })

  it('sets the time limit of its statements on the server', async () => {
    const startedAt = performance.now()
    const [row] = await database.tablesFor({ timeoutMillis: 5_000 }).transaction(({ run }) => run(statementTimeout, {}))
    expect(row?.millis).toBeGreaterThan(5_000 - (performance.now() - startedAt) - 1)
    expect(row?.millis).toBeLessThanOrEqual(5_000)
    expect(await database.run(statementTimeout, {})).toEqual([{ millis: 10_000 }])
  })

  it('can run models and statements side by side', async () => {
    const migrated = await createTestDatabase()
    const store = migrated.open()
    const id = 'one'
    const work = async (transaction: Tables) => {
      await transaction.models.organization.createMany({ data: [{ id, name: 'One' }] })
      expect(await transaction.run(organizationName, { id })).toEqual([{ name: 'One', ordinal: 1n }])
      expect(await store.run(organizationName, { id })).toEqual([])
      throw new Error('undone')
    }
    await expect(store.transaction(work)).rejects.toThrow('undone')
    expect(await store.models.organization.count()).toBe(0)
    await migrated.drop()
  })

  it.each([false, true])(
    'sends the queries for several relations one after the other; one fails: %s',
    async (fails) => {
      const migrated = await createTestDatabase()
      const store = migrated.open()
      await store.models.organization.createMany({ data: [{ id: 'one', name: 'One' }] })
      let [running, most] = [0, 0]
      const ended: string[] = []
      const clients: { query(config: { readonly text: string }): Promise<unknown> } = Object(pg.Client.prototype)
      const { query } = clients
      const counted = jest.spyOn(clients, 'query').mockImplementation(async function count(this: pg.Client, config) {
        most = Math.max(most, ++running)
        const isFailing = fails && config.text.includes('FROM "public"."teams"')
        const text = isFailing ? config.text.replace('SELECT', 'SELECT 1 / 0,') : config.text
        return query.call(this, { ...config, text, name: '' }).finally(() => {
          running--
          ended.push(text)
        })
      })
      const select = { teams: true, groups: true, apiKeys: true, memberships: true } as const
      const read = () => store.transaction(({ models }) => models.organization.findMany({ select }))
      try {
        if (fails) await expect(read()).rejects.toThrow('division by zero')
        else expect(await read()).toEqual([{ teams: [], groups: [], apiKeys: [], memberships: [] }])
        expect(most).toBe(1)
        expect([ended.length, ended.at(-1)]).toEqual([7, fails ? 'ROLLBACK' : 'COMMIT'])
      } finally {
        counted.mockRestore()
        await migrated.drop()
      }
    },
  )

  it('sends neither statements nor model queries once its signal has aborted', async () => {
    const reason = new Error('the caller has gone')
    const controller = new AbortController()
    const refusals: unknown[] = []
    const attempt = database.transaction(
      async (transaction) => {
        controller.abort(reason)
        await transaction.run(statementTimeout, {}).catch((error) => refusals.push(error))
        await transaction.models.organization.count().catch((error) => refusals.push(error))
      },
      { signal: controller.signal },
    )
    await expect(attempt).rejects.toBe(reason)
    expect(refusals).toEqual([reason, reason])
  })

  it('sends and commits nothing once its signal has aborted', async () => {
    const reason = new Error('the caller has gone')
    const controller = new AbortController()
    const options = { signal: controller.signal }
    const attempt = database.transaction(async (sql) => {
      await add(sql, 1)
      controller.abort(reason)
    }, options)
    await expect(attempt).rejects.toBe(reason)
    await expect(database.transaction((sql) => add(sql, 1), options)).rejects.toBe(reason)
    await expect(database.transaction(({ models: prisma }) => prisma.$queryRaw`SELECT 1`, options)).rejects.toBe(reason)
    expect(await values()).toEqual([0, 0])
  })

  it('accepts options whose values are getters', async () => {
    const reason = new Error('the caller has gone')
    const controller = new AbortController()
    class Options {
      get signal() {
        return controller.signal
      }
    }
    const attempt = database.transaction(async (sql) => {
      await add(sql, 1)
      controller.abort(reason)
    }, new Options())
    await expect(attempt).rejects.toBe(reason)
    expect(await values()).toEqual([0, 0])
  })

  it('always releases its connection', async () => {
    const single = test.open({ maxConnections: 1, connectionTimeoutMillis: 1_000 })
    const end = `SELECT pg_terminate_backend(pg_backend_pid())`
    for (const statement of ['SELECT 1', 'SELECT 1 / 0', end, 'SELECT 1']) {
      await single.transaction((sql) => sql.query(statement)).catch(databaseFailure)
      await single.transaction(({ models: prisma }) => prisma.$queryRawUnsafe(statement)).catch(databaseFailure)
    }
    expect(await single.query('SELECT 1 AS one')).toEqual([{ one: 1 }])
  })
})

describe('a statement', () => {
  interface EveryType {
    readonly text: string
    readonly uuid: string
    readonly yes: boolean
    readonly small: number
    readonly large: bigint
    readonly at: Date
    readonly day: Date
    readonly bytes: Uint8Array
    readonly list: string[]
    readonly document: { readonly value: number }
    readonly nothing: string | null
  }
  const definition: StatementDefinition<Omit<EveryType, 'small' | 'nothing'>, EveryType> = {
    name: 'every_type',
    columns: {
      text: 'text',
      uuid: 'uuid',
      yes: 'bool',
      small: 'int4',
      large: 'int8',
      at: 'timestamptz',
      day: 'date',
      bytes: 'bytea',
      list: 'text[]',
      document: 'jsonb',
      nothing: 'text',
    },
    text: (given) => Prisma.sql`
SELECT ${given.text}::text AS text, ${given.uuid}::uuid AS uuid, ${given.yes}::bool AS yes, 7 AS small,
       ${given.large}::int8 AS large, ${given.at}::timestamptz AS at, ${given.day}::date AS day,
       ${given.bytes}::bytea AS bytes, ${given.list}::text[] AS list, ${given.document}::jsonb AS document,
       NULL::text AS nothing`,
  }
  const given = {
    text: 'a\'"\\é',
    uuid: '018f3b7a-0000-7000-8000-000000000001',
    yes: true,
    large: 9_007_199_254_740_993n,
    at: new Date('2026-01-31T09:05:00.123Z'),
    day: new Date('2026-01-31T00:00:00.000Z'),
    bytes: new Uint8Array([0, 255]),
    list: ['one', 'two, {three}'],
    document: { value: 1 },
  }
  const statement = createStatement(definition)

  it('accepts and returns the same values on every path', async () => {
    const test = await createTestDatabase('empty')
    const database = test.open()
    const expected = { ...given, small: 7, nothing: null }
    const read = async (rows: Promise<EveryType[]>) => {
      const [row] = await rows
      expect({ ...row, bytes: new Uint8Array(row?.bytes ?? []) }).toEqual(expected)
    }
    await read(database.run(statement, given))
    await read(database.transaction(({ run }) => run(statement, given)))
    await test.drop()
  })
})

describe('a session', () => {
  it('prepares each named statement and each of Prisma’s texts once per connection', async () => {
    const test = await createTestDatabase('empty')
    const database = test.open({ maxConnections: 1 })
    const echo = createStatement<{ value: number }, { value: number }>({
      name: 'echo',
      columns: { value: 'int4' },
      text: (given) => Prisma.sql`SELECT ${given.value}::int AS value`,
    })
    for (const value of [1, 2, 3]) {
      expect(await database.run(echo, { value })).toEqual([{ value }])
      expect(await database.prisma.$queryRaw`SELECT ${value}::int AS value`).toEqual([{ value }])
    }
    const prepared = await database.query('SELECT name FROM pg_prepared_statements ORDER BY name')
    expect(prepared).toEqual([{ name: 'echo' }, { name: 'prisma_0' }])
    await test.drop()
  })
})
