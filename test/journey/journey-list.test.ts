import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { fixture, insertApiKey, insertFixture, insertUserToken } from '../support/fixture.js'
import { callMethod, formsOf, type Outcome, protocols, type RequestJson } from '../support/method-forms.js'
import { startTestService, type TestService } from '../support/service.js'
import { importLines, line } from '../transfer/transfer-text.js'

/** What matters of a journey. */
interface Journey {
  readonly id: string
  readonly name: string
  readonly teamId: string
  readonly requesterUserId: string
  readonly archivedAt?: string
  readonly tasks: readonly {
    readonly id: string
    readonly dependsOnIds: readonly string[]
    readonly status: string
    readonly isOverdue: boolean
    readonly dueDate?: { readonly year: number; readonly month: number; readonly day: number }
  }[]
  readonly healthChecks: readonly { readonly status: string }[]
}

interface Filters {
  readonly teamId?: string
  readonly requesterUserId?: string
  readonly isArchived?: boolean
  readonly isOverdue?: boolean
  readonly isFailing?: boolean
  /** Two beginnings of words. */
  readonly q?: string
}

const { acme, globex, it: team, people, users } = fixture
const now = Date.parse('2026-06-15T12:00:00Z')
const DAY = 86_400_000

const uuid = (kind: number, n: number) => `018f3b7a-0000-700${kind}-8000-${String(n).padStart(12, '0')}`
const journeyId = (n: number) => uuid(1, n)
const dateIn = (days: number) => {
  const date = new Date(now + days * DAY)
  return { year: date.getUTCFullYear(), month: date.getUTCMonth() + 1, day: date.getUTCDate() }
}

/** A task: the days until it is due, if it is, and its status. */
type Task = readonly [days: number | undefined, status: string]

/** The record of a journey with such tasks and checks; its other values follow from its number, in all combinations. */
function journeyLine(n: number, tasks: readonly Task[], checks: readonly string[]): string {
  return line('journey', {
    id: journeyId(n),
    teamId: n % 2 === 0 ? team : people,
    name: `Journey ${n}`,
    createdAt: '2026-01-31T09:05:00.000Z',
    ...(n % 3 === 0 && { archivedAt: '2026-06-01T00:00:00.000Z' }),
    ...(n % 5 === 0 && { requesterUserId: users.requester }),
    ...(n % 5 === 1 && { requesterUserId: users.viewer, requesterManagerUserId: users.requester }),
    ...(n % 5 === 2 && { requesterUserId: users.guest, requesterManagerUserId: users.guest }),
    dueDate: dateIn(-9),
    metadata: { welcomeTitle: 'Welcome' },
    createdByWorkflow: { id: 'workflow', name: 'Workflow' },
    tasks: tasks.map(([days, status], index) => ({
      id: uuid(2, 100 * n + index),
      name: 'Task',
      // Each waits for the one before, but for every third.
      dependsOnIds: index % 3 === 0 ? [] : [uuid(2, 100 * n + index - 1)],
      status: `JOURNEY_TASK_STATUS_${status}`,
      ...(days !== undefined && { dueDate: dateIn(days) }),
    })),
    healthChecks: checks.map((status, index) => ({
      id: `check-${index}`,
      type: 'JOURNEY_HEALTH_CHECK_TYPE_STATUS_CHECK',
      status: `JOURNEY_HEALTH_CHECK_STATUS_${status}`,
    })),
    workflowFailures: [{ runId: 'run', runStatus: 'WORKFLOW_RUN_STATUS_FAILED' }],
    customFields: [{ fieldId: 'field', dataType: 'DATA_TYPE_TEXT', value: 'kept' }],
  })
}

const taskLists: readonly (readonly Task[])[] = [
  [],
  [[-1, 'TODO']],
  [[0, 'IN_PROGRESS']],
  [
    [undefined, 'TODO'],
    [-8, 'DONE'],
    [-7, 'CANCELED'],
    [-2, 'UNSPECIFIED'],
  ],
  [
    [-4, 'DONE'],
    [-4, 'CANCELED'],
    [undefined, 'TODO'],
  ],
  [
    [5, 'TODO'],
    [1, 'TODO'],
  ],
  [
    [5, 'TODO'],
    [-30, 'IN_PROGRESS'],
  ],
]
const checkLists = [[], ['PASSING', 'FAILING'], ['WARNING', 'CANCELED'], ['FAILING']]
const COUNT = 62

