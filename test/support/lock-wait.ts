import { withSession } from '../../src/db/session.js'
import type { TestDatabase } from './database.js'
import { eventually } from './eventually.js'
import { fixture } from './fixture.js'

/** In a cluster, what waits on a worker counts, and not the session of the coordinator that has sent it there. */
const WAITING = `FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`

/** How many sessions of the database wait for locks, on all nodes; of one type (`wait_event`) if given. */
export async function countLockWaits({ queryNodes }: TestDatabase, type?: string): Promise<number> {
  return (await queryNodes(`SELECT ${WAITING} AND wait_event = coalesce($1, wait_event)`, [type ?? null])).length
}

/** Waits until so many sessions wait for locks. */
export async function untilLockWaits(database: TestDatabase, sessions: number, type?: string): Promise<void> {
  await eventually(async () => {
    const waits = await countLockWaits(database, type)
    if (waits !== sessions) throw new Error(`${waits} sessions wait for locks, not ${sessions}`)
  })
}

/** The statement that locks the rows of the fixture's first organization in a table. */
export function lockOf(table: string): string {
  return `SELECT FROM ${table} WHERE organization_id = '${fixture.acme}' FOR UPDATE`
}

/** Does work while a session of its own keeps the locks of a statement, so that others wait. */
export async function whileLocked<T>({ directUrl }: TestDatabase, lock: string, work: () => Promise<T>): Promise<T> {
  return withSession({ connectionString: directUrl }, async (holder) => {
    await holder.query('BEGIN')
    await holder.query(lock)
    try {
      return await work()
    } finally {
      await holder.query('ROLLBACK')
    }
  })
}

/** Ends the sessions that wait for locks, and returns how many there were. */
export async function endLockWaits({ queryNodes }: TestDatabase): Promise<number> {
  return (await queryNodes(`SELECT pg_terminate_backend(pid) ${WAITING}`)).length
}
