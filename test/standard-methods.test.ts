import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals'
import { fixture, insertApiKey, insertFixture, insertUserToken } from './support/fixture.js'
import { callMethod, type Outcome, protocols, type RequestJson } from './support/method-forms.js'
import { startTestService, type TestService } from './support/service.js'
import {
  isNested,
  methodsOf,
  ownerColumn,
  ownerOf,
  requestFor,
  type StandardVerb,
  standardMethod,
  standardSamples,
  tableOf,
} from './support/standard-resources.js'

const unknown = '018f3b7a-0000-7000-8000-00000000ffff'

/** What people write for entity types, by file. */
const written = {
  'proto/svc/v2/entity_type.proto': /^.*\n/gm,
  'prisma/schema.prisma': /^(?:model EntityType \{\n(?:.*\n)*?\}| {2}entityTypes .*EntityType\[\])\n/gm,
  'src/store/entity-type.ts': /^.*\n/gm,
  'src/store/audit-action.ts': /^.*'entity_type'.*\n/gm,
  'src/handlers/routes.ts': /^.*[eE]ntityType(?:Service|Store)\b.*\n/gm,
  'src/openapi/examples.yaml': /^.*EntityType(?:Request)?:.*\n/gm,
  'test/support/fixture.ts': /^.*(?:entityTypes:|'entity_types').*\n/gm,
  'test/support/standard-resources.ts': /^ {2}EntityType: \{\n(?:.*\n)*? {2}\},\n/gm,
}

it('a resource with five plain methods is written in eight files, and has no rule, handler or test of its own', () => {
  const root = join(import.meta.dirname, '..')
  const places = Object.entries(written)
  expect(places.filter(([path, text]) => readFileSync(join(root, path), 'utf8').match(text) === null)).toEqual([])
  const folders = ['src', 'test'].flatMap((top) =>
    readdirSync(join(root, top), { recursive: true, encoding: 'utf8' }).map((path) => join(top, path)),
  )
  expect(folders.filter((path) => /\/entity-type\b/.test(path))).toEqual(['src/store/entity-type.ts'])
})

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

