import type { JourneyHealthCheckStatus, JourneyTaskStatus } from '../../gen/prisma/enums.js'

/** What docs/resources.md says of progress: done tasks in percent of those that are not canceled, rounded down, or 0. */
export function progressPercent(tasks: readonly JourneyTaskStatus[]): number {
  const done = tasks.filter((status) => status === 'DONE').length
  const counted = tasks.filter((status) => status !== 'CANCELED').length
  return counted === 0 ? 0 : Math.floor((100 * done) / counted)
}

/** The first task that is neither done nor canceled; the number of tasks if there is none. */
export function currentTaskIndex(tasks: readonly JourneyTaskStatus[]): number {
  const index = tasks.findIndex((status) => status !== 'DONE' && status !== 'CANCELED')
  return index === -1 ? tasks.length : index
}

/** The checks counted by status. */
export function healthCheckCounts(checks: readonly JourneyHealthCheckStatus[]) {
  const count = (wanted: JourneyHealthCheckStatus) => checks.filter((status) => status === wanted).length
  return {
    totalCount: checks.length,
    failingCount: count('FAILING'),
    warningCount: count('WARNING'),
    passingCount: count('PASSING'),
    runningCount: count('RUNNING'),
    noDataCount: count('NO_DATA'),
    canceledCount: count('CANCELED'),
  }
}
