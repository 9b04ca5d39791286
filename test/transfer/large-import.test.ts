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
/** The end of a test, far beyond what it takes: `npm run bench -- import` measures that. */
const END_MILLIS = 900_000
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

/** Runs the program and returns how much memory it took at most, and its output. */
async function measured(...args: string[]): Promise<{ bytes: number; output: string }> {
  const run = runProgram(args, testDatabase.environment)
  let bytes = 0
  const timer = setInterval(() => {
    bytes = Math.max(bytes, run.memory().peak)
  }, 20)
  try {
    const output = await run.ended()
    return { bytes, output }
  } finally {
    clearInterval(timer)
  }
}

describe('100,000 records', () => {
  it(
    'are imported in bounded memory',
    async () => {
      const { bytes, output } = await measured('import', file, '--json')
      const { kinds } = JSON.parse(output)
      expect(kinds.reduce((sum: number, { created }: { created: number }) => sum + created, 0)).toBe(RECORDS)
      expect(bytes).toBeGreaterThan(0)
      expect(bytes).toBeLessThan(MAX_BYTES)
    },
    END_MILLIS,
  )

  it(
    'are exported in bounded memory',
    async () => {
      const { bytes, output } = await measured('export')
      expect(output.split('\n').length - 1).toBe(RECORDS)
      expect(bytes).toBeGreaterThan(0)
      expect(bytes).toBeLessThan(MAX_BYTES)
    },
    END_MILLIS,
  )
})
