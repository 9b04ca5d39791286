import { existsSync, readFileSync } from 'node:fs'

const statistics = '/proc/self/schedstat'

/** What a stopwatch has measured: the seconds, and the share of the processor time it asked for that it got. */
export interface Measured {
  readonly seconds: number
  readonly share: number
}

/**
 * Starts to measure what something takes in this process, and how much of the processor its main thread gets of what it
 * wants, where the system counts that (Linux).
 */
export function startStopwatch(): () => Measured {
  const start = performance.now()
  const before = read()
  return () => {
    const after = read()
    const ran = after.ran - before.ran
    const share = ran === 0 ? 1 : ran / (ran + after.waited - before.waited)
    return { seconds: (performance.now() - start) / 1000, share }
  }
}

function read(): { ran: number; waited: number } {
  const [ran = 0, waited = 0] = existsSync(statistics) ? readFileSync(statistics, 'utf8').split(' ').map(Number) : []
  return { ran, waited }
}
