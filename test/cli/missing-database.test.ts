import { randomUUID } from 'node:crypto'
import { existsSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { removeEmbeddedPostgres } from '../../harness/remove-embedded-postgres.js'
import { scratchFolder } from '../../harness/scratch-folder.js'
import { runInProcess } from '../support/command-line.js'
import { createTestDatabase, type TestDatabase } from '../support/database.js'
import { runSvc } from '../support/program.js'

const root = join(import.meta.dirname, '../..')
const commands = [
  ['keys', 'list', '--org', 'org_acme'],
  ['keys', 'create', '--org', 'org_acme'],
  ['keys', 'revoke', 'some_key'],
  ['tokens', 'create', '--user', 'user_ada', '--org', 'org_acme'],
  ['export'],
]

describe('a folder without a database', () => {
  it('is resolved from the package, named, and left untouched by all but serve, migrate and import', async () => {
    const place = join(root, 'dist', 'no-data')
    const run = (args: readonly string[]) =>
      runSvc(args, { env: { SVC_DATA_DIR: join('dist', 'no-data') }, cwd: tmpdir() })
    for (const { status, stdout, stderr } of await Promise.all(commands.map(run))) {
      const sentence = expect.stringContaining(`svc: there is no database in ${place}: create one with "npx svc serve"`)
      expect([status, stdout, stderr]).toEqual([1, '', sentence])
    }
    expect(existsSync(place)).toBe(false)
  })

  it('may be named where a file is', async () => {
    const { status, stderr } = await runSvc(['export'], { env: { SVC_DATA_DIR: '/dev/null' } })
    expect([status, stderr]).toEqual([1, expect.stringContaining('svc: there is no database in /dev/null: create one')])
  })
})

describe('a PostgreSQL server', () => {
  let empty: TestDatabase
  let older: TestDatabase
  beforeAll(async () => {
    empty = await createTestDatabase('empty')
    older = await createTestDatabase()
  })
  afterAll(() => Promise.all([empty.drop(), older.drop()]))

  it('whose database is empty is left empty', async () => {
    for (const args of commands) {
      const { status, stdout, stderr } = await runInProcess(args, { env: empty.environment })
      const sentence = expect.stringMatching('^svc: the database is empty: run "npx svc serve"')
      expect([status, stdout, stderr]).toEqual([1, '', sentence])
    }
    expect(await empty.open().query("SELECT FROM pg_class WHERE relnamespace = 'public'::regnamespace")).toEqual([])
  })

  it('that lacks a migration gets it only from "svc migrate"', async () => {
    const database = older.open()
    const [last] = await database.query<{ name: string }>(
      'DELETE FROM _prisma_migrations WHERE migration_name = (SELECT max(migration_name) FROM _prisma_migrations) RETURNING migration_name AS name',
    )
    const { status, stderr } = await runInProcess(['export'], { env: older.environment })
    expect([status, stderr]).toEqual([1, `svc: the database lacks ${last?.name}: run "npx svc migrate"\n`])
  })
})

describe('svc migrate', () => {
  it('creates the embedded database, on which the other commands then work', async () => {
    const dataDir = join(scratchFolder(), `svc-migrate-${randomUUID()}`)
    const env = { SVC_DATA_DIR: dataDir }
    try {
      expect((await runSvc(['migrate'], { env })).stdout).toMatch(/^applied /)
      expect(await runSvc(['export'], { env })).toEqual({ status: 0, stdout: '', stderr: '' })
      expect((await runSvc(['migrate'], { env })).stdout).toBe('the database is up to date\n')
    } finally {
      await removeEmbeddedPostgres(dataDir)
      rmSync(dataDir, { recursive: true })
    }
  })
})
