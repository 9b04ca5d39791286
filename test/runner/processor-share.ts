import { existsSync, readFileSync } from 'node:fs'

const statistics = '/proc/self/schedstat'

/**
 * Starts to measure the share of the time for which the main thread of this process wanted a processor that it had one:
 * 1 on an idle machine, and where the system (other than Linux) does not say.
 */
export function measureProcessorShare(): () => number {
  const before = read()
  return () => {
    const after = read()
    const ran = after.ran - before.ran
    return ran === 0 ? 1 : ran / (ran + after.waited - before.waited)
  }
}

function read(): { ran: number; waited: number } {
  const [ran = 0, waited = 0] = existsSync(statistics) ? readFileSync(statistics, 'utf8').split(' ').map(Number) : []
  return { ran, waited }
}
