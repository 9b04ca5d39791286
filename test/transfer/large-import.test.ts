import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { exportRecords } from '../../src/transfer/export-records.js'
import { importRecords } from '../../src/transfer/import-records.js'
import { createTestDatabase, type TestDatabase } from '../support/database.js'
import { createTestRuntime } from '../support/runtime.js'
import { generatedRecords } from './generated-records.js'

const RECORDS = 100_000
const FIRST_RECORDS = 10_000
/** Well under a minute. */
const MAX_MILLIS = 55_000
/** What the process may take beyond what it has taken before. */
const MAX_BYTES = 300 * 1024 * 1024

let testDatabase: TestDatabase

beforeAll(async () => {
  testDatabase = await createTestDatabase()
  // What a process takes for its first records, and the room for its young objects, it has before the measured ones.
  const other = await createTestDatabase()
  await importRecords(other.open(), records(FIRST_RECORDS), { runtime: createTestRuntime() })
  await other.drop()
})

afterAll(() => testDatabase.drop())

/** Runs the work and tells how long it took, and how far the memory of the process rose above where it began. */
async function measured(work: () => Promise<void>): Promise<{ millis: number; bytes: number }> {
  const before = process.memoryUsage.rss()
  let peak = before
  const timer = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage.rss())
  }, 20)
  const start = performance.now()
  try {
    await work()
  } finally {
    clearInterval(timer)
  }
  return { millis: performance.now() - start, bytes: peak - before }
}

async function* records(count: number): AsyncGenerator<string> {
  yield* generatedRecords(count)
}

describe('100,000 records', () => {
  it(
    'are imported within a minute and in bounded memory',
    async () => {
      const database = testDatabase.open({ limits: { statement_timeout: 2 * MAX_MILLIS } })
      const { millis, bytes } = await measured(async () => {
        const { kinds } = await importRecords(database, records(RECORDS), { runtime: createTestRuntime() })
        expect(kinds.reduce((sum, { created }) => sum + created, 0)).toBe(RECORDS)
      })
      expect(millis).toBeLessThan(MAX_MILLIS)
      expect(bytes).toBeLessThan(MAX_BYTES)
    },
    2 * MAX_MILLIS,
  )

  it(
    'are exported within a minute and in bounded memory',
    async () => {
      const database = testDatabase.open({ limits: { statement_timeout: 2 * MAX_MILLIS } })
      let lines = 0
      const { millis, bytes } = await measured(async () => {
        for await (const text of exportRecords(database)) lines += text.endsWith('\n') ? 1 : 0
      })
      expect(lines).toBe(RECORDS)
      expect(millis).toBeLessThan(MAX_MILLIS)
      expect(bytes).toBeLessThan(MAX_BYTES)
    },
    2 * MAX_MILLIS,
  )
})
