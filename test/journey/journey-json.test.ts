import { type DescMessage, fromJsonString, toJsonString } from '@bufbuild/protobuf'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import {
  DataType,
  JourneyHealthCheckStatus,
  JourneyHealthCheckType,
  JourneyTaskStatus,
  WorkflowRunStatus,
} from '../../gen/prisma/enums.js'
import {
  JourneyMetadataSchema,
  JourneyService,
  JourneyTask_LatestWorkflowCallSchema,
  WorkflowFailure_StatusCheckResultSchema,
  WorkflowFailure_ValidationErrorsSchema,
} from '../../gen/svc/v2/journey_pb.js'
import { fixture, insertApiKey, insertFixture, insertRow } from '../support/fixture.js'
import { awkwardTexts, expectAsInSchema, pathOf, standardJson } from '../support/printed-lists.js'
import { startTestService, type TestService } from '../support/service.js'

const now = Date.parse('2026-06-15T12:00:00Z')
const dueDates = ['2026-06-14', '2026-06-15', '2026-06-16', '0999-12-31', null]

/** A document as an import stores it. */
function document(desc: DescMessage, json: object): string {
  return toJsonString(desc, fromJsonString(desc, JSON.stringify(json)), { alwaysEmitImplicit: true })
}

// Over JSON a journey goes from the database to the client as text; in binary it is made of messages.
describe('the JSON of a journey', () => {
  let service: TestService
  let token: string
  const id = '018f3b7a-0000-7000-8000-0000000000aa'
  const plain = '018f3b7a-0000-7000-8000-0000000000ab'
  const taskId = (index: number) => `018f3b7a-0000-7000-8000-00000000${String(index).padStart(4, '0')}`

  beforeAll(async () => {
    service = await startTestService()
    service.runtime.advance(now - Date.now())
    await insertFixture(service.database)
    token = (await insertApiKey(service.database, { organizationId: fixture.acme })).token
    const owner = { organization_id: fixture.acme, team_id: fixture.it }
    const onboarding = { startDate: { year: 2026, month: 7, day: 1 }, welcomeMessage: awkwardTexts[1] }
    await insertRow(service.database, 'journeys', {
      id,
      ...owner,
      name: awkwardTexts[0],
      description: awkwardTexts[1],
      metadata: document(JourneyMetadataSchema, { onboarding, welcomeTitle: awkwardTexts[0] }),
    })
    await insertRow(service.database, 'journeys', {
      id: plain,
      ...owner,
      name: 'Plain',
      metadata: document(JourneyMetadataSchema, { welcomeTitle: 'Hi' }),
    })
    await insertTasks()
    await insertChecks()
    await insertFailures()
    await insertFields()
  })
  afterAll(() => service.stop())

  /** One task of every status with every due date. */
  async function insertTasks(): Promise<void> {
    const runStatuses = Object.keys(WorkflowRunStatus).map((name) => `WORKFLOW_RUN_STATUS_${name}`)
    const pairs = Object.values(JourneyTaskStatus).flatMap((status) =>
      dueDates.map((due_date) => ({ status, due_date })),
    )
    for (const [index, pair] of pairs.entries()) {
      const call = {
        id: awkwardTexts[index % 2],
        workflowId: 'w',
        workflowName: awkwardTexts[1],
        runId: '',
        runStatus: runStatuses[index % runStatuses.length],
        createdAt: '2026-01-31T09:05:00.000Z',
        ...(index % 3 === 0 && { statusUpdatedAt: '2026-01-31T09:06:00.000Z' }),
        formConfirmationRequired: index % 2 === 0,
        formConfirmationResponse: index % 4 === 0,
      }
      await insertRow(service.database, 'journey_tasks', {
        organization_id: fixture.acme,
        journey_id: id,
        id: taskId(index),
        position: index,
        name: awkwardTexts[index % 2],
        ...pair,
        description: awkwardTexts[0],
        assigned_to_user_id: index === 0 ? '' : fixture.users.agent,
        is_status_check: index % 2 === 0,
        polling_interval_ms: index * 1000,
        ...(index > 0 && { parent_task_id: taskId(0), depends_on_ids: [taskId(0), taskId(index - 1)] }),
        ...(index % 4 !== 3 && { latest_workflow_call: document(JourneyTask_LatestWorkflowCallSchema, call) }),
      })
    }
  }

  /** One check of every status with every type. */
  async function insertChecks(): Promise<void> {
    const pairs = Object.values(JourneyHealthCheckStatus).flatMap((status) =>
      Object.values(JourneyHealthCheckType).map((type) => ({ status, type })),
    )
    for (const [index, pair] of pairs.entries()) {
      await insertRow(service.database, 'journey_health_checks', {
        organization_id: fixture.acme,
        journey_id: id,
        id: `check-${index}`,
        position: index,
        ...pair,
        due_date: dueDates[index % 5],
        workflow_name: awkwardTexts[index % 2],
        run_id: awkwardTexts[0],
        task_id: taskId(0),
      })
    }
  }

  /** Failures with every document and without one, of every status. */
  async function insertFailures(): Promise<void> {
    const [text = '', other = ''] = awkwardTexts
    const validationErrors = { displayMessage: text, fieldErrors: { [other]: text }, translations: {} }
    const statusCheckResult = { isComplete: true, message: other, messageTranslations: { de: text } }
    for (const [index, status] of Object.values(WorkflowRunStatus).entries()) {
      await insertRow(service.database, 'journey_workflow_failures', {
        organization_id: fixture.acme,
        journey_id: id,
        position: index,
        run_status: status,
        run_result: awkwardTexts[index % 2],
        ...(index % 2 === 0 && {
          validation_errors: document(WorkflowFailure_ValidationErrorsSchema, validationErrors),
        }),
        ...(index % 3 === 0 && {
          status_check_result: document(WorkflowFailure_StatusCheckResultSchema, statusCheckResult),
        }),
        ...(index % 2 === 1 && { run_completed_at: '2026-02-03T04:05:06.789Z' }),
      })
    }
  }

  /** One custom field of every type, with every kind of value. */
  async function insertFields(): Promise<void> {
    const values = [null, 0, -1.5, 1e21, 5e-324, true, '', ...awkwardTexts, [], ['a', 'b'], { key: null, list: [null] }]
    const types = Object.values(DataType)
    for (const [index, value] of values.entries()) {
      await insertRow(service.database, 'journey_custom_fields', {
        organization_id: fixture.acme,
        journey_id: id,
        field_id: `field-${index}`,
        position: index,
        data_type: types[index % types.length],
        field_key: awkwardTexts[0],
        field_name: awkwardTexts[1],
        ...(index > 0 && { value: JSON.stringify(value) }),
      })
    }
  }

  const method = JourneyService.method.getJourney

  it.each([
    ['every status, date and awkward text', id],
    ['nothing but its name', fixture.journeys.it],
    ['a document without what is optional', plain],
  ])('matches its messages: %s', async (_, journeyId) => {
    const standard = await standardJson(service, method, { token, request: { id: journeyId } })
    const rest = await service.rest('GET', `/v2/journeys/${journeyId}`, { token })
    const connect = await service.rest('POST', pathOf(method), { token, json: { id: journeyId } })
    // `toStrictEqual`: what is left out is no null.
    expect(JSON.parse(rest.text)).toStrictEqual(JSON.parse(standard))
    expectAsInSchema(rest.text, standard)
    expect(rest.text).toBe(`${connect.text}\n`)
  })

  it('reports an open task as overdue only after its due date', async () => {
    const { json } = await service.rest('GET', `/v2/journeys/${id}`, { token })
    const open = ['JOURNEY_TASK_STATUS_UNSPECIFIED', 'JOURNEY_TASK_STATUS_TODO', 'JOURNEY_TASK_STATUS_IN_PROGRESS']
    const late: string[] = []
    for (const { status, isOverdue, dueDate } of json.data.tasks) {
      const isPast = dueDate !== undefined && (dueDate.year === 999 || dueDate.day === 14)
      expect([isOverdue, `${status} ${JSON.stringify(dueDate)}`]).toEqual([
        isPast && open.includes(status),
        `${status} ${JSON.stringify(dueDate)}`,
      ])
      if (isOverdue) late.push(status)
    }
    expect(new Set(late)).toEqual(new Set(open))
  })

  it('counts every task and check', async () => {
    const { json } = await service.rest('GET', `/v2/journeys/${id}`, { token })
    const { progressPercent, currentTaskIndex, healthCheckCounts, tasks, healthChecks } = json.data
    expect([tasks.length, healthChecks.length]).toEqual([25, 28])
    expect(progressPercent).toBe(25)
    expect(tasks[currentTaskIndex].status).toBe('JOURNEY_TASK_STATUS_UNSPECIFIED')
    expect(healthCheckCounts).toEqual({
      totalCount: 28,
      failingCount: 4,
      warningCount: 4,
      passingCount: 4,
      runningCount: 4,
      noDataCount: 4,
      canceledCount: 4,
    })
  })
})
