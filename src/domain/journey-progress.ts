import type { JourneyHealthCheckStatus, JourneyTaskStatus } from '../../gen/prisma/enums.js'

/** The parts of a task that its progress depends on. `dueDate` is `2026-01-31`. */
export interface ProgressTask {
  readonly status: JourneyTaskStatus
  readonly dueDate: string | null
}

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

/** Whether the task is still open after its due date; it is not on that day (decisions, section 8). */
export function isOverdue({ status, dueDate }: ProgressTask, today: string): boolean {
  // Dates of four-digit years stand in the order of their texts.
  return dueDate !== null && dueDate < today && isOpen(status)
}

/** Done tasks in percent of those that are not canceled, rounded down; 0 where there are none. */
export function progressPercent(tasks: readonly Pick<ProgressTask, 'status'>[]): number {
  let done = 0
  let counted = 0
  for (const { status } of tasks) {
    if (status === 'DONE') done++
    if (status !== 'CANCELED') counted++
  }
  return counted === 0 ? 0 : Math.floor((100 * done) / counted)
}

/** Index of the first task that is neither done nor canceled; the number of tasks where there is none. */
export function currentTaskIndex(tasks: readonly Pick<ProgressTask, 'status'>[]): number {
  const index = tasks.findIndex(({ status }) => isOpen(status))
  return index === -1 ? tasks.length : index
}

/** Counts checks by status. */
export function healthCheckCounts(checks: readonly { readonly status: JourneyHealthCheckStatus }[]): HealthCheckCounts {
  const count: Record<JourneyHealthCheckStatus, number> = {
    ...{ UNSPECIFIED: 0, FAILING: 0, WARNING: 0, PASSING: 0, RUNNING: 0, NO_DATA: 0, CANCELED: 0 },
  }
  for (const { status } of checks) count[status]++
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

function isOpen(status: JourneyTaskStatus): boolean {
  return status !== 'DONE' && status !== 'CANCELED'
}
