import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { type ProgramResult, runCommand } from '../support/program.js'

const root = join(import.meta.dirname, '../..')
const runner = join(root, 'dist/test/test/runner')
const imports = "import { beforeAll, describe, expect, it } from '@jest/globals'\n"

const files: Readonly<Record<string, string>> = {
  'passing.test.ts': "it('passes', () => expect(1 as number).toBe(1))",
  'difference.test.ts': "describe('a sum', () => { it('differs', () => expect(1 + 1).toBe(3)) })",
  'set-up.test.ts':
    "describe('a block', () => { beforeAll(() => { throw new Error('no start') }); it('starts', () => {}) })",
  'late.test.ts': `it('throws later', async () => {
    setTimeout(() => { throw new Error('too late') }, 1)
    await new Promise((resolve) => setTimeout(resolve, 50))
  })`,
  'rejection.test.ts': `it('forgets a promise', async () => {
    void Promise.reject(new Error('caught by nobody'))
    await new Promise((resolve) => setTimeout(resolve, 50))
  })`,
  'caught.test.ts': `it('catches a rejection later', async () => {
    const rejected = Promise.reject(new Error('caught late'))
    await new Promise((resolve) => setTimeout(resolve, 50))
    await expect(rejected).rejects.toThrow('caught late')
  })`,
  'open.test.ts': "it('leaves a timer', () => { setInterval(() => {}, 1000) })",
  'open-after-failure.test.ts': "it('leaves a timer', () => { setInterval(() => {}, 1000); expect(1 + 1).toBe(5) })",
  'changed.test.ts': "it('changes a variable', () => { process.env['LEFT_CHANGED'] = '1' })",
  'missing.test.ts': "import './nothing.js'\nit('is never reached', () => {})",
  'endless.test.ts': "it('never ends', () => new Promise(() => {}), 50)",
}

describe('a run of files of tests', () => {
  let folder: string
  let result: ProgramResult
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'svc-runner-'))
    await mkdir(join(folder, 'test'))
    for (const [name, text] of Object.entries({ ...files, 'test/slow-tests.json': '{}' })) {
      await writeFile(join(folder, name), name.endsWith('.ts') ? imports + text : text)
    }
    const config = {
      testMatch: ['<rootDir>/*.test.ts'],
      testEnvironment: join(runner, 'environment.js'),
      testRunner: join(runner, 'run-file.js'),
      reporters: ['default', join(runner, 'reporter.js')],
      globalTeardown: join(root, 'dist/test/test/support/global-teardown.js'),
      maxWorkers: 2,
    }
    const args = [join(root, 'node_modules/jest/bin/jest.js'), '--config', JSON.stringify(config), '--rootDir', folder]
    result = await runCommand(process.execPath, ['--disable-warning=ExperimentalWarning', ...args], { cwd: folder })
  })
  afterAll(() => rm(folder, { recursive: true }))

  it('fails if one of them does', () => {
    expect(result.status).toBe(1)
  })

  it.each([
    ['difference.test.ts', 'Expected: 3'],
    ['set-up.test.ts', 'no start'],
    ['late.test.ts', 'too late'],
    ['rejection.test.ts', 'caught by nobody'],
    ['open.test.ts', 'the tests of this file have left open: Timeout'],
    ['open-after-failure.test.ts', 'Expected: 5'],
    ['changed.test.ts', 'the tests of this file have left changed: LEFT_CHANGED'],
    ['missing.test.ts', "Cannot find module '"],
    ['endless.test.ts', 'Exceeded timeout of 50 ms for a test.'],
  ])('says of %s why it failed', (name, reason) => {
    expect(result.stderr).toContain(`FAIL ./${name}`)
    expect(result.stderr).toContain(reason)
  })

  it.each(['passing.test.ts', 'caught.test.ts'])('passes %s', (name) => {
    expect(result.stderr).toContain(`PASS ./${name}`)
  })

  it('shows the line', () => {
    expect(result.stderr).toMatch(/at (?:Object\.<anonymous> \()?difference\.test\.ts:2:\d+/)
  })

  it('ends with what failed and how to run it alone', () => {
    const [, end = ''] = result.stderr.split('Failed, each with the command that runs it alone:\n')
    const lines = end.trimEnd().split('\n')
    expect(lines).toContain('  npm test -- difference.test.ts')
    expect(lines).toContain('    ✕ a sum differs')
    expect(lines.filter((line) => line.startsWith('  npm test -- '))).toHaveLength(9)
    expect(lines.every((line) => /^ {2}npm test -- |^ {4}✕ /.test(line))).toBe(true)
  })
})
