import { execute } from './stage.js'

/** Server processes of the database that can be silenced, like those of a machine that was lost. */
export interface Backends {
  /** Stops this many that serve the service's pool; returns their process ids. */
  silence(count: number): Promise<readonly number[]>
  /** Lets all continue. */
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
      for (const pid of stopped) resume(pid)
      stopped.clear()
    },
  }
}

function resume(pid: number): void {
  try {
    process.kill(pid, 'SIGCONT')
  } catch (error) {
    // The server has ended it in the meantime.
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error
  }
}