let service: TestService
let key: string
/** All journeys of the organization as GetJourney returns them, in the order of their creation. */
let all: readonly Journey[]

const call = (request: RequestJson, token = key, protocol: (typeof protocols)[number] = 'REST'): Promise<Outcome> =>
  callMethod(service, formsOf('ListJourneys'), { protocol, request, token })
const get = (id: string, token = key) => service.rest('GET', `/v2/journeys/${id}`, { token })

/** All pages of a list, whose total is counted on each. */
async function walk(filters: Filters, { token = key, pageSize = 7 } = {}): Promise<Journey[]> {
  const seen: Journey[] = []
  const totals = new Set<number>()
  let pageToken = ''
  do {
    const { answer } = await call({ ...filters, pageSize, includeTotal: true, ...(pageToken && { pageToken }) }, token)
    expect([answer.status, answer.text]).toEqual([200, answer.text])
    seen.push(...answer.json.data)
    totals.add(answer.json.totalSize)
    pageToken = answer.json.nextPageToken
    expect(pageToken === '' || answer.json.data.length === pageSize).toBe(true)
  } while (pageToken !== '')
  expect([...totals]).toEqual([seen.length])
  return seen
}

/** The tasks of a journey that are neither done nor canceled, nor wait for such a task. */
function nextTasks({ tasks }: Journey): Journey['tasks'] {
  const open = tasks.filter(({ status }) => !/_(?:DONE|CANCELED)$/.test(status))
  const isOpen = (id: string) => open.some((task) => task.id === id)
  return open.filter(({ dependsOnIds }) => !dependsOnIds.some(isOpen))
}
const idsOf = (journeys: readonly Journey[]) => journeys.map(({ id }) => id)

const isOverdue = ({ tasks }: Journey) => tasks.some((task) => task.isOverdue)
const isFailing = ({ healthChecks }: Journey) =>
  healthChecks.some(({ status }) => status === 'JOURNEY_HEALTH_CHECK_STATUS_FAILING')

/** The earliest due date of a task that is neither done nor canceled, as a number; infinity if there is none. */
const earliestDue = ({ tasks }: Journey) =>
  Math.min(
    ...tasks.flatMap(({ status, dueDate }) =>
      dueDate === undefined || /_(?:DONE|CANCELED)$/.test(status)
        ? []
        : [dueDate.year * 10_000 + dueDate.month * 100 + dueDate.day],
    ),
  )

/** What the list of a filter has to show of all these journeys. */
function expected(journeys: readonly Journey[], filters: Filters): readonly Journey[] {
  const found = journeys.filter((each) => {
    const isArchived = each.archivedAt !== undefined
    return (
      (filters.teamId ?? each.teamId) === each.teamId &&
      (filters.requesterUserId ?? each.requesterUserId) === each.requesterUserId &&
      (filters.isArchived ?? isArchived) === isArchived &&
      (filters.isOverdue ?? isOverdue(each)) === isOverdue(each) &&
      (filters.isFailing ?? isFailing(each)) === isFailing(each) &&
      (filters.q ?? '').split(' ').every((begin) => new RegExp(`\\b${begin}`, 'i').test(each.name))
    )
  })
  if (filters.isOverdue === undefined) return found
  // Infinity minus itself is not a number.
  return found.toSorted((a, b) => earliestDue(a) - earliestDue(b) || 0)
}

beforeAll(async () => {
  service = await startTestService()
  service.runtime.advance(now - Date.now())
  const { database } = service
  await insertFixture(database)
  key = (await insertApiKey(database, { organizationId: acme })).token
  const lines = Array.from({ length: COUNT }, (_, n) =>
    journeyLine(n, taskLists[n % taskLists.length] ?? [], checkLists[n % checkLists.length] ?? []),
  )
  await importLines(database, lines)
  const ids = [fixture.journeys.it, fixture.journeys.people, ...lines.map((_, n) => journeyId(n))]
  all = await Promise.all(ids.map(async (id) => (await get(id)).json.data))
})
afterAll(() => service.stop())

