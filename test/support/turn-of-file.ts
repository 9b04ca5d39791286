import pg from 'pg'
import { currentTestRun } from './current-test-run.js'

/** The first half of the key of an advisory lock; the second is the number of the run, which its prefix ends with. */
const FILE_LOCK = 0x66696c65

/**
 * Waits for the turn of a test file: one that runs alone begins when the files that run have ended, and others begin
 * when it has. The returned function ends the turn.
 */
export async function turnOfFile(isAlone: boolean): Promise<() => Promise<void>> {
  const { adminUrl, prefix } = currentTestRun()
  const client = new pg.Client({ connectionString: adminUrl })
  await client.connect()
  const lock = isAlone ? 'pg_advisory_lock' : 'pg_advisory_lock_shared'
  await client.query(`SELECT ${lock}($1, $2)`, [FILE_LOCK, Number(/\d+/.exec(prefix)?.[0])])
  return () => client.end()
}
