import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import fc from 'fast-check'
import { JourneyHealthCheckStatus, JourneyTaskStatus } from '../../gen/prisma/enums.js'
import { fixture, insertApiKey, insertFixture, insertRow } from '../support/fixture.js'
import { currentTaskIndex, healthCheckCounts, progressPercent } from '../support/journey-progress.js'
import { startTestService, type TestService } from '../support/service.js'

describe('the computed values of a journey', () => {
  let service: TestService
  let token: string

  beforeAll(async () => {
    service = await startTestService()
    await insertFixture(service.database)
    token = (await insertApiKey(service.database, { organizationId: fixture.acme })).token
  })
  afterAll(() => service.stop())

  /** What the service answers of a journey with such tasks and checks, which are written out of their order. */
  async function computed(tasks: readonly JourneyTaskStatus[], checks: readonly JourneyHealthCheckStatus[]) {
    const { database } = service
    const id = randomUUID()
    await insertRow(database, 'journeys', { id, organization_id: fixture.acme, team_id: fixture.it, name: 'Random' })
    const journey = { organization_id: fixture.acme, journey_id: id }
    for (const [position, status] of [...tasks.entries()].reverse()) {
      await insertRow(database, 'journey_tasks', { ...journey, id: randomUUID(), position, name: 'Task', status })
    }
    for (const [position, status] of checks.entries()) {
      const check = { ...journey, id: `check-${position}`, position, type: 'STATUS_CHECK', status }
      await insertRow(database, 'journey_health_checks', check)
    }
    const { json } = await service.rest('GET', `/v2/journeys/${id}`, { token })
    return json.data
  }

  it.each([
    [[], 0, 0],
    [['CANCELED', 'CANCELED'], 0, 2],
    [['TODO', 'UNSPECIFIED', 'IN_PROGRESS'], 0, 0],
    [['DONE', 'TODO', 'TODO'], 33, 1],
    [['DONE', 'DONE', 'TODO'], 66, 2],
    [['DONE', 'CANCELED', 'TODO'], 50, 2],
    [['DONE', 'CANCELED'], 100, 2],
    [['DONE', 'IN_PROGRESS', 'DONE'], 66, 1],
  ] satisfies [JourneyTaskStatus[], number, number][])(
    'with tasks %j are progress %i and current task %i',
    async (tasks, percent, index) => {
      expect(await computed(tasks, [])).toMatchObject({ progressPercent: percent, currentTaskIndex: index })
    },
  )

  it('follow the rules, whatever the tasks and checks', async () => {
    const anyTasks = fc.array(fc.constantFrom(...Object.values(JourneyTaskStatus)), { maxLength: 12 })
    const anyChecks = fc.array(fc.constantFrom(...Object.values(JourneyHealthCheckStatus)), { maxLength: 12 })
    await fc.assert(
      fc.asyncProperty(anyTasks, anyChecks, async (tasks, checks) => {
        expect(await computed(tasks, checks)).toMatchObject({
          progressPercent: progressPercent(tasks),
          currentTaskIndex: currentTaskIndex(tasks),
          healthCheckCounts: healthCheckCounts(checks),
        })
      }),
      { numRuns: 50 },
    )
  })
})