describe.each(standardSamples)('the standard methods of $name', (sample) => {
  const verbs = methodsOf(sample).map(([verb]) => verb)
  const owner = ownerOf(sample)
  const ofIt = { [owner.field]: owner.fixture.it }
  const named = (id: string) => requestFor(sample, id)
  const same = (data: RequestJson & { id: string }) => ({ ...named(data.id), ...sample.keep?.(data) })
  const changing = verbs.filter((verb) => verb === 'Update' || verb === 'Delete')
  beforeEach(() => service.database.execute('DELETE FROM audit_events'))

  const events = () =>
    service.database.query<{ action: string; targetId: string; teamId: string; fields: string[] }>(
      `SELECT action, target_id AS "targetId", team_id AS "teamId", changed_fields AS fields
         FROM audit_events ORDER BY occurred_at, id`,
    )

  describe.each(protocols)('over %s', (protocol) => {
    const call = (verb: StandardVerb, request: RequestJson, token = manager, headers = {}): Promise<Outcome> =>
      callMethod(service, standardMethod(sample, verb), { protocol, request, token, headers })
    const made = async (n: number) => {
      const { status, answer } = await call('Create', sample.create(n))
      expect(status).toBe(200)
      return answer.json.data
    }

    it('create an object that can be read, with its ETag, and record it', async () => {
      const created = await call('Create', sample.create(1))
      const { data } = created.answer.json
      expect([created.status, data]).toEqual([200, { ...sample.create(1), ...sample.added, id: data.id }])
      const read = await call('Get', named(data.id), viewer)
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

    const { change } = sample
    if (change !== undefined)
      it('change the given fields, leave the rest, and record the names of those that differ', async () => {
        const before = await made(2)
        const changed = await call('Update', { ...named(before.id), ...change(2) })
        expect([changed.status, changed.answer.json]).toEqual([
          200,
          { data: { ...before, ...change(2), ...sample.touched } },
        ])
        const kept = await call('Update', same(changed.answer.json.data))
        expect([kept.status, kept.answer.json]).toEqual([200, changed.answer.json])
        const isGiven = (name: string) => !Object.keys(sample.touched ?? {}).includes(name)
        const given = Object.keys(change(2)).filter(isGiven)
        const recorded = (await events()).slice(1).map(({ fields }) => fields.filter(isGiven))
        expect(recorded).toEqual([given, []])
      })

    if (verbs.includes('Delete')) {
      it('delete an object, which then no longer exists, and record it', async () => {
        const { id } = await made(3)
        expect((await call('Delete', named(id))).answer.json).toEqual({})
        expect((await call('Get', named(id))).status).toBe(404)
        expect((await call('Delete', named(id))).reason).toBe('RESOURCE_NOT_FOUND')
        expect((await events()).map(({ action }) => action)).toEqual([
          `${sample.auditedAs}.create`,
          `${sample.auditedAs}.delete`,
        ])
      })

      it('delete once for an Idempotency-Key, also when the call is repeated', async () => {
        const { id } = await made(10)
        const headers = { 'idempotency-key': `${sample.name}-${protocol}-${id}` }
        const outcomes = [
          await call('Delete', named(id), manager, headers),
          await call('Delete', named(id), manager, headers),
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
        const { code, reason, metadata } = await call('Delete', named(sample.fixture.it))
        expect([code, reason, metadata['referrers']]).toEqual([
          'failed_precondition',
          'RESOURCE_IN_USE',
          sample.referrers,
        ])
        expect((await call('Get', named(sample.fixture.it))).status).toBe(200)
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
          const request = { ...ofIt, pageSize: 2, pageToken, includeTotal: true }
          const { answer } = await call('List', request)
          const { data, nextPageToken, totalSize } = answer.json
          const [row] = await service.database.query<{ count: number }>(
            `SELECT count(*)::int AS count FROM ${tableOf(sample)} WHERE ${ownerColumn(sample)} = $1`,
            [owner.fixture.it],
          )
          expect([data.length <= 2, totalSize]).toEqual([true, row?.count])
          seen.push(...data.map((each: { id: string }) => each.id))
          pageToken = nextPageToken
        } while (pageToken !== '')
        expect(seen.slice(-5)).toEqual(ids)
        expect(new Set(seen).size).toBe(seen.length)
        expect(seen[0]).toBe(sample.fixture.it)
      })

      it('continue after the page before, whatever the size of the next one and whatever is made in between', async () => {
        const before = await call('List', { ...ofIt, pageSize: 1_000 })
        expect(before.answer.json.nextPageToken).toBe('')
        const { answer } = await call('List', { ...ofIt, pageSize: 1 })
        const { id } = await made(12)
        const rest = { pageSize: before.answer.json.data.length, pageToken: answer.json.nextPageToken }
        const next = await call('List', { ...ofIt, ...rest })
        const [first, ...others] = before.answer.json.data
        expect(answer.json.data).toEqual([first])
        expect(next.answer.json).toEqual({
          data: [...others, expect.objectContaining({ id })],
          nextPageToken: '',
        })
      })

      it('refuse a negative page size', async () => {
        const { reason, fields } = await call('List', { ...ofIt, pageSize: -1 })
        expect([reason, fields]).toEqual(['FIELD_INVALID', ['pageSize']])
      })

      it('accept a page token only with the filter that it was issued for', async () => {
        await made(5)
        const { answer } = await call('List', { ...ofIt, pageSize: 1 })
        const { nextPageToken: pageToken } = answer.json
        const others = isNested(sample) ? { [owner.field]: owner.fixture.people } : {}
        for (const request of [
          { ...others, pageSize: 1, pageToken },
          { ...ofIt, pageSize: 1, pageToken: `${pageToken}x` },
          { ...ofIt, pageSize: 1, pageToken: '2' },
        ]) {
          expect((await call('List', request, everything)).reason).toBe('PAGE_TOKEN_INVALID')
        }
      })

      it('list only what the caller may read, and the total only on request', async () => {
        if (isNested(sample)) {
          const of = (place: 'it' | 'people' | 'globex') => ({ [owner.field]: owner.fixture[place] })
          const reasons = ['it', 'people', 'globex'] as const
          const outcomes = await Promise.all(reasons.map(async (place) => (await call('List', of(place))).reason))
          expect(outcomes).toEqual([undefined, 'RESOURCE_NOT_FOUND', 'RESOURCE_NOT_FOUND'])
          expect((await call('List', of('people'), everything)).answer.json).toEqual({
            data: [expect.objectContaining({ id: sample.fixture.people })],
            nextPageToken: '',
          })
          return
        }
        const idsOf = async (token: string, filters: RequestJson = {}) => {
          const { data, totalSize } = (await call('List', filters, token)).answer.json
          expect(totalSize).toBeUndefined()
          return data.map((each: { id: string }) => each.id)
        }
        const { it, people, globex } = sample.fixture
        expect(await idsOf(everything)).toEqual(expect.arrayContaining([it, people]))
        for (const token of [everything, manager]) expect(await idsOf(token)).not.toContain(globex)
        expect(await idsOf(manager)).not.toContain(people)
        expect(await idsOf(manager, { [owner.field]: owner.fixture.people })).toEqual([])
      })
    }

    it('create an object whatever If-Match says, since there is no version yet', async () => {
      expect((await call('Create', sample.create(11), manager, { 'if-match': '"another"' })).status).toBe(200)
    })

    if (change !== undefined)
      it('write only the version that If-Match names', async () => {
        const created = await call('Create', sample.create(4))
        const { id } = created.answer.json.data
        const old = { 'if-match': created.answer.headers.get('etag') ?? '' }
        const changed = await call('Update', { ...named(id), ...change(4) }, manager, old)
        expect(changed.status).toBe(200)
        for (const verb of changing) {
          expect((await call(verb, named(id), manager, old)).reason).toBe('ETAG_MISMATCH')
        }
        const current = { 'if-match': changed.answer.headers.get('etag') ?? '' }
        for (const verb of changing) {
          const request = verb === 'Update' ? same(changed.answer.json.data) : named(id)
          expect((await call(verb, request, manager, current)).status).toBe(200)
        }
      })

    it("return the same 404 for an unknown object, another team's and another organization's", async () => {
      for (const verb of ['Get', ...changing] as const) {
        const outcomes: unknown[] = []
        for (const id of [unknown, sample.fixture.people, sample.fixture.globex]) {
          const { status, reason, message } = await call(verb, named(id))
          outcomes.push({ status, reason, message })
        }
        expect(new Set(outcomes.map((each) => JSON.stringify(each))).size).toBe(1)
        expect(outcomes[0]).toMatchObject({ status: 404, reason: 'RESOURCE_NOT_FOUND' })
      }
      for (const id of ['nowhere', owner.fixture.people, owner.fixture.globex]) {
        const request = { ...sample.create(6), [owner.field]: id }
        expect((await call('Create', request)).reason).toBe('RESOURCE_NOT_FOUND')
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
        for (const verb of changing) expect((await call(verb, named(id), token)).reason).toBe(reason)
      }
      expect(await events()).toEqual([])
    })

    it('create once for an Idempotency-Key', async () => {
      const headers = { 'idempotency-key': `${sample.name}-${protocol}` }
      const first = await call('Create', sample.create(8), manager, headers)
      const second = await call('Create', sample.create(8), manager, headers)
      const { secret: _, ...replayed } = first.answer.json
      expect([second.status, second.answer.json]).toEqual([200, replayed])
      expect(await events()).toHaveLength(1)
    })
  })

  if (verbs.includes('List')) {
    it('list 100 objects by default, and at most 1,000', async () => {
      const table = tableOf(sample)
      await service.database.execute(
        `INSERT INTO ${table}
         SELECT (jsonb_populate_record(first, jsonb_build_object('id', 'bulk-' || n, 'ordinal', 1000000 + n,
                                                                 'scoped_id', 'bulk-' || n, 'external_id', 'bulk-' || n))).*
           FROM ${table} first, generate_series(1, 1001) n WHERE first.id = $1`,
        [sample.fixture.it],
      )
      const sizeOf = async (pageSize: number) => {
        const request = { ...ofIt, pageSize }
        const list = { protocol: 'REST', token: manager, request } as const
        return (await callMethod(service, standardMethod(sample, 'List'), list)).answer.json.data.length
      }
      expect(await Promise.all([0, 1_000, 1_001, 10_000].map(sizeOf))).toEqual([100, 1_000, 1_000, 1_000])
      await service.database.execute(`DELETE FROM ${table} WHERE id LIKE 'bulk-%'`)
    })
  }

  if (verbs.includes('Delete')) {
    it('never let two deletions, or a deletion and a new reference, both succeed', async () => {
      const { status, answer } = await callMethod(service, standardMethod(sample, 'Create'), {
        protocol: 'REST',
        token: manager,
        request: sample.create(9),
      })
      expect([status, answer.text]).toEqual([200, answer.text])
      const { id } = answer.json.data
      const outcomes = await Promise.all(
        [1, 2, 3].map(() =>
          callMethod(service, standardMethod(sample, 'Delete'), {
            protocol: 'REST',
            token: manager,
            request: named(id),
          }),
        ),
      )
      expect(outcomes.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 404, 404])
    })
  }
})
