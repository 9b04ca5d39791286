import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { fixture, insertApiKey, insertFixture, insertRow, insertUserToken } from '../support/fixture.js'
import { callMethod, formsOf, protocols } from '../support/method-forms.js'
import { guardPlaces } from '../support/place-guards.js'
import { startTestService, type TestService } from '../support/service.js'
import {
  expectedCustomFields,
  expectedFailures,
  expectedHealthChecks,
  expectedTasks,
  id,
  insertFullJourney,
  metadata,
  now,
  taskId,
} from './full-journey.js'

const method = formsOf('GetJourney')

describe('getting a journey', () => {
  let service: TestService
  let organizationKey: string

  beforeAll(async () => {
    service = await startTestService()
    service.runtime.advance(now - Date.now())
    await insertFixture(service.database)
    organizationKey = (await insertApiKey(service.database, { organizationId: fixture.acme })).token
    await insertFullJourney(service)
  })
  afterAll(() => service.stop())

  describe.each(protocols)('over %s', (protocol) => {
    const get = (journeyId: string, token = organizationKey) =>
      callMethod(service, method, { protocol, token, request: { id: journeyId } })
    const got = async (journeyId: string, token = organizationKey) => {
      const { answer } = await get(journeyId, token)
      expect([answer.status, answer.text]).toEqual([200, answer.text])
      return answer.json.data
    }

    it('returns the whole snapshot, wrapped in data', async () => {
      expect(await got(id)).toEqual({
        id,
        teamId: fixture.it,
        friendlyIdentifier: 'ONB-12',
        name: 'Onboarding',
        description: 'First weeks',
        createdAt: '2026-01-31T09:05:00.000Z',
        archivedAt: '2026-03-01T00:00:00.001Z',
        requesterUserId: fixture.users.viewer,
        requesterManagerUserId: '',
        progressPercent: 33,
        currentTaskIndex: 1,
        dueDate: { year: 2026, month: 2, day: 28 },
        metadata,
        createdByWorkflow: { id: 'workflow-0', name: 'Start' },
        tasks: expectedTasks,
        healthChecks: expectedHealthChecks,
        healthCheckCounts: {
          totalCount: 8,
          failingCount: 2,
          warningCount: 1,
          passingCount: 1,
          runningCount: 1,
          noDataCount: 1,
          canceledCount: 1,
        },
        workflowFailures: expectedFailures,
        customFields: expectedCustomFields,
      })
    })

    it('prints every list and number of an empty journey, and omits unset fields', async () => {
      const { createdAt, ...journey } = await got(fixture.journeys.people)
      expect(createdAt).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
      expect(journey).toEqual({
        id: fixture.journeys.people,
        teamId: fixture.people,
        friendlyIdentifier: '',
        name: 'Journey people',
        description: '',
        requesterUserId: '',
        requesterManagerUserId: '',
        progressPercent: 0,
        currentTaskIndex: 0,
        tasks: [],
        healthChecks: [],
        workflowFailures: [],
        customFields: [],
        healthCheckCounts: {
          totalCount: 0,
          failingCount: 0,
          warningCount: 0,
          passingCount: 0,
          runningCount: 0,
          noDataCount: 0,
          canceledCount: 0,
        },
      })
    })

    it('accepts an id in upper case', async () => {
      expect(await got(id.toUpperCase())).toMatchObject({ id })
    })

    it.each(['unknown', `${id}0`, id.replaceAll('-', ''), `{${id}}`, ` ${id}`, `${id}\n`, '1'])(
      'refuses an id that is not a UUID: %j',
      async (journeyId) => {
        expect(await get(journeyId)).toMatchObject({
          status: 400,
          code: 'invalid_argument',
          reason: 'FIELD_INVALID',
          fields: ['id'],
        })
      },
    )

    it("shows a journey to its requester and the requester's manager, without a role in its team", async () => {
      for (const userId of [fixture.users.requester, fixture.users.requesterManager]) {
        const token = await insertUserToken(service.database, { userId })
        expect(await got(fixture.journeys.it, token)).toMatchObject({ id: fixture.journeys.it })
      }
    })

    it('shows the requester no other journey, nor whether it exists', async () => {
      const token = await insertUserToken(service.database, { userId: fixture.users.requester })
      const hidden = await get(fixture.journeys.people, token)
      expect(hidden).toMatchObject({ status: 404, code: 'not_found', reason: 'RESOURCE_NOT_FOUND' })
      const foreign = await get(fixture.journeys.globex, token)
      const missing = await get('018f3b7a-0000-7000-8000-00000000ffff', token)
      for (const other of [foreign, missing]) {
        expect(other).toMatchObject({ status: 404, reason: 'RESOURCE_NOT_FOUND', message: hidden.message })
      }
    })

    it('does not confuse a key with a person of the same id', async () => {
      const { database } = service
      const { token } = await insertApiKey(database, {
        id: fixture.users.requester,
        organizationId: fixture.acme,
        teamId: fixture.people,
      })
      const outcome = await get(fixture.journeys.it, token)
      await database.execute('DELETE FROM api_keys WHERE id = $1', [fixture.users.requester])
      expect(outcome).toMatchObject({ status: 404, reason: 'RESOURCE_NOT_FOUND' })
    })
  })

  it('follows the clock: a task is overdue from the day after its due date', async () => {
    const overdue = async () => {
      const { answer } = await callMethod(service, method, {
        protocol: 'REST',
        token: organizationKey,
        request: { id },
      })
      return answer.json.data.tasks.map(({ isOverdue }: { isOverdue: boolean }) => isOverdue)
    }
    expect(await overdue()).toEqual([false, true, false, false])
    service.runtime.advance(2 * 86_400_000)
    expect(await overdue()).toEqual([false, true, true, false])
    service.runtime.advance(-2 * 86_400_000)
  })

  it('is one snapshot: no response mixes states before and after a write', async () => {
    const { database } = service
    const journeyId = fixture.journeys.people
    await insertRow(database, 'journey_tasks', {
      organization_id: fixture.acme,
      journey_id: journeyId,
      id: taskId(50),
      position: 0,
      name: '0',
      status: 'TODO',
    })
    await database.execute(`UPDATE journeys SET name = '0' WHERE id = $1`, [journeyId])
    let isWriting = true
    const write = async () => {
      for (let round = 1; round <= 40; round++) {
        await database.transaction(async (sql) => {
          await sql.execute('UPDATE journey_tasks SET name = $2 WHERE journey_id = $1', [journeyId, String(round)])
          await sql.execute('UPDATE journeys SET name = $2 WHERE id = $1', [journeyId, String(round)])
        })
      }
      isWriting = false
    }
    const read = async () => {
      const seen = new Set<string>()
      while (isWriting) {
        const { answer } = await callMethod(service, method, {
          protocol: 'REST',
          token: organizationKey,
          request: { id: journeyId },
        })
        const { name, tasks } = answer.json.data
        expect(tasks[0].name).toBe(name)
        seen.add(name)
      }
      return seen
    }
    const [seen] = await Promise.all([read(), write()])
    await database.execute('DELETE FROM journey_tasks WHERE journey_id = $1', [journeyId])
    expect(seen.size).toBeGreaterThan(0)
  })

  guardPlaces(() => service, {
    method,
    requestFor: (place) => ({
      id: place === 'nowhere' ? '018f3b7a-0000-7000-8000-00000000ffff' : fixture.journeys[place],
    }),
    takesKeys: true,
    allowed: ['admin', 'manager', 'builder', 'agent', 'contributor', 'viewer', 'guest', 'both'],
  })
})