describe.each(protocols)('the list of journeys over %s', (protocol) => {
  it('has what GetJourney returns without the parts, in creation order, and if asked for the total and the next tasks', async () => {
    const { answer } = await call({}, key, protocol)
    const parts = { tasks: [], healthChecks: [], workflowFailures: [], customFields: [] }
    expect(answer.json).toEqual({ data: all.map((each) => ({ ...each, ...parts })), nextPageToken: '' })
    const withNext = (await call({ includeNextTasks: true }, key, protocol)).answer.json
    expect(withNext.data).toEqual(all.map((each) => ({ ...each, ...parts, tasks: nextTasks(each) })))
    const counted = await call({ includeTotal: true, pageSize: 1 }, key, protocol)
    expect([counted.answer.json.data.length, counted.answer.json.totalSize]).toEqual([1, all.length])
  })

  it('accepts a token only with its filters, whatever the size of the page', async () => {
    const { nextPageToken: pageToken } = (await call({ pageSize: 3, isOverdue: false }, key, protocol)).answer.json
    const next = await call({ pageSize: 2, isOverdue: false, pageToken }, key, protocol)
    expect(idsOf(next.answer.json.data)).toEqual(idsOf(expected(all, { isOverdue: false }).slice(3, 5)))
    const otherKey = (await insertApiKey(service.database, { organizationId: globex })).token
    const others: readonly (readonly [RequestJson, string?])[] = [
      [{}],
      [{ isOverdue: true }],
      [{ isOverdue: false, isFailing: false }],
      [{ isOverdue: false, teamId: team }],
      [{ isArchived: false }],
      [{ isOverdue: false }, otherKey],
    ]
    for (const [filters, token] of others) {
      const { status, reason, fields } = await call({ ...filters, pageToken }, token, protocol)
      expect([filters, status, reason, fields]).toEqual([filters, 400, 'PAGE_TOKEN_INVALID', ['pageToken']])
    }
  })

  it.each([
    { teamId: fixture.globexIt },
    { teamId: 'nowhere' },
    { requesterUserId: users.globexAdmin },
    { requesterUserId: 'nobody' },
  ])('is empty for what does not exist or is hidden: %j', async (filter) => {
    const { answer } = await call({ ...filter, includeTotal: true }, key, protocol)
    expect(answer.json).toEqual({ data: [], nextPageToken: '', totalSize: 0 })
  })
})

