import type { JourneyHealthCheckStatus, JourneyTaskStatus } from '../../../gen/prisma/enums.js'

/** The checks of a journey, counted by status; the total has those without a known status as well. */
export interface HealthCheckCounts {
  readonly totalCount: number
  readonly failingCount: number
  readonly warningCount: number
  readonly passingCount: number
  readonly runningCount: number
  readonly noDataCount: number
  readonly canceledCount: number
}

/** A moment's date in UTC, as `2026-01-31`. */
export function utcDateOf(moment: Date): string {
  return moment.toISOString().slice(0, 10)
}

/** Done tasks in percent of those that are not canceled, rounded down; 0 where there are none. */
export function progressPercent(tasks: readonly JourneyTaskStatus[]): number {
  let done = 0
  let counted = 0
  for (const status of tasks) {
    if (status === 'DONE') done++
    if (status !== 'CANCELED') counted++
  }
  return counted === 0 ? 0 : Math.floor((100 * done) / counted)
}

/** Index of the first task that is neither done nor canceled; the number of tasks where there is none. */
export function currentTaskIndex(tasks: readonly JourneyTaskStatus[]): number {
  const index = tasks.findIndex((status) => status !== 'DONE' && status !== 'CANCELED')
  return index === -1 ? tasks.length : index
}

/** Counts checks by status. */
export function healthCheckCounts(checks: readonly JourneyHealthCheckStatus[]): HealthCheckCounts {
  const count: Record<JourneyHealthCheckStatus, number> = {
    ...{ UNSPECIFIED: 0, FAILING: 0, WARNING: 0, PASSING: 0, RUNNING: 0, NO_DATA: 0, CANCELED: 0 },
  }
  for (const status of checks) count[status]++
  return {
    totalCount: checks.length,
    failingCount: count.FAILING,
    warningCount: count.WARNING,
    passingCount: count.PASSING,
    runningCount: count.RUNNING,
    noDataCount: count.NO_DATA,
    canceledCount: count.CANCELED,
  }
}
