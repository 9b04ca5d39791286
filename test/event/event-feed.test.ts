import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { ConnectError } from '@connectrpc/connect'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { type Event, EventService } from '../../gen/svc/v2/event_pb.js'
import { recordAuditEvents, systemActor } from '../../src/domain/audit/audit-event.js'
import { findPlacedEvent } from '../../src/store/event.js'
import { createMeters } from '../../src/telemetry/meters.js'
import { eventually } from '../support/eventually.js'
import { fixture, insertApiKey, insertFixture, insertUserToken } from '../support/fixture.js'
import { metricsFromText } from '../support/metrics.js'
import { protocols, startTestService, type TestService } from '../support/service.js'

const event = {
  organizationId: fixture.acme,
  action: 'organization.update',
  targetId: '',
} as const
const { acme, globex, it: itTeam, people, priorities, users } = fixture

describe('the feed of events', () => {
  let service: TestService
  let key: string
  let teamKey: string
  let admin: string
  beforeAll(async () => {
    service = await startTestService()
    await insertFixture(service.database)
    key = (await insertApiKey(service.database, { organizationId: acme })).token
    teamKey = (await insertApiKey(service.database, { organizationId: acme, teamId: people })).token
    admin = await insertUserToken(service.database, { userId: users.admin })
  })
  afterAll(() => service.stop())

  const list = async (query: string, token = key) => {
    const { status, json } = await service.rest('GET', `/v2/events?${query}`, { token })
    expect([status, json]).toEqual([200, json])
    return json
  }
  const rename = (name: string, id: string = priorities.it) =>
    service.rest('PATCH', `/v2/priorities/${id}`, { token: admin, json: { name } })
  /** The end of the feed, once every event is in it. */
  const latest = async () => {
    const { eventOutbox } = service.database.models
    await eventually(async () => expect(await eventOutbox.findFirst({ select: { ordinal: true } })).toBeNull())
    return (await list('cursor=latest')).nextCursor
  }
  /** Everything after a cursor, page by page. */
  const all = async (cursor: string, query: string): Promise<Event[]> => {
    const { data, nextCursor, hasMore } = await list(`cursor=${cursor}&${query}`)
    return hasMore ? [...data, ...(await all(nextCursor, query))] : data
  }
  /** The next so many events after a cursor, which may have yet to come. */
  const following = async (cursor: string, count: number, query = '', token = key): Promise<Event[]> => {
    const { data, nextCursor } = await list(`cursor=${cursor}&waitSeconds=5&${query}`, token)
    return data.length >= count ? data : [...data, ...(await following(nextCursor, count - data.length, query, token))]
  }
  /** Events that no call makes. */
  const record = (count: number, organizationId = acme, teamId = '') =>
    recordAuditEvents(
      service.database,
      Array.from({ length: count }, (_, index) => ({
        ...event,
        organizationId,
        targetId: `${index}`,
        teamId,
      })),
      { actor: systemActor, runtime: service.runtime },
    )

  it('reports a change, who did it, and which fields changed', async () => {
    const cursor = await latest()
    await rename('Recorded')
    await service.rest('PUT', `/v2/users/${users.viewer}`, {
      token: admin,
      json: { department: 'Recorded', jobTitle: 'Recorder', pinFields: ['USER_PROFILE_FIELD_JOB_TITLE'] },
    })
    const data = await following(cursor, 2)
    const common = {
      id: expect.any(String),
      position: expect.stringMatching(/^\d+$/),
      occurredAt: expect.any(String),
      organizationId: acme,
      actor: { kind: 'ACTOR_KIND_USER', id: users.admin, name: expect.any(String) },
    }
    expect(data).toEqual([
      {
        ...common,
        type: 'priority.update',
        teamId: itTeam,
        subject: { type: 'priority', id: priorities.it },
        changedFields: ['name'],
      },
      {
        ...common,
        type: 'user.update',
        teamId: '',
        subject: { type: 'user', id: users.viewer },
        changedFields: ['department', 'jobTitle'],
      },
    ])
    const log = await service.rest('GET', '/v2/audit-events?pageSize=2', { token: key })
    expect(log.json.data.map(({ id }: { id: string }) => id)).toEqual(data.map(({ id }) => id).reverse())
  })

  it('gives positions without gaps, page by page', async () => {
    const cursor = await latest()
    await record(25)
    const events = await following(cursor, 25, 'pageSize=10')
    const first = Number(events[0]?.position)
    expect(events.map(({ position }) => Number(position))).toEqual(events.map((_, index) => first + index))
    const fromStart = await all('', 'pageSize=7')
    expect(fromStart.map(({ position }) => Number(position))).toEqual(fromStart.map((_, index) => index + 1))
  })

  it('knows each event of a write by its position, and its position by the event', async () => {
    const cursor = await latest()
    await record(5)
    const events = await following(cursor, 5)
    for (const [index, { id, position }] of events.entries()) {
      const cursorOf = (eventId: string) => Buffer.from(`${position} ${eventId}`).toString('base64url')
      expect((await list(`cursor=${cursorOf(id)}`)).data).toEqual(events.slice(index + 1))
      const other = await service.rest('GET', `/v2/events?cursor=${cursorOf(randomUUID())}`, { token: key })
      expect([other.status, other.json.code]).toEqual([400, 'out_of_range'])
      expect((await findPlacedEvent(service.database, acme, id))?.position).toBe(BigInt(position))
    }
    const beyond = `${events[0]?.id.slice(0, -4)}0005`
    for (const unknown of [beyond, randomUUID()]) {
      expect(await findPlacedEvent(service.database, acme, unknown)).toBeUndefined()
    }
  })

  it('has what another process has committed as soon for callers who do not wait as for those who do', async () => {
    let nextCursor = await latest()
    const millisUntilRead = async (query: string) => {
      await record(1)
      const start = performance.now()
      for (let data: Event[] = []; data.length === 0; ) {
        ;({ data, nextCursor } = await list(`cursor=${nextCursor}&${query}`))
      }
      return performance.now() - start
    }
    let [waiting, polling] = [0, 0]
    for (let write = 0; write < 10; write++) {
      waiting += await millisUntilRead('waitSeconds=30')
      polling += await millisUntilRead('')
    }
    // What no call of this process has written is placed once a second, unless somebody asks for it.
    expect(polling / waiting).toBeLessThan(5)
  })

  it('moves more events than one statement does', async () => {
    const cursor = await latest()
    await service.database.transaction(async (transaction) => {
      for (let write = 0; write < 1_200; write++) {
        await recordAuditEvents(transaction, [event, event], { actor: systemActor, runtime: service.runtime })
      }
    })
    expect(await following(cursor, 2_400, 'pageSize=1000')).toHaveLength(2_400)
  })

  it('finds rare events behind many others in bounded steps', async () => {
    const cursor = await latest()
    await record(5_000)
    await rename('Rare')
    await latest()
    const { hasMore, data, nextCursor } = await list(`cursor=${cursor}&types=priority.update`)
    expect([hasMore, data]).toEqual([true, []])
    expect((await list(`cursor=${nextCursor}&types=priority.update`)).data).toHaveLength(1)
  })

  it('filters by type, team and target', async () => {
    const cursor = await latest()
    await rename('Filtered')
    await rename('Filtered', priorities.people)
    await following(cursor, 2)
    const targets = async (query: string, token = key) =>
      (await list(`cursor=${cursor}&${query}`, token)).data.map((event: Event) => event.subject?.id)
    expect(await targets('types=priority.update&types=user.update')).toEqual([priorities.it, priorities.people])
    expect(await targets('types=user.update')).toEqual([])
    expect(await targets(`teamId=${people}`)).toEqual([priorities.people])
    expect(await targets(`targetId=${priorities.it}`)).toEqual([priorities.it])
    expect(await targets('', teamKey)).toEqual([priorities.people])
    const { json } = await service.rest('GET', '/v2/events?types=priority.updated', { token: key })
    expect(json.message).toContain('types[0]: is unknown: did you mean "priority.update"?')
  })

  it('returns nothing to another organization', async () => {
    const foreign = (await insertApiKey(service.database, { organizationId: globex })).token
    const cursor = await latest()
    expect((await service.rest('GET', `/v2/events?cursor=${cursor}`, { token: foreign })).status).toBe(400)
    const { data } = await list('pageSize=1000', foreign)
    expect(data.filter(({ organizationId }: Event) => organizationId !== globex)).toEqual([])
  })

  it('refuses a cursor that is altered, too old, or of another history', async () => {
    await record(3)
    await following('', 3)
    const cursorAt = async (position: number) => {
      const { data, nextCursor } = await list(`pageSize=${position}`)
      expect(data).toHaveLength(position)
      return nextCursor
    }
    const [first, second] = [await cursorAt(1), await cursorAt(2)]
    const read = (cursor: string) => service.rest('GET', `/v2/events?cursor=${cursor}`, { token: key })
    const altered = await read(`x${first}`)
    expect([altered.status, altered.json.message]).toEqual([400, expect.stringContaining('cursor: was altered')])
    await service.database.execute(`DELETE FROM event_feed WHERE organization_id = $1 AND position < 3`, [acme])
    const restored = `INSERT INTO event_feed (organization_id, position, first_event_id, last_event_id, event_count)
                      VALUES ($1, 2, $2::uuid, $2::uuid, 1)`
    await service.database.execute(restored, [acme, randomUUID().replace(/.{4}$/, '0000')])
    const beyond = Buffer.from(`${'9'.repeat(18)} ${randomUUID()}`).toString('base64url')
    for (const cursor of [first, second, beyond]) {
      const { status, json } = await read(cursor)
      expect([status, json.code]).toEqual([400, 'out_of_range'])
      expect(json.detail.debug).toMatchObject({
        reason: 'ERROR_REASON_EVENT_CURSOR_OUT_OF_RANGE',
        metadata: { earliestPosition: '2' },
      })
    }
  })

  describe('while it waits', () => {
    /** The answer to a call that waits for the type of what happens, while one that waits for the other type gets none. */
    const answeredFirst = async (type: string, happen: () => Promise<unknown>, [other, release]: Awaited) => {
      const cursor = await latest()
      const ended: string[] = []
      const until = (each: string) =>
        list(`cursor=${cursor}&waitSeconds=20&types=${each}`).finally(() => ended.push(each))
      const [waiting, patient] = [until(type), until(other)]
      await wait(300)
      await happen()
      const { data } = await waiting
      expect(ended).toEqual([type])
      await release()
      await patient
      return data
    }
    type Awaited = readonly [type: string, happen: () => Promise<unknown>]
    const renamed: Awaited = ['priority.update', () => rename('Awaited')]
    const recorded: Awaited = ['organization.update', () => record(1)]

    it('answers as soon as there is an event, or with none in the end', async () => {
      expect(await answeredFirst(...renamed, recorded)).toHaveLength(1)
      const later = await latest()
      const order: string[] = []
      const inTheEnd = list(`cursor=${later}&waitSeconds=1`).finally(() => order.push('waits'))
      await list(`cursor=${later}`).finally(() => order.push('does not'))
      const none = await inTheEnd
      expect([none.data, none.hasMore, order]).toEqual([[], false, ['does not', 'waits']])
    })

    it('returns events of another process, and of one that has died', async () => {
      const other = await startTestService({ testDatabase: service.testDatabase })
      const cursor = await latest()
      const waiting = list(`cursor=${cursor}&waitSeconds=20`)
      await wait(100)
      await other.rest('PATCH', `/v2/priorities/${priorities.it}`, { token: admin, json: { name: 'Other' } })
      expect((await waiting).data).toHaveLength(1)
      expect(await answeredFirst(...recorded, renamed)).toHaveLength(1)
      await other.close()
    })

    it('takes no place among running calls and no connection', async () => {
      const meters = createMeters({ version: '1.2.3', commit: 'abc' })
      const small = await startTestService({
        testDatabase: service.testDatabase,
        config: { maxRunningCalls: 16, databasePoolSize: 2 },
        meters,
      })
      const waiters = async () => metricsFromText(await meters.text()).sum('svc_event_waiters')
      const { nextCursor: cursor } = await list('cursor=latest')
      const begin = () => small.rest('GET', `/v2/events?cursor=${cursor}&waitSeconds=25`, { token: key })
      const waiting = []
      while (waiting.length < 40) {
        // Fewer at a time than may run.
        waiting.push(...Array.from({ length: 5 }, begin))
        await eventually(async () => expect(await waiters()).toBe(waiting.length))
      }
      expect((await small.rest('GET', '/v2/caller', { token: key })).status).toBe(200)
      await small.close()
      meters.close()
      const answers = await Promise.all(waiting)
      expect(new Set(answers.map(({ status, json }) => `${status} ${json.data?.length}`))).toEqual(new Set(['200 0']))
    })
  })

  describe.each(protocols)('a watch over %s', (protocol) => {
    it('streams events as they are committed', async () => {
      const client = service.client(EventService, key, protocol)
      const controller = new AbortController()
      const query = { cursor: await latest(), types: ['priority.update'] }
      const stream = client.watchEvents(query, { signal: controller.signal })[Symbol.asyncIterator]()
      const bookmark = (await stream.next()).value
      expect([bookmark.data, bookmark.nextCursor]).toEqual([[], expect.any(String)])
      for (const name of ['One', 'Two']) {
        await rename(`${name} ${protocol}`)
        const { value } = await stream.next()
        expect(value.data.map(({ type }: Event) => type)).toEqual(['priority.update'])
      }
      controller.abort()
      await expect(stream.next()).rejects.toThrow('aborted')
    })
  })

  it('ends a watch over each protocol when its caller loses the right, without events of later', async () => {
    const token = await insertUserToken(service.database, { userId: users.admin })
    const cursor = await latest()
    const watches = protocols.map((protocol) => {
      const seen: string[] = []
      const watching = (async () => {
        const client = service.client(EventService, token, protocol)
        for await (const { data } of client.watchEvents({ cursor })) {
          seen.push(...data.map(({ subject }) => subject?.id ?? ''))
        }
      })()
      const failure = watching.then(
        () => undefined,
        (error: unknown) => ConnectError.from(error).code,
      )
      return { protocol, seen, failure }
    })
    const seenBefore = protocols.map((protocol) => ({ protocol, seen: [priorities.it] }))
    await rename('Before')
    await eventually(async () => expect(watches).toMatchObject(seenBefore))
    await service.database.execute(
      `UPDATE memberships SET deactivated_at = now() WHERE organization_id = $1 AND user_id = $2`,
      [acme, users.admin],
    )
    await record(1)
    expect(await Promise.all(watches.map(({ failure }) => failure))).toEqual(watches.map(() => 16))
    expect(watches).toMatchObject(seenBefore)
    await service.database.execute(
      `UPDATE memberships SET deactivated_at = NULL WHERE organization_id = $1 AND user_id = $2`,
      [acme, users.admin],
    )
  })

  it('streams lines over REST, which end without an error when the service stops', async () => {
    const other = await startTestService({ testDatabase: service.testDatabase })
    const response = await fetch(`${other.baseUrl}/v2/events:watch?cursor=latest`, {
      headers: { authorization: `Bearer ${key}` },
    })
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/x-ndjson'])
    let lines = ''
    const reading = (async () => {
      for await (const text of response.body?.pipeThrough(new TextDecoderStream()) ?? []) lines += text
    })()
    await rename('Line')
    await eventually(() => expect(lines).toContain('priority.update'))
    await other.close()
    await reading
    const parsed = lines
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(parsed.flatMap(({ data }) => data.map(({ type }: Event) => type))).toEqual(['priority.update'])
    expect(parsed.at(-1)).toEqual({ data: expect.any(Array), nextCursor: expect.any(String) })
  })
})
