import { existsSync, readFileSync } from 'node:fs'

const statistics = '/proc/self/schedstat'

/**
 * Starts to measure the seconds that something takes in this process without those for which other processes had the
 * processor that its main thread wanted, where the system counts them (Linux).
 */
export function startStopwatch(): () => number {
  const start = performance.now()
  const before = read()
  return () => {
    const after = read()
    const ran = after.ran - before.ran
    // What it waits for, such as the database, has no larger share of the processors than it has itself.
    const share = ran === 0 ? 1 : ran / (ran + after.waited - before.waited)
    return ((performance.now() - start) / 1000) * share
  }
}

function read(): { ran: number; waited: number } {
  const [ran = 0, waited = 0] = existsSync(statistics) ? readFileSync(statistics, 'utf8').split(' ').map(Number) : []
  return { ran, waited }
}
