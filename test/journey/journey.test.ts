import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { fixture, insertApiKey, insertFixture, insertRow, insertUserToken } from '../support/fixture.js'
import { callMethod, doors, type MethodDoors, segment } from '../support/method-doors.js'
import { guardPlaces } from '../support/place-guards.js'
import { startTestService, type TestService } from '../support/service.js'

const method: MethodDoors = {
  procedure: 'svc.v2.JourneyService/GetJourney',
  rest: ({ id }) => ({ method: 'GET', path: `/v2/journeys/${segment(id)}` }),
}

const id = '018f3b7a-0000-7000-8000-00000000000a'
const taskId = (index: number) => `018f3b7a-0000-7000-8000-0000000001${String(index).padStart(2, '0')}`

/** The time of the service in these tests. */
const now = Date.parse('2026-06-15T12:00:00Z')

/** A date as many days from today in UTC, as text and as the API shows it. */
function dayFromToday(days: number) {
  const text = new Date(now + days * 86_400_000).toISOString().slice(0, 10)
  const [year, month, day] = text.split('-').map(Number)
  return { text, date: { year, month, day } }
}

const workflowCall = {
  ...{ id: 'call-1', workflowId: 'workflow-1', workflowName: 'Laptop', runId: 'run-1' },
  ...{ runStatus: 'WORKFLOW_RUN_STATUS_RUNNING', createdAt: '2026-01-31T09:05:00.000Z' },
  ...{ formConfirmationRequired: true, formConfirmationResponse: false },
}
const metadata = {
  onboarding: { startDate: { year: 2026, month: 2, day: 1 }, welcomeMessage: 'Hello' },
  welcomeTitle: 'Welcome',
  welcomeBody: 'Good to have you',
}
const validationErrors = {
  displayMessage: 'Not valid',
  fieldErrors: { email: 'is missing' },
  translations: { de: 'Nicht gültig' },
}
const statusCheckResult = { isComplete: false, message: 'Waits', messageTranslations: { de: 'Wartet' } }

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

  describe.each(doors)('over %s', (door) => {
    const get = (journeyId: string, token = organizationKey) =>
      callMethod(service, method, { door, token, request: { id: journeyId } })
    const got = async (journeyId: string, token = organizationKey) => {
      const { answer } = await get(journeyId, token)
      expect([answer.status, answer.text]).toEqual([200, answer.text])
      return answer.json.data
    }

    it('answers the whole snapshot, wrapped in data', async () => {
      expect(await got(id)).toEqual({
        ...{ id, teamId: fixture.it, friendlyIdentifier: 'ONB-12', name: 'Onboarding', description: 'First weeks' },
        ...{ createdAt: '2026-01-31T09:05:00.000Z', archivedAt: '2026-03-01T00:00:00.001Z' },
        ...{ requesterUserId: fixture.users.viewer, requesterManagerUserId: '' },
        ...{ progressPercent: 33, currentTaskIndex: 1, dueDate: { year: 2026, month: 2, day: 28 }, metadata },
        createdByWorkflow: { id: 'workflow-0', name: 'Start' },
        tasks: expectedTasks,
        healthChecks: expectedHealthChecks,
        healthCheckCounts: {
          ...{ totalCount: 8, failingCount: 2, warningCount: 1, passingCount: 1, runningCount: 1, noDataCount: 1 },
          canceledCount: 1,
        },
        workflowFailures: expectedFailures,
        customFields: expectedCustomFields,
      })
    })

    it('prints every list and number of a journey with nothing in it, and leaves out what is unset', async () => {
      const { createdAt, ...journey } = await got(fixture.journeys.people)
      expect(createdAt).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
      expect(journey).toEqual({
        ...{ id: fixture.journeys.people, teamId: fixture.people, friendlyIdentifier: '', name: 'Journey people' },
        ...{
          description: '',
          requesterUserId: '',
          requesterManagerUserId: '',
          progressPercent: 0,
          currentTaskIndex: 0,
        },
        ...{ tasks: [], healthChecks: [], workflowFailures: [], customFields: [] },
        healthCheckCounts: {
          ...{ totalCount: 0, failingCount: 0, warningCount: 0, passingCount: 0, runningCount: 0, noDataCount: 0 },
          canceledCount: 0,
        },
      })
    })

    it('takes an id in upper case', async () => {
      expect(await got(id.toUpperCase())).toMatchObject({ id })
    })

    it.each(['unknown', `${id}0`, id.replaceAll('-', ''), `{${id}}`, ` ${id}`, `${id}\n`, '1'])(
      'refuses an id that is no UUID: %j',
      async (journeyId) => {
        expect(await get(journeyId)).toMatchObject({
          status: 400,
          code: 'invalid_argument',
          reason: 'FIELD_INVALID',
          fields: ['id'],
        })
      },
    )

    it('shows a journey to its requester and to the manager of the requester, without a role in its team', async () => {
      for (const userId of [fixture.users.requester, fixture.users.requesterManager]) {
        const token = await insertUserToken(service.database, { userId })
        expect(await got(fixture.journeys.it, token)).toMatchObject({ id: fixture.journeys.it })
      }
    })

    it('shows the requester no other journey, and says nothing of whether there is one', async () => {
      const token = await insertUserToken(service.database, { userId: fixture.users.requester })
      const hidden = await get(fixture.journeys.people, token)
      expect(hidden).toMatchObject({ status: 404, code: 'not_found', reason: 'RESOURCE_NOT_FOUND' })
      const foreign = await get(fixture.journeys.globex, token)
      const missing = await get('018f3b7a-0000-7000-8000-00000000ffff', token)
      for (const other of [foreign, missing]) {
        expect(other).toMatchObject({ status: 404, reason: 'RESOURCE_NOT_FOUND', message: hidden.message })
      }
    })

    it('does not take a key for the person of the same id', async () => {
      const { database } = service
      const { token } = await insertApiKey(database, {
        ...{ id: fixture.users.requester, organizationId: fixture.acme, teamId: fixture.people },
      })
      const outcome = await get(fixture.journeys.it, token)
      await database.execute('DELETE FROM api_keys WHERE id = $1', [fixture.users.requester])
      expect(outcome).toMatchObject({ status: 404, reason: 'RESOURCE_NOT_FOUND' })
    })
  })

  it('follows the clock: a task is overdue from the day after its due date', async () => {
    const overdue = async () => {
      const { answer } = await callMethod(service, method, { door: 'REST', token: organizationKey, request: { id } })
      return answer.json.data.tasks.map(({ isOverdue }: { isOverdue: boolean }) => isOverdue)
    }
    expect(await overdue()).toEqual([false, true, false, false])
    service.runtime.advance(2 * 86_400_000)
    expect(await overdue()).toEqual([false, true, true, false])
    service.runtime.advance(-2 * 86_400_000)
  })

  it('is one snapshot: no answer mixes what was before a write with what came after it', async () => {
    const { database } = service
    const journeyId = fixture.journeys.people
    await insertRow(database, 'journey_tasks', {
      ...{
        organization_id: fixture.acme,
        journey_id: journeyId,
        id: taskId(50),
        position: 0,
        name: '0',
        status: 'TODO',
      },
    })
    await database.execute(`UPDATE journeys SET name = '0' WHERE id = $1`, [journeyId])
    let isWriting = true
    const write = async () => {
      for (let round = 1; round <= 40; round++) {
        await database.preparedTransaction(async (sql) => {
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
          ...{ door: 'REST', token: organizationKey, request: { id: journeyId } },
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

const unset = { description: '', assignedToUserId: '', dependsOnIds: [], isStatusCheck: false, pollingIntervalMs: 0 }
const expectedTasks = [
  {
    ...{ id: taskId(1), parentTaskId: '', name: 'Done', ...unset, status: 'JOURNEY_TASK_STATUS_DONE' },
    ...{ dueDate: dayFromToday(-3).date, isOverdue: false },
    latestWorkflowCall: { ...workflowCall, statusUpdatedAt: '2026-01-31T10:00:00.000Z' },
  },
  {
    ...{ id: taskId(2), parentTaskId: '', name: 'Late', description: 'Long ago', assignedToUserId: 'it-agent' },
    ...{ status: 'JOURNEY_TASK_STATUS_IN_PROGRESS', dependsOnIds: [taskId(1)], dueDate: dayFromToday(-1).date },
    ...{ isOverdue: true, isStatusCheck: true, pollingIntervalMs: 60_000, latestWorkflowCall: workflowCall },
  },
  {
    ...{ id: taskId(3), parentTaskId: taskId(2), name: 'Today', ...unset, status: 'JOURNEY_TASK_STATUS_TODO' },
    ...{ dueDate: dayFromToday(0).date, isOverdue: false },
  },
  {
    ...{ id: taskId(4), parentTaskId: '', name: 'Canceled', ...unset, status: 'JOURNEY_TASK_STATUS_CANCELED' },
    ...{ dueDate: dayFromToday(-9).date, isOverdue: false },
  },
]

const checkStatuses = ['FAILING', 'FAILING', 'WARNING', 'PASSING', 'RUNNING', 'NO_DATA', 'CANCELED', 'UNSPECIFIED']
const expectedHealthChecks = checkStatuses.map((status, index) => ({
  ...{ id: `check-${index}`, taskId: taskId(2), subtaskId: '', workflowId: 'workflow-1', workflowName: 'Laptop' },
  ...{ workflowCallId: 'call-1', runId: 'run-1', type: 'JOURNEY_HEALTH_CHECK_TYPE_STATUS_CHECK' },
  status: `JOURNEY_HEALTH_CHECK_STATUS_${status}`,
  ...(index === 0 && { dueDate: { year: 2026, month: 2, day: 3 } }),
}))

const expectedFailures = [
  {
    ...{ workflowCallId: 'call-1', runId: 'run-1', workflowId: 'workflow-1', workflowName: 'Laptop', subtaskId: '' },
    ...{ taskId: taskId(2), runStatus: 'WORKFLOW_RUN_STATUS_FAILED', validationErrors, statusCheckResult },
    ...{ runResult: 'no stock', runCompletedAt: '2026-02-03T04:05:06.789Z' },
  },
  {
    ...{ workflowCallId: 'call-2', runId: '', workflowId: '', workflowName: '', taskId: '', subtaskId: '' },
    ...{ runStatus: 'WORKFLOW_RUN_STATUS_DENIED', runResult: '' },
  },
]

const customValues: readonly [dataType: string, value: unknown][] = [
  ['TEXT', 'text'],
  ['NUMBER', 12.5],
  ['BOOL', false],
  ['TIMESTAMP', '2026-01-31T09:05:00.000Z'],
  ['ENUM', 'red'],
  ['ENTITY_REF', 'entity-1'],
  ['USER_REF', 'it-agent'],
  ['UNIQUE', 'only-one'],
  ['MULTI_SELECT', ['a', 'b']],
  ['FILE', 'file-1'],
  ['TEXT', null],
]
const expectedCustomFields = customValues.map(([dataType, value], index) => ({
  ...{ fieldId: `field-${index}`, fieldKey: `key-${index}`, fieldName: `Field ${index}` },
  dataType: `DATA_TYPE_${dataType}`,
  ...(value !== null && { value }),
}))

/** A journey that has something of everything; its rows are written out of order. */
async function insertFullJourney({ database }: TestService): Promise<void> {
  const journey = { organization_id: fixture.acme, journey_id: id }
  await insertRow(database, 'journeys', {
    ...{ id, organization_id: fixture.acme, team_id: fixture.it, friendly_identifier: 'ONB-12', name: 'Onboarding' },
    ...{ description: 'First weeks', created_at: '2026-01-31T10:05:00+01:00', archived_at: '2026-03-01T00:00:00.001Z' },
    ...{ requester_user_id: fixture.users.viewer, due_date: '2026-02-28', metadata },
    ...{ created_by_workflow_id: 'workflow-0', created_by_workflow_name: 'Start' },
  })
  const task = (index: number, row: Readonly<Record<string, unknown>>) =>
    insertRow(database, 'journey_tasks', { ...journey, id: taskId(index), position: index, ...row })
  await task(4, { name: 'Canceled', status: 'CANCELED', due_date: dayFromToday(-9).text, depends_on_ids: [] })
  await task(2, {
    ...{ name: 'Late', status: 'IN_PROGRESS', due_date: dayFromToday(-1).text, description: 'Long ago' },
    ...{ assigned_to_user_id: 'it-agent', depends_on_ids: [taskId(1)], is_status_check: true },
    ...{ polling_interval_ms: 60_000, latest_workflow_call: workflowCall },
  })
  await task(3, { name: 'Today', status: 'TODO', due_date: dayFromToday(0).text, parent_task_id: taskId(2) })
  await task(1, {
    ...{ name: 'Done', status: 'DONE', due_date: dayFromToday(-3).text },
    latest_workflow_call: { ...workflowCall, statusUpdatedAt: '2026-01-31T10:00:00.000Z' },
  })
  for (const [index, status] of [...checkStatuses.entries()].reverse()) {
    await insertRow(database, 'journey_health_checks', {
      ...{ ...journey, id: `check-${index}`, position: index, task_id: taskId(2), workflow_id: 'workflow-1' },
      ...{ workflow_name: 'Laptop', workflow_call_id: 'call-1', run_id: 'run-1', type: 'STATUS_CHECK', status },
      due_date: index === 0 ? '2026-02-03' : null,
    })
  }
  await insertRow(database, 'journey_workflow_failures', {
    ...{ ...journey, position: 1, workflow_call_id: 'call-2', run_status: 'DENIED' },
  })
  await insertRow(database, 'journey_workflow_failures', {
    ...{ ...journey, position: 0, workflow_call_id: 'call-1', run_id: 'run-1', workflow_id: 'workflow-1' },
    ...{ workflow_name: 'Laptop', task_id: taskId(2), run_status: 'FAILED', run_result: 'no stock' },
    ...{ validation_errors: validationErrors, status_check_result: statusCheckResult },
    run_completed_at: '2026-02-03T04:05:06.789Z',
  })
  for (const [index, [dataType, value]] of [...customValues.entries()].reverse()) {
    await insertRow(database, 'journey_custom_fields', {
      ...{ ...journey, field_id: `field-${index}`, position: index, field_key: `key-${index}` },
      ...{ field_name: `Field ${index}`, data_type: dataType, value: value === null ? null : JSON.stringify(value) },
    })
  }
}
