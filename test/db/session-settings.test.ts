import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import pg from 'pg'
import { databaseUrl } from '../../harness/database-url.js'
import { roleSettings } from '../../src/db/session-settings.js'
import { runInProcess } from '../support/command-line.js'
import { currentTestRun } from '../support/current-test-run.js'
import { createTestDatabase, type TestDatabase } from '../support/database.js'

/** What a database may set for its sessions, each of which would change answers, or where tables are. */
const CONTRARY = {
  array_nulls: 'off',
  bytea_output: 'escape',
  DateStyle: 'SQL, DMY',
  default_transaction_isolation: 'serializable',
  extra_float_digits: '-15',
  IntervalStyle: 'iso_8601',
  quote_all_identifiers: 'on',
  search_path: 'elsewhere',
  standard_conforming_strings: 'off',
  TimeZone: 'Asia/Tokyo',
  transform_null_equals: 'on',
}

const { adminUrl } = currentTestRun()
let testDatabase: TestDatabase
beforeAll(async () => {
  testDatabase = await createTestDatabase('empty')
})
afterAll(() => testDatabase.drop())

async function ask(connectionString: string, ...texts: string[]): Promise<unknown[]> {
  const client = new pg.Client({ connectionString })
  await client.connect()
  try {
    const answers: unknown[] = []
    for (const text of texts) answers.push((await client.query(text)).rows)
    return answers
  } finally {
    await client.end()
  }
}

const contrary = (url: string) => {
  const database = new URL(url).pathname.slice(1)
  return Object.entries(CONTRARY).map(
    ([name, value]) =>
      `ALTER DATABASE ${database} SET ${name} = ${name === 'search_path' || name === 'DateStyle' ? value : `'${value}'`}`,
  )
}

/** Past a pooler, whose sessions have the settings of the role. */
const directly = (url: string) => ({ DATABASE_URL: url, PORT: '0' })

async function faultsOf(url: string): Promise<Record<string, string>> {
  const { stdout } = await runInProcess(['doctor', '--json'], { env: directly(url) })
  const { checks }: { checks: { check: string; healthy: boolean; text: string }[] } = JSON.parse(stdout)
  return Object.fromEntries(checks.flatMap(({ check, healthy, text }) => (healthy ? [] : [[check, text]])))
}

describe('a session', () => {
  it("has the settings that answers depend on, whatever the database's defaults", async () => {
    const { directUrl } = testDatabase
    await ask(directUrl, 'CREATE SCHEMA elsewhere', ...contrary(directUrl))
    const { status, stderr } = await runInProcess(['migrate'], { env: directly(directUrl) })
    expect([status, stderr]).toEqual([0, ''])
    const database = testDatabase.open({ connectionString: directUrl, sessions: 'server' })
    expect(
      await database.query(
        `SELECT '{NULL}'::text[] AS nulls, (1.0::float8 / 3)::text AS float, '\\x41'::bytea::text AS bytes,
                interval '90 minutes'::text AS interval, 'a\\b' AS text, (NULL = NULL) IS NULL AS is_null,
                current_schema() AS schema, '2026-02-01'::timestamptz::text AS time,
                (SELECT count(*)::int FROM pg_tables WHERE schemaname = 'elsewhere') AS elsewhere`,
      ),
    ).toEqual([
      {
        nulls: [null],
        float: '0.3333333333333333',
        bytes: '\\x41',
        interval: '01:30:00',
        text: 'a\\b',
        is_null: true,
        schema: 'public',
        time: '2026-02-01 00:00:00+00',
        elsewhere: 0,
      },
    ])
    expect(await faultsOf(directUrl)).toEqual({})
  })

  it("reads times in UTC whatever the database's default, for SQL and for Prisma", async () => {
    const test = await createTestDatabase('empty')
    const name = new URL(test.connectionString).pathname.slice(1)
    const database = test.open()
    await database.query(`ALTER DATABASE ${name} SET timezone = 'Asia/Tokyo'`)
    await database.query(`ALTER DATABASE ${name} SET datestyle = 'German'`)
    const fresh = test.open()
    const text = `SELECT '2026-01-31T09:05:00.123Z'::timestamptz AS at`
    const expected = [{ at: new Date('2026-01-31T09:05:00.123Z') }]
    expect(await fresh.query(text)).toEqual(expected)
    expect(await fresh.prisma.$queryRawUnsafe(text)).toEqual(expected)
    await test.drop()
  })

  it('without triggers and foreign keys is refused, also by the doctor', async () => {
    const url = new URL(testDatabase.directUrl)
    url.searchParams.set('options', '-c session_replication_role=replica')
    const { status, stderr } = await runInProcess(['migrate'], { env: directly(url.href) })
    const text = expect.stringMatching(
      /session_replication_role is replica: let a superuser run ALTER ROLE "?\w+"? SET/,
    )
    expect([status, stderr]).toEqual([1, text])
    expect(await faultsOf(url.href)).toMatchObject({ sessions: text })
  })

  it.each(['LATIN1', 'SQL_ASCII'])(
    'of a database with the encoding %s is refused before anything is created',
    async (encoding) => {
      const name = `${new URL(testDatabase.directUrl).pathname.slice(1)}_${encoding.toLowerCase()}`
      const locale = "LOCALE_PROVIDER libc LC_COLLATE 'C' LC_CTYPE 'C'"
      await ask(adminUrl, `CREATE DATABASE ${name} ENCODING '${encoding}' ${locale} TEMPLATE template0`)
      try {
        const url = databaseUrl(adminUrl, name)
        const { status, stderr } = await runInProcess(['migrate'], { env: directly(url) })
        const text = expect.stringContaining(
          `a database with the encoding ${encoding}, which cannot store every character: create`,
        )
        expect([status, stderr]).toEqual([1, text])
        expect(await faultsOf(url)).toMatchObject({ sessions: text })
        expect(await ask(url, "SELECT FROM pg_tables WHERE schemaname = 'public'")).toEqual([[]])
      } finally {
        await ask(adminUrl, `DROP DATABASE ${name} WITH (FORCE)`)
      }
    },
  )

  it('of a missing database fails with instructions for creating it', async () => {
    const url = databaseUrl(testDatabase.directUrl, 'none_of_this_name')
    const text = /database "none_of_this_name" does not exist: create it with CREATE DATABASE … ENCODING 'UTF8'/
    const { status, stderr } = await runInProcess(['migrate'], { env: directly(url) })
    expect([status, stderr]).toEqual([1, expect.stringMatching(text)])
    expect(await faultsOf(url)).toMatchObject({ database: expect.stringMatching(text) })
  })
})

describe('the settings of a role', () => {
  it('are in the manual as the start prints them', async () => {
    const page = await readFile(join(import.meta.dirname, '../../docs/operating.md'), 'utf8')
    const [, block = ''] = /```sql\n(ALTER ROLE svc [^`]+)```/.exec(page) ?? []
    const written = block.trimEnd().split('\n')
    expect(written).toEqual(roleSettings('svc').map((statement) => `${statement.replace('"svc"', 'svc')};`))
  })
})
