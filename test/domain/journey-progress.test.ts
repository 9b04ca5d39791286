import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { JourneyHealthCheckStatus, JourneyTaskStatus } from '../../gen/prisma/enums.js'
import {
  currentTaskIndex,
  healthCheckCounts,
  isOverdue,
  progressPercent,
  utcDateOf,
} from '../../src/domain/journey-progress.js'

const statuses = Object.values(JourneyTaskStatus)
const tasksOf = (...given: JourneyTaskStatus[]) => given.map((status) => ({ status }))
const anyTasks = fc.array(fc.record({ status: fc.constantFrom(...statuses) }))

describe('a task', () => {
  it.each(statuses)('that is %s is overdue after its due date only while it is open', (status) => {
    const isOpen = status !== 'DONE' && status !== 'CANCELED'
    expect(isOverdue({ status, dueDate: '2026-01-30' }, '2026-01-31')).toBe(isOpen)
  })

  it.each(['2026-01-31', '2026-02-01', '2027-01-01', null])('due on %s is not overdue on 2026-01-31', (dueDate) => {
    expect(isOverdue({ status: 'TODO', dueDate }, '2026-01-31')).toBe(false)
  })

  it('is judged by the date in UTC', () => {
    expect(utcDateOf(new Date('2026-01-31T23:59:59.999-01:00'))).toBe('2026-02-01')
    expect(utcDateOf(new Date('2026-02-01T00:30:00+01:00'))).toBe('2026-01-31')
  })
})

describe('progress', () => {
  it.each([
    [[], 0],
    [['CANCELED', 'CANCELED'], 0],
    [['TODO', 'UNSPECIFIED', 'IN_PROGRESS'], 0],
    [['DONE', 'TODO', 'TODO'], 33],
    [['DONE', 'DONE', 'TODO'], 66],
    [['DONE', 'CANCELED', 'TODO'], 50],
    [['DONE', 'CANCELED'], 100],
  ] satisfies [JourneyTaskStatus[], number][])('of %j is %i percent', (given, percent) => {
    expect(progressPercent(tasksOf(...given))).toBe(percent)
  })

  it('is a whole number from 0 to 100, and 100 only where every task that is not canceled is done', () => {
    fc.assert(
      fc.property(anyTasks, (tasks) => {
        const percent = progressPercent(tasks)
        expect(Number.isInteger(percent) && percent >= 0 && percent <= 100).toBe(true)
        const counted = tasks.filter(({ status }) => status !== 'CANCELED')
        expect(percent === 100).toBe(counted.length > 0 && counted.every(({ status }) => status === 'DONE'))
      }),
    )
  })
})

describe('the current task', () => {
  it.each([
    [[], 0],
    [['DONE', 'CANCELED', 'TODO', 'TODO'], 2],
    [['UNSPECIFIED', 'TODO'], 0],
    [['DONE', 'IN_PROGRESS', 'DONE'], 1],
    [['DONE', 'CANCELED'], 2],
  ] satisfies [JourneyTaskStatus[], number][])('of %j has the index %i', (given, index) => {
    expect(currentTaskIndex(tasksOf(...given))).toBe(index)
  })
})

describe('the counts of health checks', () => {
  it('add up to the total, apart from checks without a known status', () => {
    const checks = fc.array(fc.record({ status: fc.constantFrom(...Object.values(JourneyHealthCheckStatus)) }))
    fc.assert(
      fc.property(checks, (given) => {
        const { totalCount, ...counts } = healthCheckCounts(given)
        const unknown = given.filter(({ status }) => status === 'UNSPECIFIED').length
        expect(totalCount).toBe(given.length)
        expect(Object.values(counts).reduce((sum, count) => sum + count, unknown)).toBe(totalCount)
      }),
    )
  })
})
