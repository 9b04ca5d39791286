import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { EventSource } from 'eventsource'
import { type Event, EventService } from '../../gen/svc/v2/event_pb.js'
import { eventually } from '../support/eventually.js'
import { fixture, insertApiKey, insertFixture, insertUserToken } from '../support/fixture.js'
import { pauseTimers } from '../support/paused-timers.js'
import { protocols, startTestService, type TestService } from '../support/service.js'

const { acme, priorities, users } = fixture

describe('a stream of events', () => {
  let service: TestService
  let key: string
  let admin: string
  beforeAll(async () => {
    service = await startTestService()
    await insertFixture(service.database)
    key = (await insertApiKey(service.database, { organizationId: acme })).token
    admin = await insertUserToken(service.database, { userId: users.admin })
  })
  afterAll(() => service.stop())

  const list = async (query: string) => {
    const { status, json } = await service.rest('GET', `/v2/events?${query}`, { token: key })
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

  it('gives each event once on a stream, and bookmarks without events, over every protocol', async () => {
    const cursor = await latest()
    const other = await startTestService({ testDatabase: service.testDatabase })
    // A bookmark comes every ten seconds.
    const bookmarks = pauseTimers(9_000, 10_000)
    const watched = [...protocols, 'application/x-ndjson', 'text/event-stream']
    const seen: Record<string, { data: readonly Pick<Event, 'id'>[]; nextCursor: string }[]> = {}
    const watches = [
      ...protocols.map(async (protocol) => {
        for await (const message of other.client(EventService, key, protocol).watchEvents({ cursor })) {
          seen[protocol] = [...(seen[protocol] ?? []), message]
        }
      }),
      ...['application/x-ndjson', 'text/event-stream'].map(async (accept) => {
        const headers = { accept, authorization: `Bearer ${key}` }
        const response = await fetch(`${other.baseUrl}/v2/events:watch?cursor=${cursor}`, { headers })
        let text = ''
        for await (const part of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
          text += part
          seen[accept] = [...text.matchAll(/(\{.*)\n/g)].map(([, json = '']) => JSON.parse(json))
        }
      }),
    ]
    await rename('Once')
    const hasEvents = (messages: (typeof seen)[string] = []) => messages.some(({ data }) => data.length > 0)
    const isMarked = (messages: (typeof seen)[string] = []) => hasEvents(messages) && messages.at(-1)?.data.length === 0
    try {
      await eventually(() => expect(watched.filter((each) => !hasEvents(seen[each]))).toEqual([]))
      await eventually(() => expect(bookmarks.waiting).toBe(watched.length))
      bookmarks.runOut()
      await eventually(() => expect(watched.filter((each) => !isMarked(seen[each]))).toEqual([]))
    } finally {
      bookmarks.release()
      await other.close()
    }
    await Promise.allSettled(watches)
    const recorded = Object.fromEntries(
      Object.entries(seen).map(([watch, messages]) => [
        watch,
        messages.flatMap(({ data }) => data.map(({ id }) => id)),
      ]),
    )
    const [event]: Event[] = (await list(`cursor=${cursor}`)).data
    expect(recorded).toEqual(Object.fromEntries(watched.map((watch) => [watch, [event?.id]])))
    for (const messages of Object.values(seen)) {
      const since = messages.slice(messages.findIndex(({ data }) => data.length > 0))
      expect(new Set(since.map(({ nextCursor }) => nextCursor)).size).toBe(1)
    }
  })

  describe('a watch by an EventSource', () => {
    const open = async (cursor: string, lastEventId = '') => {
      const headers = { accept: 'text/event-stream', authorization: `Bearer ${key}`, 'last-event-id': lastEventId }
      return fetch(`${service.baseUrl}/v2/events:watch?cursor=${cursor}`, { headers })
    }
    /** The fields of the next event with data. */
    const nextOf = async (response: Response) => {
      let text = ''
      const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
      for (;;) {
        const found = /^retry: (\d+)\nid: (.+)\ndata: (\{"data":\[\{.*)\n\n/m.exec(text)
        if (found) {
          await reader?.cancel()
          return { retry: Number(found[1]), id: found[2] ?? '', message: JSON.parse(found[3] ?? '') }
        }
        const { value, done } = (await reader?.read()) ?? { done: true }
        if (done) throw new Error(`the stream ended after ${text}`)
        text += value
      }
    }

    it('continues after the last event that it has, whatever cursor its URL has', async () => {
      const began = await latest()
      await rename('First')
      const first = await nextOf(await open(began))
      expect(first).toMatchObject({ retry: 1_000, id: first.message.nextCursor })
      await rename('Meanwhile', priorities.people)
      for (const cursor of ['latest', began, '']) {
        const { message } = await nextOf(await open(cursor, first.id))
        expect(message.data.map(({ subject }: Event) => subject?.id)).toEqual([priorities.people])
      }
    })

    it('has everything once, however often the stream ends', async () => {
      const brief = await startTestService({ testDatabase: service.testDatabase, config: { maxCallSeconds: 2.1 } })
      let opened = 0
      const seen: string[] = []
      const source = new EventSource(`${brief.baseUrl}/v2/events:watch?cursor=latest&types=priority.update`, {
        fetch: (url, init) => fetch(url, { ...init, headers: { ...init.headers, authorization: `Bearer ${key}` } }),
      })
      source.onopen = () => opened++
      source.onmessage = ({ data }) => seen.push(...JSON.parse(data).data.map(({ position }: Event) => position))
      try {
        await eventually(() => expect(opened).toBe(1))
        const cursor = await latest()
        for (let name = 0; opened < 3; name++) {
          await rename(`Name ${name}`)
          await wait(200)
        }
        const listed = (await list(`cursor=${cursor}&types=priority.update`)).data.map(
          ({ position }: Event) => position,
        )
        await eventually(() => expect(seen).toEqual(listed))
      } finally {
        source.close()
        await brief.close()
      }
    })

    it('is refused for an id that is no cursor, and its lines for people take no notice of one', async () => {
      const refused = await open('latest', 'nothing')
      expect([refused.status, await refused.text()]).toEqual([400, expect.stringContaining('cursor: was altered')])
      const headers = { authorization: `Bearer ${key}`, 'last-event-id': 'nothing' }
      const lines = await fetch(`${service.baseUrl}/v2/events:watch?cursor=latest`, { headers })
      expect(lines.status).toBe(200)
      await lines.body?.cancel()
    })
  })
})
