import { hold } from '../../bench/trial/hold.js'
import type { Trial } from '../../bench/trial/trial.js'
import { createTestDatabase, environmentOf, type TestDatabase } from './database.js'

/** Holds the short form of a trial on a database of the run; returns the promises that it found broken. */
export async function brokenPromises(trial: Trial): Promise<string[]> {
  const databases: TestDatabase[] = []
  const server = {
    name: 'the database of the run',
    createDatabase: async () => {
      const database = await createTestDatabase()
      databases.push(database)
      return database.connectionString
    },
    environmentOf,
    stop: async () => {
      for (const database of databases) await database.drop()
    },
  }
  try {
    const findings = await hold(trial, server, trial.amount?.short)
    return findings.filter(({ kept }) => !kept).map(({ promise, measured }) => `${promise}: ${measured}`)
  } finally {
    await server.stop()
  }
}
