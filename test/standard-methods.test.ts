import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals'
import { fixture, insertApiKey, insertFixture, insertUserToken } from './support/fixture.js'
import { callMethod, doors, type Outcome, type RequestJson } from './support/method-doors.js'
import { startTestService, type TestService } from './support/service.js'
import { methodsOf, type StandardVerb, standardMethod, standardSamples, tableOf } from './support/standard-resources.js'

const unknown = '018f3b7a-0000-7000-8000-00000000ffff'

describe.each(standardSamples)('the standard methods of $name', (sample) => {
  const verbs = methodsOf(sample).map(([verb]) => verb)
  const changing = verbs.filter((verb) => verb === 'Update' || verb === 'Delete')
  let service: TestService
  let manager: string
  let viewer: string
  let everything: string

  beforeAll(async () => {
    service = await startTestService()
    const { database } = service
    await insertFixture(database)
    manager = await insertUserToken(database, { userId: fixture.users.manager })
    viewer = await insertUserToken(database, { userId: fixture.users.viewer })
    everything = (await insertApiKey(database, { organizationId: fixture.acme })).token
  })
  afterAll(() => service.stop())
  beforeEach(() => service.database.execute('DELETE FROM audit_events'))

  const events = () =>
    service.database.query<{ action: string; targetId: string; teamId: string; fields: string[] }>(
      `SELECT action, target_id AS "targetId", team_id AS "teamId", changed_fields AS fields FROM audit_events`,
    )

  describe.each(doors)('over %s', (door) => {
    const call = (verb: StandardVerb, request: RequestJson, token = manager, headers = {}): Promise<Outcome> =>
      callMethod(service, standardMethod(sample, verb), { door, request, token, headers })
    const made = async (n: number) => {
      const { status, answer } = await call('Create', sample.create(n))
      expect(status).toBe(200)
      return answer.json.data
    }

    it('create an object that can be read, with its ETag, and record it', async () => {
      const created = await call('Create', sample.create(1))
      const { data } = created.answer.json
      expect([created.status, data]).toEqual([200, { ...sample.create(1), ...sample.added, id: data.id }])
      const read = await call('Get', { id: data.id }, viewer)
      expect([read.status, read.answer.json]).toEqual([200, { data }])
      expect(read.answer.headers.get('etag')).toBe(created.answer.headers.get('etag'))
      expect(await events()).toEqual([
        {
          action: `${sample.auditedAs}.create`,
          targetId: data.id,
          teamId: fixture.it,
          fields: expect.arrayContaining(Object.keys(sample.create(1))),
        },
      ])
    })

    it('change the given fields, leave the rest, and record the names of those that differ', async () => {
      const before = await made(2)
      const changed = await call('Update', { id: before.id, ...sample.change(2) })
      expect([changed.status, changed.answer.json]).toEqual([
        200,
        { data: { ...before, ...sample.change(2), ...sample.touched } },
      ])
      const same = await call('Update', { id: before.id })
      expect([same.status, same.answer.json]).toEqual([200, changed.answer.json])
      const named = sample.updatedByStatement ? [] : Object.keys(sample.change(2))
      const touched = Object.keys(sample.touched ?? {})
      const recorded = (await events()).slice(1).map(({ fields }) => fields.filter((name) => !touched.includes(name)))
      expect(recorded).toEqual([named, []])
    })

    if (verbs.includes('Delete')) {
      it('delete an object, which then no longer exists, and record it', async () => {
        const { id } = await made(3)
        expect((await call('Delete', { id })).answer.json).toEqual({})
        expect((await call('Get', { id })).status).toBe(404)
        expect((await call('Delete', { id })).reason).toBe('RESOURCE_NOT_FOUND')
        expect((await events()).map(({ action }) => action)).toEqual([
          `${sample.auditedAs}.create`,
          `${sample.auditedAs}.delete`,
        ])
      })

      it('delete once for an Idempotency-Key, also when the call is repeated', async () => {
        const { id } = await made(10)
        const headers = { 'idempotency-key': `${sample.name}-${door}-${id}` }
        const outcomes = [
          await call('Delete', { id }, manager, headers),
          await call('Delete', { id }, manager, headers),
        ]
        expect(outcomes.map(({ answer }) => [answer.status, answer.json])).toEqual([
          [200, {}],
          [200, {}],
        ])
        expect(await events()).toHaveLength(2)
      })
    }

    if (sample.referrers !== undefined) {
      it('refuse to delete an object to which others refer, and name these', async () => {
        const { code, reason, metadata } = await call('Delete', { id: sample.fixture.it })
        expect([code, reason, metadata['referrers']]).toEqual([
          'failed_precondition',
          'RESOURCE_IN_USE',
          sample.referrers,
        ])
        expect((await call('Get', { id: sample.fixture.it })).status).toBe(200)
        expect(await events()).toEqual([])
      })
    }

    if (verbs.includes('List')) {
      it('list every object once, in creation order, page by page, with the exact total', async () => {
        const ids: string[] = []
        for (let n = 0; n < 5; n++) ids.push((await made(n)).id)
        const seen: string[] = []
        let pageToken = ''
        do {
          const request = { teamId: fixture.it, pageSize: 2, pageToken, includeTotal: true }
          const { answer } = await call('List', request)
          const { data, nextPageToken, totalSize } = answer.json
          const [row] = await service.database.query<{ count: number }>(
            `SELECT count(*)::int AS count FROM ${tableOf(sample)} WHERE team_id = $1`,
            [fixture.it],
          )
          expect([data.length <= 2, totalSize]).toEqual([true, row?.count])
          seen.push(...data.map((each: { id: string }) => each.id))
          pageToken = nextPageToken
        } while (pageToken !== '')
        expect(seen.slice(-5)).toEqual(ids)
        expect(new Set(seen).size).toBe(seen.length)
        expect(seen[0]).toBe(sample.fixture.it)
      })

      it('accept a page token only with the filter that it was issued for', async () => {
        await made(5)
        const { answer } = await call('List', { teamId: fixture.it, pageSize: 1 })
        const { nextPageToken: pageToken } = answer.json
        expect((await call('List', { pageSize: 1, pageToken })).reason).toBe('PAGE_TOKEN_INVALID')
        expect((await call('List', { teamId: fixture.it, pageSize: 1, pageToken: `${pageToken}x` })).reason).toBe(
          'PAGE_TOKEN_INVALID',
        )
      })

      it('list only what the caller may read, and the total only on request', async () => {
        const idsOf = async (token: string, filters: RequestJson = {}) => {
          const { data, totalSize } = (await call('List', filters, token)).answer.json
          expect(totalSize).toBeUndefined()
          return data.map((each: { id: string }) => each.id)
        }
        const { it, people, globex } = sample.fixture
        expect(await idsOf(everything)).toEqual(expect.arrayContaining([it, people]))
        for (const token of [everything, manager]) expect(await idsOf(token)).not.toContain(globex)
        expect(await idsOf(manager)).not.toContain(people)
        expect(await idsOf(manager, { teamId: fixture.people })).toEqual([])
      })
    }

    it('create an object whatever If-Match says, since there is no version yet', async () => {
      expect((await call('Create', sample.create(11), manager, { 'if-match': '"another"' })).status).toBe(200)
    })

    it('write only the version that If-Match names', async () => {
      const created = await call('Create', sample.create(4))
      const { id } = created.answer.json.data
      const old = { 'if-match': created.answer.headers.get('etag') ?? '' }
      const changed = await call('Update', { id, ...sample.change(4) }, manager, old)
      expect(changed.status).toBe(200)
      for (const verb of changing) {
        expect((await call(verb, { id }, manager, old)).reason).toBe('ETAG_MISMATCH')
      }
      const current = { 'if-match': changed.answer.headers.get('etag') ?? '' }
      for (const verb of changing) expect((await call(verb, { id }, manager, current)).status).toBe(200)
    })

    it("return the same 404 for an unknown object, another team's and another organization's", async () => {
      for (const verb of ['Get', ...changing] as const) {
        const outcomes: unknown[] = []
        for (const id of [unknown, sample.fixture.people, sample.fixture.globex]) {
          const { status, reason, message } = await call(verb, { id })
          outcomes.push({ status, reason, message })
        }
        expect(new Set(outcomes.map((each) => JSON.stringify(each))).size).toBe(1)
        expect(outcomes[0]).toMatchObject({ status: 404, reason: 'RESOURCE_NOT_FOUND' })
      }
      for (const teamId of ['nowhere', fixture.people, fixture.globexIt]) {
        expect((await call('Create', { ...sample.create(6), teamId })).reason).toBe('RESOURCE_NOT_FOUND')
      }
      expect(await events()).toEqual([])
    })

    it('refuse writes by callers who may only read, and write nothing', async () => {
      const key = await insertApiKey(service.database, {
        organizationId: fixture.acme,
        permissions: [`${sample.permissions}:read`],
      })
      const { it: id } = sample.fixture
      const ofKey = sample.writtenByUsersOnly ? 'CREDENTIAL_KIND_UNSUPPORTED' : 'PERMISSION_MISSING'
      for (const [token, reason] of [
        [viewer, 'PERMISSION_MISSING'],
        [key.token, ofKey],
      ] as const) {
        expect((await call('Create', sample.create(7), token)).reason).toBe(reason)
        for (const verb of changing) expect((await call(verb, { id }, token)).reason).toBe(reason)
      }
      expect(await events()).toEqual([])
    })

    it('create once for an Idempotency-Key', async () => {
      const headers = { 'idempotency-key': `${sample.name}-${door}` }
      const first = await call('Create', sample.create(8), manager, headers)
      const second = await call('Create', sample.create(8), manager, headers)
      expect([second.status, second.answer.text]).toEqual([200, first.answer.text])
      expect(await events()).toHaveLength(1)
    })
  })

  if (verbs.includes('Delete')) {
    it('never let two deletions, or a deletion and a new reference, both succeed', async () => {
      const { answer } = await callMethod(service, standardMethod(sample, 'Create'), {
        door: 'REST',
        token: manager,
        request: sample.create(9),
      })
      const { id } = answer.json.data
      const outcomes = await Promise.all(
        [1, 2, 3].map(() =>
          callMethod(service, standardMethod(sample, 'Delete'), { door: 'REST', token: manager, request: { id } }),
        ),
      )
      expect(outcomes.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 404, 404])
    })
  }
})
