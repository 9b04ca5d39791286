import { mkdtempSync, rmSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough, Readable, Writable } from 'node:stream'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { runProgram } from '../../src/cli/program.js'
import { type CommandOptions, runInProcess } from '../support/command-line.js'
import { createTestDatabase, type TestDatabase } from '../support/database.js'
import { demoLines, line } from './transfer-text.js'

let testDatabase: TestDatabase
let directory: string

beforeAll(async () => {
  testDatabase = await createTestDatabase()
  directory = mkdtempSync(join(tmpdir(), 'svc-transfer-'))
})

afterAll(async () => {
  rmSync(directory, { recursive: true })
  await testDatabase.drop()
})

const environment = () => testDatabase.environment
const svc = (args: readonly string[], options: Omit<CommandOptions, 'env'> = {}) =>
  runInProcess(args, { ...options, env: environment() })

async function fileOf(lines: readonly string[]): Promise<string> {
  const path = join(directory, `${lines.length}.ndjson`)
  await writeFile(path, `${lines.join('\n')}\n`)
  return path
}

describe('svc import and svc export', () => {
  it('import a file and report how many of each kind', async () => {
    const { status, stdout, stderr } = await svc(['import', await fileOf(demoLines)])
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    expect(stdout).toContain('user                   15 (15 new)\n')
    expect(stdout.trim().split('\n')).toHaveLength(14)
  })

  it('import the output of the export from standard input', async () => {
    const { status, stdout } = await svc(['export'])
    expect(status).toBe(0)
    expect(stdout.trim().split('\n')).toHaveLength(demoLines.length)
    const again = await svc(['import', '-'], { stdin: stdout })
    expect(again.status).toBe(0)
    expect(again.stdout).toContain('user                   15 (0 new)\n')
    expect((await svc(['export'])).stdout).toBe(stdout)
  })

  it('fail with status 1 and the number of the first bad line', async () => {
    const lines = [line('team', { id: 't', organizationId: 'org_acme', name: 'T' }), line('team', { id: '?' }), '{']
    expect(await svc(['import', await fileOf(lines)])).toEqual({
      status: 1,
      stdout: '',
      stderr: 'svc: line 2: team.id: must be 1 to 128 characters from A-Za-z0-9_.~:-\n',
    })
    expect((await svc(['export'])).stdout).not.toContain('"id":"t"')
  })

  it('report a missing file in one line', async () => {
    const missing = join(directory, 'missing')
    expect(await svc(['import', missing])).toEqual({
      status: 1,
      stdout: '',
      stderr: `svc: cannot read ${missing}: there is no such file\n`,
    })
    const folder = await svc(['import', directory])
    expect(folder).toEqual({ status: 1, stdout: '', stderr: `svc: cannot read ${directory}: it is a folder\n` })
  })

  it.each([
    [['import', '--plam', 'file'], "error: unknown option '--plam'\n(Did you mean --plan?)\n"],
    [['import'], "error: missing required argument 'file'\n"],
  ])('explain in one line what is wrong with %j', async (args, stderr) => {
    expect(await svc(args)).toEqual({ status: 1, stdout: '', stderr })
  })

  it('print the plan as lines or as one object, and write nothing', async () => {
    const [chidi = ''] = demoLines.filter((text) => text.includes('"id":"user_chidi"'))
    const lines = [
      chidi.replace('"firstName":"Chidi"', '"firstName":"Chi"'),
      line('organization', { id: 'org_n', name: 'N' }),
    ]
    const file = await fileOf(lines)
    const before = (await svc(['export'])).stdout
    expect(await svc(['import', '--plan', file])).toEqual({
      status: 0,
      stdout: 'line 1: user user_chidi updated: firstName\nline 2: organization org_n created\n',
      stderr: '',
    })
    const { stdout } = await svc(['import', '--plan', '--json', file])
    expect(JSON.parse(stdout)).toEqual({
      kinds: [
        { kind: 'organization', records: 1, created: 1, updated: 0 },
        { kind: 'user', records: 1, created: 0, updated: 1 },
      ],
      records: [
        {
          line: 1,
          kind: 'user',
          id: 'user_chidi',
          organizationId: 'org_acme',
          outcome: 'updated',
          fields: ['firstName'],
          faults: [],
        },
        {
          line: 2,
          kind: 'organization',
          id: 'org_n',
          organizationId: 'org_n',
          outcome: 'created',
          fields: [],
          faults: [],
        },
      ],
    })
    expect((await svc(['export'])).stdout).toBe(before)
  })

  it('refuse what needs force, in the plan and in the import, with status 1', async () => {
    const gone = { id: 'user_gone', organizationId: 'org_acme', email: 'gone@acme.example' }
    const deactivated = line('user', { ...gone, deactivatedAt: '2026-01-01T00:00:00.000Z' })
    expect((await svc(['import', await fileOf([deactivated])])).status).toBe(0)
    const elsewhere = await fileOf([line('priority', { id: 'p', teamId: 'nowhere', priority: 'P1', name: 'P' })])
    const both = await fileOf([
      line('user', gone),
      line('priority', { id: 'p', teamId: 'nowhere', priority: 'P1', name: 'P' }),
    ])
    for (const [args, refused] of [
      [[elsewhere], '1 of 1'],
      [['--force', elsewhere], '1 of 1'],
      [[both], '2 of 2'],
      [['--force', both], '1 of 2'],
    ] as const) {
      expect((await svc(['import', '--plan', ...args])).stderr).toBe(
        `svc: nothing would be imported: ${refused} refused\n`,
      )
    }
    const file = await fileOf([line('user', gone)])
    const fault = 'user.deactivatedAt: the user is deactivated, and would be reactivated'
    expect(await svc(['import', '--plan', file])).toEqual({
      status: 1,
      stdout: `line 1: user user_gone refused: ${fault}\n`,
      stderr: 'svc: nothing would be imported: 1 of 1 refused; use --force to import everything\n',
    })
    expect(await svc(['import', file])).toEqual({
      status: 1,
      stdout: '',
      stderr: `svc: line 1: ${fault}\nNothing was imported; use --force to import everything.\n`,
    })
    expect(await svc(['import', '--merge', '--json', file])).toEqual({
      status: 0,
      stdout: '{"kinds":[{"kind":"user","records":1,"created":0,"updated":0}]}\n',
      stderr: '',
    })
    expect((await svc(['import', '--force', file])).stdout).toBe('user  1 (0 new, 1 changed)\n')
  })

  it('succeed when the reader of an export stops early', async () => {
    const stdout = new Writable({
      write: (_chunk, _encoding, done) => done(Object.assign(new Error('write EPIPE'), { code: 'EPIPE' })),
    })
    const stderr = new PassThrough()
    const streams = { stdin: Readable.from([]), stdout, stderr, stopSignal: new AbortController().signal }
    expect(await runProgram(['node', 'svc', 'export'], { ...streams, environment: environment() })).toBe(0)
    expect(stderr.read()).toBe(null)
  })

  it('stop when the operator interrupts them, with nothing imported', async () => {
    const stop = new AbortController()
    const stdin = new PassThrough()
    stdin.write(`${line('organization', { id: 'org_b', name: 'B' })}\n`)
    const running = svc(['import', '-'], { stdin, stopSignal: stop.signal })
    stop.abort()
    expect((await running).status).toBe(1)
    expect((await svc(['export'])).stdout).not.toContain('org_b')
  })

  it('show a progress bar only on a terminal, on standard error', async () => {
    const { status, stdout, stderr } = await svc(['import', await fileOf(demoLines)], { isTTY: true })
    expect(status).toBe(0)
    expect(stderr).toContain('reading')
    expect(stdout).not.toContain('reading')
  })
})
