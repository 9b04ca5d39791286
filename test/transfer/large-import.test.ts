import { createWriteStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { runProgram } from '../../harness/programs.js'
import { scratchFolder } from '../../harness/scratch-folder.js'
import { createTestDatabase, type TestDatabase } from '../support/database.js'
import { generatedRecords } from './generated-records.js'

const RECORDS = 100_000
/** Well under a minute on an idle machine; here, other tests run beside it. */
const MAX_MILLIS = 110_000
/** What the program may take, with all that it has loaded. */
const MAX_BYTES = 300 * 1024 * 1024

const file = join(scratchFolder(), 'large-import.ndjson')
let testDatabase: TestDatabase

beforeAll(async () => {
  testDatabase = await createTestDatabase()
  await pipeline(Readable.from(generatedRecords(RECORDS)), createWriteStream(file))
})

afterAll(async () => {
  await testDatabase.drop()
  await rm(file, { force: true })
})

/** Runs the program and returns how long it took, how much memory at most, and its output. */
async function measured(...args: string[]): Promise<{ millis: number; bytes: number; output: string }> {
  const run = runProgram(args, testDatabase.environment)
  let bytes = 0
  const timer = setInterval(() => {
    bytes = Math.max(bytes, run.memory().peak)
  }, 20)
  try {
    const output = await run.ended()
    return { millis: performance.now() - run.startedAt, bytes, output }
  } finally {
    clearInterval(timer)
  }
}

describe('100,000 records', () => {
  it(
    'are imported in bounded time and bounded memory',
    async () => {
      const { millis, bytes, output } = await measured('import', file, '--json')
      const { kinds } = JSON.parse(output)
      expect(kinds.reduce((sum: number, { created }: { created: number }) => sum + created, 0)).toBe(RECORDS)
      expect(millis).toBeLessThan(MAX_MILLIS)
      expect(bytes).toBeGreaterThan(0)
      expect(bytes).toBeLessThan(MAX_BYTES)
    },
    2 * MAX_MILLIS,
  )

  it(
    'are exported in bounded time and bounded memory',
    async () => {
      const { millis, bytes, output } = await measured('export')
      expect(output.split('\n').length - 1).toBe(RECORDS)
      expect(millis).toBeLessThan(MAX_MILLIS)
      expect(bytes).toBeGreaterThan(0)
      expect(bytes).toBeLessThan(MAX_BYTES)
    },
    2 * MAX_MILLIS,
  )
})
