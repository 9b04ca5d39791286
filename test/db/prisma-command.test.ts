import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { loadMigrations, migrate } from '../../src/db/migrate.js'
import { packageRoot } from '../../src/package.js'
import { createTestDatabase, type TestDatabase } from '../support/database.js'

describe('the prisma command, without its native engine', () => {
  const scratch = join(tmpdir(), `svc-prisma-${randomUUID()}`)
  let database: TestDatabase

  beforeAll(async () => {
    mkdirSync(scratch)
    database = await createTestDatabase('empty')
  })
  afterAll(async () => {
    await database.drop()
    rmSync(scratch, { recursive: true })
  })

  async function prisma(...args: string[]) {
    const child = spawn(process.execPath, [join(packageRoot(), 'node_modules/prisma/build/index.js'), ...args], {
      cwd: packageRoot(),
      env: { ...process.env, DATABASE_URL: database.directUrl },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let output = ''
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text
      })
    }
    const [status]: number[] = await once(child, 'close')
    return { status, output }
  }

  it('applies the migrations, which the start-up runner then accepts', async () => {
    const migrations = await loadMigrations()
    expect(await prisma('migrate', 'deploy')).toMatchObject({ status: 0 })
    expect(await migrate(database.directUrl, migrations)).toEqual([])
    expect((await prisma('migrate', 'status')).output).toContain('Database schema is up to date!')
  })

  it('accepts what the start-up runner has applied', async () => {
    const other = await createTestDatabase('empty')
    await migrate(other.directUrl, await loadMigrations())
    const [mine, its] = await Promise.all(
      [other, database].map((each) =>
        each.open().query('SELECT migration_name, checksum, applied_steps_count FROM _prisma_migrations ORDER BY 1'),
      ),
    )
    expect(mine).toEqual(its)
    await other.drop()
  })

  it('checks whether the migrations match the schema', async () => {
    const compare = ['migrate', 'diff', '--exit-code', '--from-migrations', 'prisma/migrations', '--to-schema']
    expect(await prisma(...compare, 'prisma/schema.prisma')).toMatchObject({ status: 0 })
    const changed = join(scratch, 'schema.prisma')
    const schema = readFileSync(join(packageRoot(), 'prisma/schema.prisma'), 'utf8')
    writeFileSync(changed, `${schema}\nmodel Extra {\n  id Int @id\n}\n`)
    const { status, output } = await prisma(...compare, changed)
    expect(status).toBe(2)
    expect(output).toContain('[+] Added tables')
  })
})
