import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals'
import { fixture, insertFixture, insertUserToken } from '../support/fixture.js'
import { callMethod, formsOf, protocols, type RequestJson } from '../support/method-forms.js'
import { startTestService, type TestService } from '../support/service.js'

const { appInstances, appResources, users } = fixture

let service: TestService
let admin: string
let manager: string
let both: string
beforeAll(async () => {
  service = await startTestService()
  await insertFixture(service.database)
  admin = await insertUserToken(service.database, { userId: users.admin })
  manager = await insertUserToken(service.database, { userId: users.manager })
  both = await insertUserToken(service.database, { userId: users.both })
})
afterAll(() => service.stop())

describe.each(protocols)('over %s', (protocol) => {
  const call = (name: string, request: RequestJson, token = manager) =>
    callMethod(service, formsOf(name), { protocol, request, token })
  const entry = (values: RequestJson = {}) => ({
    appInstanceId: appInstances.it,
    resourceType: 'group',
    name: 'New',
    ...values,
  })
  const batch = (resources: readonly RequestJson[], token?: string) =>
    call('BatchCreateAppResources', { resources }, token)
  const count = async () => {
    const [row] = await service.database.query<{ count: number }>('SELECT count(*)::int AS count FROM app_resources')
    return row?.count
  }
  beforeEach(async () => {
    await service.database.execute('DELETE FROM audit_events')
    await service.database.execute(`DELETE FROM app_resources WHERE id <> ALL ($1)`, [Object.values(appResources)])
  })

  it('creates a batch in the order of its entries, each in the team of its app instance, and records each', async () => {
    const { status, answer } = await batch(
      [
        entry({ name: 'One', externalId: 'new-1', scopedId: 'ares_new', tagIds: ['tag-1'] }),
        entry({ name: 'Two', appInstanceId: appInstances.people, resourceType: 'role', description: 'Second' }),
      ],
      admin,
    )
    const made = { id: expect.any(String), description: '', externalId: '', tagIds: [] }
    const scopedId = expect.stringMatching(/^ares_[0-9a-z]{16}$/)
    expect([status, answer.json.data]).toEqual([
      200,
      [
        { ...made, ...entry({ name: 'One', externalId: 'new-1', scopedId: 'ares_new', tagIds: ['tag-1'] }) },
        {
          ...made,
          ...entry({ name: 'Two', appInstanceId: appInstances.people, resourceType: 'role', description: 'Second' }),
          scopedId,
        },
      ],
    ])
    const [one, two] = answer.json.data
    const rows = await service.database.query<{ target: string; team: string; action: string }>(
      'SELECT target_id AS target, team_id AS team, action FROM audit_events ORDER BY id',
    )
    expect(rows).toEqual([
      { target: one.id, team: fixture.it, action: 'app_resource.create' },
      { target: two.id, team: fixture.people, action: 'app_resource.create' },
    ])
    expect((await call('GetAppResource', { id: one.id })).answer.json.data).toEqual(one)
  })

  it.each<[string, RequestJson[], { reason: string; fields?: string[]; message?: string }]>([
    [
      'external ids that others have',
      [entry(), entry({ externalId: 'external-it' }), entry({ externalId: 'external-it-2' })],
      { reason: 'EXTERNAL_ID_TAKEN', fields: ['resources[1].externalId', 'resources[2].externalId'] },
    ],
    [
      'a handle that another has',
      [entry({ scopedId: 'ares_it' })],
      { reason: 'SCOPED_ID_TAKEN', fields: ['resources[0].scopedId'] },
    ],
    [
      'values that it repeats',
      [entry({ externalId: 'x', scopedId: 'y' }), entry({ externalId: 'x', scopedId: 'y' })],
      { reason: 'DUPLICATE_ID', fields: ['resources[1].externalId', 'resources[1].scopedId'] },
    ],
    [
      'texts outside their limits',
      [entry({ name: '' }), entry({ resourceType: 'x'.repeat(256) })],
      { reason: 'FIELD_REQUIRED', fields: ['resources[0].name', 'resources[1].resourceType'] },
    ],
    [
      'an app instance that is hidden',
      [entry(), entry({ appInstanceId: appInstances.people })],
      {
        reason: 'RESOURCE_NOT_FOUND',
        message: 'resources[1].appInstanceId: app instance not found: it does not exist, or you have no access to it',
      },
    ],
    ['no entries', [], { reason: 'BATCH_SIZE_OUT_OF_RANGE' }],
    ['1,001 entries', Array.from({ length: 1_001 }, () => entry()), { reason: 'BATCH_SIZE_OUT_OF_RANGE' }],
  ])('refuses a batch with %s, names each entry at fault, and writes nothing', async (_, resources, refusal) => {
    const before = await count()
    expect(await batch(resources)).toMatchObject(refusal)
    expect(await count()).toBe(before)
    expect(await service.database.query('SELECT FROM audit_events')).toEqual([])
  })

  it('refuses a batch for a team in which the caller may only read', async () => {
    const outcome = await batch([entry(), entry({ appInstanceId: appInstances.people })], both)
    expect([outcome.status, outcome.reason]).toEqual([403, 'PERMISSION_MISSING'])
  })

  it('lets only one of several batches have the values that all of them claim', async () => {
    const ids = Array.from({ length: 20 }, (_, index) => `claimed-${index}`)
    const rows = ids.map((externalId) => entry({ externalId, scopedId: externalId }))
    const outcomes = await Promise.all([0, 1, 2, 3].map((n) => batch(n % 2 === 0 ? rows : rows.toReversed())))
    expect(outcomes.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409, 409, 409])
  })

  it.each<[RequestJson, string, string]>([
    [{ externalId: 'external-it' }, 'EXTERNAL_ID_TAKEN', 'external id'],
    [{ scopedId: 'ares_it' }, 'SCOPED_ID_TAKEN', 'short handle'],
  ])('refuses to create a resource with a taken value: %j', async (values, reason) => {
    const outcome = await call('CreateAppResource', entry(values))
    expect([outcome.status, outcome.reason]).toEqual([409, reason])
  })

  it('lists by every combination of filters, and by name with q, page by page', async () => {
    const names = ['Beta', 'alpha', 'ALPINE', 'al_x', 'alp%', 'Gamma', 'alphabet']
    const entries = [appInstances.it, appInstances.itSecond].flatMap((appInstanceId) =>
      ['group', 'role'].flatMap((resourceType) =>
        names.map((name, index) => entry({ appInstanceId, resourceType, name, externalId: `e-${index}` })),
      ),
    )
    const made: Record<string, string>[] = (await batch(entries)).answer.json.data
    const all: Record<string, string>[] = [...(await allOf({}))]
    expect(all.length).toBe(made.length + 2)
    const wordsOf = (text = '') => text.toLowerCase().match(/[a-z0-9]+/g) ?? []
    for (const appInstanceId of ['', appInstances.itSecond, appInstances.people]) {
      for (const resourceType of ['', 'role', 'nothing']) {
        for (const externalId of ['', 'e-1']) {
          for (const q of ['', 'al', 'AL', 'alp%', 'x al', 'z']) {
            const filters = { appInstanceId, resourceType, externalId, q }
            const wanted = all.filter(
              (each) =>
                Object.entries(filters).every(([key, value]) => key === 'q' || value === '' || each[key] === value) &&
                wordsOf(q).every((word) => wordsOf(each['name']).some((other) => other.startsWith(word))),
            )
            expect([filters, await allOf(filters)]).toEqual([filters, wanted])
          }
        }
      }
    }
    async function allOf(filters: Record<string, string>) {
      const given = Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== ''))
      const seen: Record<string, string>[] = []
      let pageToken = ''
      do {
        const page = { pageSize: 5, pageToken, includeTotal: true }
        const { data, nextPageToken, totalSize } = (await call('ListAppResources', { ...given, ...page })).answer.json
        seen.push(...data)
        pageToken = nextPageToken
        if (pageToken === '') expect(totalSize).toBe(seen.length)
      } while (pageToken !== '')
      return seen
    }
  })

  it('deletes no app instance under a resource that is about to be created', async () => {
    const { data } = (await call('CreateAppInstance', { teamId: fixture.it, name: 'App' })).answer.json
    const outcomes = await Promise.all([
      call('CreateAppResource', entry({ appInstanceId: data.id })),
      batch([entry({ appInstanceId: data.id })]),
      call('DeleteAppInstance', { id: data.id }),
    ])
    const deleted = outcomes.pop()
    const reasons = new Set(outcomes.map(({ reason }) => reason))
    if (deleted?.status !== 200) expect(deleted?.reason).toBe('RESOURCE_IN_USE')
    else expect([...reasons]).toEqual(['RESOURCE_NOT_FOUND'])
  })
})
