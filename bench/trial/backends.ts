import { execute } from './stage.js'

/** Server processes of the database that can be made to say nothing, as a machine that is lost without a word. */
export interface Backends {
  /** Stops so many that serve the service's pool; answers their process ids. */
  silence(count: number): Promise<readonly number[]>
  /** Lets all go on. */
  heal(): void
}

/** Finds the backends of a database on this machine. Only their owner and root may stop them. */
export function createBackends(connectionString: string): Backends {
  const stopped = new Set<number>()
  return {
    silence: async (count) => {
      const rows = await execute(
        connectionString,
        `SELECT pid FROM pg_stat_activity
          WHERE datname = current_database() AND application_name = 'svc' ORDER BY backend_start LIMIT ${count}`,
      )
      const pids = rows.map(({ pid }) => Number(pid))
      for (const pid of pids) {
        process.kill(pid, 'SIGSTOP')
        stopped.add(pid)
      }
      return pids
    },
    heal: () => {
      for (const pid of stopped) goOn(pid)
      stopped.clear()
    },
  }
}

function goOn(pid: number): void {
  try {
    process.kill(pid, 'SIGCONT')
  } catch (error) {
    // The server has ended it meanwhile.
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error
  }
}
