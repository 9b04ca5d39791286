import { setTimeout as wait } from 'node:timers/promises'
import { journeyId, place } from '../../harness/records.js'
import type { LocalCluster } from './cluster.js'
import { execute } from './stage.js'

const WRITERS = 8
/** How long a caller waits before a retry; partly random, so that retries do not come together. */
const PAUSE_MILLIS = 50
const PATIENCE_MILLIS = 60_000

const READS = [
  '/v2/users',
  `/v2/journeys/${journeyId(0)}`,
  '/v2/users/user-0',
  `/v2/app-instances?teamId=${place.team}`,
  '/v2/department-options',
]

/** What callers were answered in all. */
export interface LoadOutcome {
  readonly acknowledged: number
  /** How many of them are in the database. */
  readonly standing: number
  /** Lists without a write that was acknowledged before, and all that were read. */
  readonly stale: number
  readonly read: number
  /** How many answers had each status; 0 is none. */
  readonly byStatus: ReadonlyMap<number, number>
  readonly withoutRetryAfter: number
}

/**
 * Callers that each count up in a priority of their own, look in a list for each write that is acknowledged, and read
 * something else.
 */
export function createLoad({ origin, token, connectionString }: LocalCluster) {
  const acknowledged: number[] = Array.from({ length: WRITERS }, () => 0)
  const byStatus = new Map<number, number>()
  let lastWrite = { begun: 0, ended: 0 }
  let total = 0
  let stale = 0
  let read = 0
  let withoutRetryAfter = 0
  let isOver = false
  let calls = 0

  const send = async (path: string, init: RequestInit = {}) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    try {
      const response = await fetch(origin + path, { ...init, headers, signal: AbortSignal.timeout(30_000) })
      const text = await response.text()
      if (response.status === 503 && response.headers.get('retry-after') === null) withoutRetryAfter++
      if (response.status !== 200 && response.status !== 503) console.error(response.status, text)
      return { status: response.status, text, requestId: response.headers.get('x-request-id') ?? '' }
    } catch (error) {
      console.error(error)
      return { status: 0, text: '', requestId: '' }
    }
  }
  const count = async <Answer extends { readonly status: number }>(answer: Answer): Promise<Answer> => {
    calls++
    byStatus.set(answer.status, (byStatus.get(answer.status) ?? 0) + 1)
    if (answer.status !== 200) await wait(PAUSE_MILLIS * (0.5 + Math.random()))
    return answer
  }
  const write = async (writer: number): Promise<void> => {
    const id = `priority-${writer}`
    for (let sent = 1; !isOver; sent++) {
      const begun = performance.now()
      const body = JSON.stringify({ name: `write ${sent}` })
      const { status, requestId } = await count(await send(`/v2/priorities/${id}`, { method: 'PATCH', body }))
      if (status !== 200) continue
      acknowledged[writer] = sent
      total++
      lastWrite = { begun, ended: performance.now() }
      const list = await count(await send(`/v2/audit-events?targetId=${id}&pageSize=20`))
      if (list.status !== 200) continue
      read++
      if (!list.text.includes(requestId)) stale++
      await count(await send(READS[sent % READS.length] ?? ''))
    }
  }
  return {
    start: () => Promise.all(acknowledged.map((_, writer) => write(writer))),
    stop: () => {
      isOver = true
    },
    /** The number of responses by status, in words. */
    answers: () => [...byStatus].map(([status, count]) => `${count} of ${status}`).join(', '),
    /** Waits until so many calls are answered. */
    reach: async (count: number): Promise<void> => {
      while (calls < count) await wait(50)
    },
    /** When a write that began after the moment was acknowledged. */
    writtenAfter: async (moment: number): Promise<number> => {
      const end = moment + PATIENCE_MILLIS
      while (performance.now() < end) {
        if (lastWrite.begun >= moment) return lastWrite.ended
        await wait(5)
      }
      return Number.POSITIVE_INFINITY
    },
    verify: async (): Promise<LoadOutcome> => {
      const rows = await execute(connectionString, `SELECT id, name FROM priorities WHERE name LIKE 'write %'`)
      const found = new Map(rows.map(({ id, name }) => [String(id), Number(String(name).split(' ')[1])]))
      const isLost = (last: number, writer: number) => (found.get(`priority-${writer}`) ?? 0) < last
      const standing = total - acknowledged.filter(isLost).length
      return { acknowledged: total, standing, stale, read, byStatus, withoutRetryAfter }
    },
  }
}
