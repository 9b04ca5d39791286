import { expect, it } from '@jest/globals'
import { runTrial } from '../trial/run-trial.js'
import type { Trial } from '../trial/trial.js'
import { createTestDatabase, type TestDatabase } from './database.js'

/** The end of a test, far beyond what any trial takes on a slow machine. */
const END_MILLIS = 900_000

/**
 * A test that the short form of a trial, on a database of the run, finds no promise broken. Times are left to
 * `npm run torture`, because other tests run beside this one.
 */
export function testTrial(promise: string, trial: Trial): void {
  it(promise, async () => expect(await brokenPromises(trial)).toEqual([]), END_MILLIS)
}

async function brokenPromises(trial: Trial): Promise<string[]> {
  const databases: TestDatabase[] = []
  const server = {
    name: 'the database of the run',
    createDatabase: async () => {
      const database = await createTestDatabase()
      databases.push(database)
      // The trial uses the database directly; the service may be behind a pooler.
      return database.directUrl
    },
    environmentOf: (url: string) => databases.find(({ directUrl }) => directUrl === url)?.environment ?? {},
    stop: async () => {
      for (const database of databases) await database.drop()
    },
  }
  try {
    const findings = await runTrial(trial, server, trial.amount?.short)
    return findings
      .filter(({ kept, isTime }) => !kept && isTime !== true)
      .map(({ promise, measured }) => `${promise}: ${measured}`)
  } finally {
    await server.stop()
  }
}
