import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import pg from 'pg'
import { parse } from 'yaml'
import { currentTestRun } from './support/current-test-run.js'
import { createTestDatabase, type TestDatabase } from './support/database.js'
import { insertUserToken } from './support/fixture.js'
import { runSvc } from './support/program.js'
import { startTestService, type TestService } from './support/service.js'

const root = join(import.meta.dirname, '..')
const page = await readFile(join(root, 'docs/operating.md'), 'utf8')
const runbooks = await readFile(join(root, 'docs/runbooks.md'), 'utf8')
/** The ways to restore, and the file in which the commands leave what the new database exports. */
const ways = [
  { heading: '### From an export', file: 'records.ndjson' },
  ...((await canDump()) ? [{ heading: '### From a dump', file: 'restored.ndjson' }] : []),
]

/** The text below a heading of a page, up to the next one of any level. */
function sectionOf(heading: string, on = page): string {
  const [, text = ''] = on.split(`\n${heading}\n`)
  return text.split(/\n##+ /)[0] ?? ''
}

describe('the runbook', () => {
  it('has a section for each alert, with its meaning and what to do, and no other sections', async () => {
    const { groups }: { groups: { rules: { alert: string }[] }[] } = parse(
      await readFile(join(root, 'deploy/prometheus/alerts.yml'), 'utf8'),
    )
    const alerts = groups.flatMap(({ rules }) => rules.map(({ alert }) => alert))
    expect([...runbooks.matchAll(/^#+ (Svc\w+)$/gm)].map(([, name]) => name)).toEqual(alerts)
    expect(page).not.toMatch(/^#+ Svc/m)
    for (const alert of alerts) {
      expect([alert, sectionOf(`## ${alert}`, runbooks)]).toEqual([
        alert,
        expect.stringMatching(/^\n\*\*Meaning\.\*\* [\s\S]{20,}\n\n\*\*What to do\.\*\* [\s\S]{20,}/),
      ])
    }
  })

  it('adds up the sizes of tables correctly', () => {
    const numbers = (text = '') =>
      [...text.matchAll(/\d[\d,.]*/g)].map(([number]) => Number(number.replaceAll(',', '')))
    const sum = (each: readonly number[]) => each.reduce((all, one) => all + one, 0)
    const cells = (sectionOf('## Sizing').match(/^\| .* \|$/gm) ?? []).map((row) => row.split('|'))
    const tables = cells.filter(([, name = '']) => name.startsWith(' `'))
    const all = cells.find(([, name]) => name === ' all ')
    expect(sum(tables.flatMap(([, , count]) => numbers(count)))).toBe(sum(numbers(all?.[2])))
    expect(Math.abs(sum(tables.flatMap((row) => numbers(row[4]))) - sum(numbers(all?.[4])))).toBeLessThan(0.5)
    const rows = [...sectionOf('## Sizing').matchAll(/^\| `.*?\| ([\d,]+)[^|]*\| ([\d,]+) \| ([\d.]+) GB \|$/gm)]
    expect(rows.length).toBeGreaterThanOrEqual(5)
    for (const [row, count = '', bytes = '', total = ''] of rows) {
      const gigabytes = (Number(count.replaceAll(',', '')) * Number(bytes.replaceAll(',', ''))) / 1e9
      expect([row, Math.abs(gigabytes - Number(total)) < 0.06]).toEqual([row, true])
    }
  })
})

describe('restoring with the commands of the runbook while calls write', () => {
  let service: TestService
  let folder: string
  let writing: AbortController
  let written = 0
  let writers: Promise<void>[]
  const targets: TestDatabase[] = []

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'svc-restore-'))
    service = await startTestService()
    const { directUrl } = service.testDatabase
    expect(await runSvc(['demo', 'reset'], { env: { DATABASE_URL: directUrl } })).toMatchObject({ status: 0 })
    const token = await insertUserToken(service.database, { userId: 'user_ada', organizationId: 'org_acme' })
    writing = new AbortController()
    writers = Array.from({ length: 2 }, async (_, writer) => {
      for (let number = 0; !writing.signal.aborted; number++, written++) {
        const email = `person-${writer}-${number}@example.com`
        const { status } = await service.rest('POST', '/v2/users', { token, json: { email, firstName: 'New' } })
        expect(status).toBe(200)
      }
    })
  })
  afterAll(async () => {
    writing.abort()
    await Promise.all(writers)
    await service.stop()
    await Promise.all(targets.map((target) => target.drop()))
    await rm(folder, { recursive: true })
  })

  /** Runs the commands below a heading into an empty database, and answers what the file of theirs contains. */
  const restore = async (heading: string, file: string) => {
    const target = await createTestDatabase('empty')
    targets.push(target)
    const commands = /```bash\n([\s\S]*?)```/.exec(sectionOf(heading))?.[1] ?? ''
    const program = `npx() { shift; ${process.execPath} ${join(root, 'bin/svc.mjs')} "$@"; }`
    const { PATH = '', HOME = '' } = process.env
    const env = { PATH, HOME, OLD_URL: service.testDatabase.directUrl, NEW_URL: target.directUrl }
    const before = written
    await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', `${program}\n${commands}`], { cwd: folder, env })
    expect(written).toBeGreaterThan(before)
    return (await readFile(join(folder, file), 'utf8')).trimEnd().split('\n')
  }

  it.each(ways)('brings back a single moment: $heading', async ({ heading, file }) => {
    const lines = await restore(heading, file)
    expect(lines.length).toBeGreaterThan(50)
    for (const writer of [0, 1]) {
      const pattern = new RegExp(`"person-${writer}-(\\d+)@example.com"`)
      const numbers = lines.flatMap((line) => pattern.exec(line)?.[1] ?? []).map(Number)
      // Whatever was written before something that is there is there too.
      expect(numbers.toSorted((a, b) => a - b)).toEqual(numbers.map((_, index) => index))
      expect(numbers.length).toBeGreaterThan(0)
    }
  })
})

/** PostgreSQL's programs read servers of their own version and of older ones. */
async function canDump(): Promise<boolean> {
  const client = new pg.Client({ connectionString: currentTestRun().adminUrl })
  await client.connect()
  try {
    const { rows } = await client.query<{ server_version: string }>('SHOW server_version')
    const { stdout } = await promisify(execFile)('pg_dump', ['--version']).catch(() => ({ stdout: '' }))
    const can = Number(/(\d+)/.exec(stdout)?.[1] ?? 0) >= Number.parseInt(rows[0]?.server_version ?? '', 10)
    if (!can) process.stderr.write('there is no pg_dump for the server of the tests: no dump is restored\n')
    return can
  } finally {
    await client.end()
  }
}
