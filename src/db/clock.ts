import { Prisma } from '../../gen/prisma/client.js'
import type { Timing } from './retries.js'
import { createStatement } from './statement.js'
import { firstRow, type Tables } from './tables.js'

/** The clock of the database, by which everything ends that has an end, whichever process looks. */
export type DatabaseClock = ReturnType<typeof createDatabaseClock>

/** How far the clock of this machine may differ; a process whose clock differs more is not ready. */
const MAX_DIFFERENCE_MILLIS = 60_000

const selectTime = createStatement<Record<string, never>, { readonly time: Date }>({
  name: 'select_time',
  columns: { time: 'timestamptz' },
  text: () => Prisma.sql`SELECT clock_timestamp() AS time`,
})

/**
 * Makes a clock that shows the time of the database: as last measured, plus the monotonic time since. Until it is
 * measured it shows the machine's. `machineTime` is in milliseconds since 1970.
 */
export function createDatabaseClock(
  tables: Pick<Tables, 'run'>,
  timing: Pick<Timing, 'now'>,
  machineTime = () => Date.now(),
) {
  let startedAt = machineTime() - timing.now()
  const now = () => new Date(timing.now() + startedAt)
  const aheadMillis = () => machineTime() - timing.now() - startedAt
  return {
    now,
    /** How far the clock of this machine is ahead of the database's, in milliseconds; negative if it is behind. */
    aheadMillis,
    /** Whether the clock of this machine can be trusted. */
    isRight: () => Math.abs(aheadMillis()) <= MAX_DIFFERENCE_MILLIS,
    /** Asks the database. A difference that the time of asking explains is none, so that the clock does not waver. */
    measure: async () => {
      const askedAt = timing.now()
      const row = await firstRow(tables, selectTime, {})
      if (row === undefined) throw new Error('the database did not give its time')
      const half = (timing.now() - askedAt) / 2
      const measured = row.time.getTime() - (askedAt + half)
      if (Math.abs(measured - startedAt) > half + 1) startedAt = measured
    },
  }
}
