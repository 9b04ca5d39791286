import type { CloneStrategy, DatabaseNodes } from '../../harness/database-server.js'

/** What the test files of one run share. */
export interface TestRun {
  /** URL of a database from which others can be created and dropped. */
  readonly adminUrl: string
  /** The same for each node if the databases are distributed; else just that one. */
  readonly nodes: DatabaseNodes
  /** Where a pooler in front of the databases listens, for the service; absent if there is none. */
  readonly pooler?: { readonly host: string; readonly port: number } | undefined
  /** Prefix of the names of all databases of this run. */
  readonly prefix: string
  /** Name of the database with all migrations applied, to clone. */
  readonly template: string
  /** How PostgreSQL clones it; absent for its own choice. */
  readonly cloneStrategy?: CloneStrategy | undefined
}

const VARIABLE = 'TEST_RUN'

/** Leaves the run in the environment, where the processes that run the test files find it. */
export function announceTestRun(run: TestRun): void {
  process.env[VARIABLE] = JSON.stringify(run)
}

/** The run of this test file. Throws outside of one. */
export function currentTestRun(): TestRun {
  const announced = process.env[VARIABLE]
  if (announced === undefined) throw new Error(`${VARIABLE} is not set: the global set-up has not run`)
  return JSON.parse(announced)
}
