import { describe, expect, it } from '@jest/globals'
import fc from 'fast-check'
import { JourneyHealthCheckStatus, JourneyTaskStatus } from '../../gen/prisma/enums.js'
import {
  currentTaskIndex,
  healthCheckCounts,
  progressPercent,
  utcDateOf,
} from '../../src/domain/journey/journey-progress.js'

const statuses = Object.values(JourneyTaskStatus)
const anyTasks = fc.array(fc.constantFrom(...statuses))

describe('a date', () => {
  it('is that of UTC', () => {
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
    expect(progressPercent(given)).toBe(percent)
  })

  it('is a whole number from 0 to 100, and 100 only where every task that is not canceled is done', () => {
    fc.assert(
      fc.property(anyTasks, (tasks) => {
        const percent = progressPercent(tasks)
        expect(Number.isInteger(percent) && percent >= 0 && percent <= 100).toBe(true)
        const counted = tasks.filter((status) => status !== 'CANCELED')
        expect(percent === 100).toBe(counted.length > 0 && counted.every((status) => status === 'DONE'))
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
    expect(currentTaskIndex(given)).toBe(index)
  })
})

describe('the counts of health checks', () => {
  it('add up to the total, apart from checks without a known status', () => {
    const checks = fc.array(fc.constantFrom(...Object.values(JourneyHealthCheckStatus)))
    fc.assert(
      fc.property(checks, (given) => {
        const { totalCount, ...counts } = healthCheckCounts(given)
        const unknown = given.filter((status) => status === 'UNSPECIFIED').length
        expect(totalCount).toBe(given.length)
        expect(Object.values(counts).reduce((sum, count) => sum + count, unknown)).toBe(totalCount)
      }),
    )
  })
})
