import { mkdtempSync, rmSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough, Readable, Writable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { runProgram } from '../../src/cli/program.js'
import { createTestDatabase, type TestDatabase } from '../support/database.js'
import { demoLines, line } from './transfer-text.js'

let testDatabase: TestDatabase
let directory: string
let former: string | undefined

beforeAll(async () => {
  testDatabase = await createTestDatabase()
  directory = mkdtempSync(join(tmpdir(), 'svc-transfer-'))
  former = process.env['DATABASE_URL']
  process.env['DATABASE_URL'] = testDatabase.connectionString
})

afterAll(async () => {
  if (former === undefined) delete process.env['DATABASE_URL']
  else process.env['DATABASE_URL'] = former
  rmSync(directory, { recursive: true })
  await testDatabase.drop()
})

/** Runs `svc` with arguments. */
async function svc(
  args: readonly string[],
  { stdin = '' as string | Readable, isTTY = false, stopSignal = new AbortController().signal } = {},
) {
  const stdout = new PassThrough()
  const stderr = Object.assign(new PassThrough(), { isTTY })
  const outputs = Promise.all([text(stdout), text(stderr)])
  const status = await runProgram(['node', 'svc', ...args], {
    stdin: typeof stdin === 'string' ? Readable.from([Buffer.from(stdin)]) : stdin,
    stdout,
    stderr,
    stopSignal,
  })
  stdout.end()
  stderr.end()
  const [out, err] = await outputs
  return { status, out, err }
}

async function fileOf(lines: readonly string[]): Promise<string> {
  const path = join(directory, `${lines.length}.ndjson`)
  await writeFile(path, `${lines.join('\n')}\n`)
  return path
}

describe('svc import and svc export', () => {
  it('import a file and say how many of each kind', async () => {
    const { status, out, err } = await svc(['import', await fileOf(demoLines)])
    expect({ status, err }).toEqual({ status: 0, err: '' })
    expect(out).toContain('user                   14 (14 new)\n')
    expect(out.trim().split('\n')).toHaveLength(14)
  })

  it('import what the export gives, from standard input', async () => {
    const { status, out } = await svc(['export'])
    expect(status).toBe(0)
    expect(out.trim().split('\n')).toHaveLength(demoLines.length)
    const again = await svc(['import', '-'], { stdin: out })
    expect(again.status).toBe(0)
    expect(again.out).toContain('user                   14 (0 new)\n')
    expect((await svc(['export'])).out).toBe(out)
  })

  it('fail with status 1 and the number of the first bad line', async () => {
    const lines = [line('team', { id: 't', organizationId: 'org_acme', name: 'T' }), line('team', { id: '?' }), '{']
    expect(await svc(['import', await fileOf(lines)])).toEqual({
      status: 1,
      out: '',
      err: 'svc: line 2: team.id: must be 1 to 128 characters of A-Za-z0-9_.~:-\n',
    })
    expect((await svc(['export'])).out).not.toContain('"id":"t"')
  })

  it('fail with status 1 where there is no such file', async () => {
    const { status, err } = await svc(['import', join(directory, 'missing')])
    expect(status).toBe(1)
    expect(err).toContain('missing')
    expect((await svc(['import', directory])).status).toBe(1)
  })

  it('end well when the reader of an export has had enough', async () => {
    const stdout = new Writable({
      write: (_chunk, _encoding, done) => done(Object.assign(new Error('write EPIPE'), { code: 'EPIPE' })),
    })
    const stderr = new PassThrough()
    const streams = { stdin: Readable.from([]), stdout, stderr, stopSignal: new AbortController().signal }
    expect(await runProgram(['node', 'svc', 'export'], streams)).toBe(0)
    expect(stderr.read()).toBe(null)
  })

  it('end when the operator stops them, with nothing imported', async () => {
    const stop = new AbortController()
    const stdin = new PassThrough()
    stdin.write(`${line('organization', { id: 'org_b', name: 'B' })}\n`)
    const running = svc(['import', '-'], { stdin, stopSignal: stop.signal })
    stop.abort()
    expect((await running).status).toBe(1)
    expect((await svc(['export'])).out).not.toContain('org_b')
  })

  it('show a bar on a terminal alone, on standard error', async () => {
    const { status, out, err } = await svc(['import', await fileOf(demoLines)], { isTTY: true })
    expect(status).toBe(0)
    expect(err).toContain('reading')
    expect(out).not.toContain('reading')
  })
})
