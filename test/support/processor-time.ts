import { existsSync, readFileSync } from 'node:fs'
import { performance } from 'node:perf_hooks'

/**
 * The milliseconds that the main thread of a process has had a processor, where the system tells (Linux); else those that
 * have passed. Unlike the time on the wall it does not count what other processes take.
 */
export function processorMillis(pid: number): number {
  const statistics = `/proc/${pid}/task/${pid}/schedstat`
  return existsSync(statistics) ? Number(readFileSync(statistics, 'utf8').split(' ')[0]) / 1e6 : performance.now()
}
