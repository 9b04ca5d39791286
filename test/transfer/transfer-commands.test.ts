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
  it('import a file and say how many of each kind', async () => {
    const { status, stdout, stderr } = await svc(['import', await fileOf(demoLines)])
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    expect(stdout).toContain('user                   14 (14 new)\n')
    expect(stdout.trim().split('\n')).toHaveLength(14)
  })

  it('import what the export gives, from standard input', async () => {
    const { status, stdout } = await svc(['export'])
    expect(status).toBe(0)
    expect(stdout.trim().split('\n')).toHaveLength(demoLines.length)
    const again = await svc(['import', '-'], { stdin: stdout })
    expect(again.status).toBe(0)
    expect(again.stdout).toContain('user                   14 (0 new)\n')
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

  it('fail with status 1 where there is no such file', async () => {
    const { status, stderr } = await svc(['import', join(directory, 'missing')])
    expect(status).toBe(1)
    expect(stderr).toContain('missing')
    expect((await svc(['import', directory])).status).toBe(1)
  })

  it('end well when the reader of an export has had enough', async () => {
    const stdout = new Writable({
      write: (_chunk, _encoding, done) => done(Object.assign(new Error('write EPIPE'), { code: 'EPIPE' })),
    })
    const stderr = new PassThrough()
    const streams = { stdin: Readable.from([]), stdout, stderr, stopSignal: new AbortController().signal }
    expect(await runProgram(['node', 'svc', 'export'], { ...streams, environment: environment() })).toBe(0)
    expect(stderr.read()).toBe(null)
  })

  it('end when the operator stops them, with nothing imported', async () => {
    const stop = new AbortController()
    const stdin = new PassThrough()
    stdin.write(`${line('organization', { id: 'org_b', name: 'B' })}\n`)
    const running = svc(['import', '-'], { stdin, stopSignal: stop.signal })
    stop.abort()
    expect((await running).status).toBe(1)
    expect((await svc(['export'])).stdout).not.toContain('org_b')
  })

  it('show a bar on a terminal alone, on standard error', async () => {
    const { status, stdout, stderr } = await svc(['import', await fileOf(demoLines)], { isTTY: true })
    expect(status).toBe(0)
    expect(stderr).toContain('reading')
    expect(stdout).not.toContain('reading')
  })
})
