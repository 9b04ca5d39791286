import { existsSync, readFileSync } from 'node:fs'
import { performance } from 'node:perf_hooks'

/**
 * The processor time of a process's main thread in milliseconds, if the system reports it (Linux); else the time that
 * has passed. Unlike wall-clock time, it excludes the work of other processes.
 */
export function processorMillis(pid: number): number {
  const statistics = `/proc/${pid}/task/${pid}/schedstat`
  return existsSync(statistics) ? Number(readFileSync(statistics, 'utf8').split(' ')[0]) / 1e6 : performance.now()
}
