import { expect, it } from '@jest/globals'
import { maskError } from '../../src/failure/error-mapping.js'
import { requireReading } from '../../src/transfer/export-records.js'

const KIB = 1_024

/** Reads a mebibyte in lines of a kibibyte at a rate, on a clock of its own, and returns how many lines it gets. */
async function readAt(bytesPerSecond: number): Promise<{ readonly lines: number; readonly error: unknown }> {
  let time = 0
  let lines = 0
  async function* texts() {
    for (let line = 0; line < KIB; line++) {
      // What the database takes is not the reader's.
      time += 1_000
      yield 'a'.repeat(KIB)
    }
  }
  try {
    for await (const text of requireReading(texts(), () => time)) {
      time += (text.length * 1_000) / bytesPerSecond
      lines++
    }
  } catch (error) {
    return { lines, error }
  }
  return { lines, error: undefined }
}

it('an export that is read fast enough comes to its end, however long the database takes', async () => {
  expect(await readAt(128 * KIB)).toEqual({ lines: KIB, error: undefined })
})

it('an export that is read too slowly ends with an error that says so, which is logged', async () => {
  const { lines, error } = await readAt(32 * KIB)
  // 96 of 128 KiB are missing each second: ten seconds of them after a little more than thirteen.
  expect(lines).toBe(427)
  const logged: unknown[] = []
  const log = { error: (fields: unknown) => void logged.push(fields) }
  const { rawMessage } = maskError(error, log, { requestId: '1', method: 'ExportRecords' })
  expect(rawMessage).toBe(
    'the export was read too slowly, 437248 bytes in 13 seconds: read it faster, such as into a file',
  )
  expect(logged).toHaveLength(1)
})