describe('the list of journeys', () => {
  const either = [undefined, true, false]
  const filters = [undefined, team, people].flatMap((teamId) =>
    [undefined, users.requester].flatMap((requesterUserId) =>
      either.flatMap((isArchived) =>
        either.flatMap((overdue) =>
          either.map((failing) => ({ teamId, requesterUserId, isArchived, isOverdue: overdue, isFailing: failing })),
        ),
      ),
    ),
  )

  it('has, page by page, what matches every combination of filters, in the order of the filter', async () => {
    for (const each of filters) {
      const given: Filters = JSON.parse(JSON.stringify(each))
      expect([given, idsOf(await walk(given))]).toEqual([given, idsOf(expected(all, given))])
    }
  })

  it.each(either)('finds words of names among those with isOverdue %s', async (overdue) => {
    const given: Filters = { q: '1 journ', ...(overdue !== undefined && { isOverdue: overdue }) }
    const found = idsOf(expected(all, given))
    expect(found.length).toBeGreaterThan(1)
    expect(idsOf(await walk(given))).toEqual(found)
  })

  it('begins with those that are overdue the longest, or with those that will be next', async () => {
    const [late, next] = [await walk({ isOverdue: true }), await walk({ isOverdue: false })]
    const due = new Map(all.map((each) => [each.id, earliestDue(each)]))
    expect(due.get(late[0]?.id ?? '')).toBe(20_260_516)
    expect(due.get(next[0]?.id ?? '')).toBe(20_260_615)
    expect(due.get(next.at(-1)?.id ?? '')).toBe(Number.POSITIVE_INFINITY)
  })

  const callers: Record<string, () => Promise<string>> = {
    'an organization key': async () => key,
    'a team key': async () => (await insertApiKey(service.database, { organizationId: acme, teamId: people })).token,
    'a team key with the id of a requester': async () =>
      (await insertApiKey(service.database, { id: users.requester, organizationId: acme, teamId: people })).token,
    'a worker': async () => (await insertApiKey(service.database, { organizationId: acme, kind: 'wk' })).token,
    ...Object.fromEntries(
      Object.values(users)
        .filter((userId) => userId !== users.globexAdmin)
        .map((userId) => [userId, () => insertUserToken(service.database, { userId })]),
    ),
  }

  it.each(Object.entries(callers))('shows %s exactly what GetJourney does, once', async (_, tokenOf) => {
    const token = await tokenOf()
    const statuses = await Promise.all(all.map(async ({ id }) => (await get(id, token)).status))
    const visible = all.filter((_each, index) => statuses[index] === 200)
    for (const given of [{}, { isOverdue: true }, { isOverdue: false }, { teamId: people }, { isFailing: true }]) {
      expect([given, idsOf(await walk(given, { token, pageSize: 5 }))]).toEqual([
        given,
        idsOf(expected(visible, given)),
      ])
    }
  })

  it('is empty for a member without a team who has requested nothing, and refused to a key without the permission', async () => {
    const { database } = service
    const token = await insertUserToken(database, { userId: users.globexAdmin, organizationId: globex })
    expect(idsOf(await walk({}, { token }))).toEqual([fixture.journeys.globex])
    await database.execute('UPDATE memberships SET role = $1 WHERE user_id = $2', ['ORG_GUEST', users.globexAdmin])
    const stranger = await insertUserToken(database, { userId: users.globexAdmin, organizationId: globex })
    expect(await walk({}, { token: stranger })).toEqual([])
    const permissions = ['tickets:write', 'apps:read'] as const
    const without = await insertApiKey(database, { organizationId: acme, permissions })
    expect(await call({}, without.token)).toMatchObject({ status: 403, reason: 'PERMISSION_MISSING' })
  })

  it('follows the clock: what is due today is overdue from midnight in UTC', async () => {
    const dueToday = idsOf(all.filter((each) => earliestDue(each) === 20_260_615))
    const before = idsOf(await walk({ isOverdue: true }))
    const HOUR = 3_600_000
    service.runtime.advance(11 * HOUR)
    expect(idsOf(await walk({ isOverdue: true }))).toEqual(before)
    service.runtime.advance(HOUR)
    try {
      expect(idsOf(await walk({ isOverdue: true }))).toEqual([...before, ...dueToday])
      expect(idsOf(await walk({ isOverdue: false }))).not.toContain(dueToday[0])
    } finally {
      service.runtime.advance(-12 * HOUR)
    }
  })

  it('follows what an import makes of tasks and checks', async () => {
    const n = COUNT + 2
    const found = async () => {
      const listed = async (filter: Filters) => idsOf(await walk(filter)).includes(journeyId(n))
      return [await listed({ isOverdue: true }), await listed({ isFailing: true })]
    }
    const states: readonly (readonly [readonly Task[], readonly string[], readonly boolean[]])[] = [
      [[[-3, 'TODO']], ['FAILING'], [true, true]],
      [[[-3, 'DONE']], ['FAILING'], [false, true]],
      [
        [
          [-3, 'DONE'],
          [-2, 'TODO'],
        ],
        ['PASSING'],
        [true, false],
      ],
      [[[2, 'TODO']], [], [false, false]],
      [[[-3, 'TODO']], ['FAILING'], [true, true]],
      [[], [], [false, false]],
    ]
    for (const [tasks, checks, result] of states) {
      await importLines(service.database, [journeyLine(n, tasks, checks)])
      expect(await found()).toEqual(result)
    }
    await service.database.execute('DELETE FROM journeys WHERE id = $1', [journeyId(n)])
  })
})
