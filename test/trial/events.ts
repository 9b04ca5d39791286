import { setTimeout as wait } from 'node:timers/promises'
import { callJson } from '../../harness/call.js'
import { killNext } from './kill-next.js'
import { execute, type ServiceRun, type Stage } from './stage.js'
import { allOf, atMost, type Finding, type Trial } from './trial.js'

const PROCESSES = 4
/** How many writers each row has, so that they wait for each other. */
const WRITERS = [2, 16, 7, 7]
const FEW_WRITERS = [2, 6]
/** How often a process or the database is killed and started again. */
const KILL_MILLIS = 2_500
const PATIENCE_MILLIS = 10_000
/** When the last event must be in the feed after the last commit. */
const SEQUENCED_MILLIS = 1_500

/** A write that was acknowledged: each adds one to the number in the description of its row. */
interface Acknowledged {
  readonly row: number
  readonly count: number
}

/** An event as a reader gets it. */
interface ReadEvent {
  readonly id: string
  readonly position: string
}

/** Processes and the database are killed while many writers write the same rows and two readers follow the feed, one by pages, one by a stream. */
export const events: Trial = {
  name: 'events',
  onEachDatabase: true,
  amount: { of: 'seconds', full: 600, short: 6 },
  run: async (stage, seconds) => {
    const runs = await Promise.all(Array.from({ length: seconds < 60 ? 2 : PROCESSES }, () => stage.serve()))
    const anyRun = () => runs[Math.floor(Math.random() * runs.length)]?.origin ?? ''
    const { cursor } = await nextPage(stage, anyRun(), 'latest')
    let isOver = false
    const acknowledged: Acknowledged[] = []
    const rows = (seconds < 60 ? FEW_WRITERS : WRITERS).flatMap((writers, row) => Array<number>(writers).fill(row))
    const writing = rows.map(async (row) => {
      while (!isOver) acknowledged.push(...(await addOne(stage, anyRun(), row)))
    })
    const read: ReadEvent[] = []
    let readAll = false
    const reading = follow(stage, anyRun, cursor, read, () => readAll)
    const watched: ReadEvent[] = []
    const watching = watch(stage, anyRun, cursor, watched, () => readAll)
    const until = performance.now() + seconds * 1_000
    for (let kills = 0; performance.now() < until; kills++) {
      await wait(Math.min(KILL_MILLIS, until - performance.now()))
      await killNext(stage, runs, kills)
    }
    isOver = true
    await Promise.all(writing)
    const sequencedAt = await untilSequenced(stage)
    const committed = await committedWrites(stage)
    readAll = true
    await Promise.all([reading, watching])
    await Promise.all(runs.map((run: ServiceRun) => run.stop()))
    return [
      ...findings('a list', read, committed, acknowledged),
      ...findings('a watch', watched, committed, acknowledged),
      atMost('the last event is in the feed after', sequencedAt, SEQUENCED_MILLIS, 'ms'),
    ]
  },
}

/** Adds one to the number of a row, if nobody else does in the meantime. */
async function addOne({ tokens }: Stage, origin: string, row: number): Promise<Acknowledged[]> {
  const path = `/v2/priorities/priority-${row}`
  const headers = { authorization: `Bearer ${tokens.user}` }
  try {
    const found = await fetch(origin + path, { headers, signal: AbortSignal.timeout(PATIENCE_MILLIS) })
    const { data } = (await found.json()) as { data: { description: string } }
    const count = (Number(data.description) || 0) + 1
    const { status } = await callJson({ origin }, path, {
      method: 'PATCH',
      token: tokens.user,
      json: { description: `${count}` },
      headers: { 'if-match': found.headers.get('etag') ?? '', 'x-request-id': `${row}-${count}` },
      patienceMillis: PATIENCE_MILLIS,
    })
    return status === 200 ? [{ row, count }] : []
  } catch (error) {
    if (!(error instanceof Error)) throw error
    await wait(50)
    return []
  }
}

/** Reads the feed until everything is written and the feed returns nothing more. */
async function follow(
  stage: Stage,
  origin: () => string,
  from: string,
  read: ReadEvent[],
  isAll: () => boolean,
): Promise<void> {
  for (let cursor = from; ; ) {
    const wasAll = isAll()
    const page = await nextPage(stage, origin(), cursor)
    read.push(...page.data)
    cursor = page.cursor
    if (page.data.length === 0 && wasAll) return
  }
}

/** The same of a stream, which is opened again when it ends, until it has said once more that there is nothing new. */
async function watch(
  { tokens }: Stage,
  origin: () => string,
  from: string,
  read: ReadEvent[],
  isAll: () => boolean,
): Promise<void> {
  for (let cursor = from; ; await wait(50)) {
    try {
      const url = `${origin()}/v2/events:watch?types=priority.update&cursor=${cursor}`
      const { body } = await fetch(url, { headers: { authorization: `Bearer ${tokens.key}` } })
      let text = ''
      for await (const part of body?.pipeThrough(new TextDecoderStream()) ?? []) {
        const lines = (text + part).split('\n')
        text = lines.pop() ?? ''
        const wasAll = isAll()
        for (const line of lines) {
          const { data = [], nextCursor = cursor }: { data?: ReadEvent[]; nextCursor?: string } = JSON.parse(line)
          read.push(...data)
          cursor = nextCursor
          if (data.length === 0 && wasAll) return
        }
      }
    } catch (error) {
      if (!(error instanceof Error)) throw error
    }
  }
}

async function nextPage({ tokens }: Stage, origin: string, cursor: string) {
  const path = `/v2/events?pageSize=1000&waitSeconds=1&types=priority.update&cursor=${cursor}`
  const { status, text } = await callJson({ origin }, path, { token: tokens.key, patienceMillis: PATIENCE_MILLIS })
  if (status !== 200) {
    await wait(50)
    return { data: [], cursor }
  }
  const { data, nextCursor }: { data: ReadEvent[]; nextCursor: string } = JSON.parse(text)
  return { data, cursor: nextCursor }
}

/** Waits until every event has its position, and returns how long that took. */
async function untilSequenced({ connectionString }: Stage): Promise<number> {
  const start = performance.now()
  while (performance.now() - start < PATIENCE_MILLIS) {
    const [outbox] = await execute(connectionString, 'SELECT count(*)::int AS count FROM event_outbox')
    if (outbox?.['count'] === 0) break
    await wait(20)
  }
  return performance.now() - start
}

/** The row and the number of each write in the database, by its event. */
async function committedWrites({ connectionString }: Stage): Promise<ReadonlyMap<string, Acknowledged>> {
  const rows = await execute(
    connectionString,
    `SELECT id, request_id FROM audit_events WHERE action = 'priority.update'`,
  )
  return new Map(
    rows.map(({ id, request_id: request }) => {
      const [row = '', count = ''] = String(request).split('-')
      return [String(id), { row: Number(row), count: Number(count) }]
    }),
  )
}

function findings(
  reader: string,
  read: readonly ReadEvent[],
  committed: ReadonlyMap<string, Acknowledged>,
  acknowledged: readonly Acknowledged[],
): Finding[] {
  const ids = read.map(({ id }) => id)
  const inOrder = read.filter(({ position }, index) => {
    const before = read[index - 1]
    return before === undefined || BigInt(before.position) < BigInt(position)
  })
  const last = new Map<number, number>()
  const ascending = ids.filter((id) => {
    const { row, count } = committed.get(id) ?? { row: -1, count: 0 }
    const isNext = count === (last.get(row) ?? count - 1) + 1
    last.set(row, count)
    return isNext
  })
  const reported = new Set([...ids].map((id) => JSON.stringify(committed.get(id))))
  return [
    allOf(
      `acknowledged writes are reported by ${reader}`,
      acknowledged.filter((each) => reported.has(JSON.stringify(each))).length,
      acknowledged.length,
    ),
    allOf(
      `committed writes are reported by ${reader}`,
      [...committed.keys()].filter((id) => ids.includes(id)).length,
      committed.size,
    ),
    allOf(`events are reported once by ${reader}`, new Set(ids).size, ids.length),
    allOf(`positions ascend by ${reader}`, inOrder.length, read.length),
    allOf(`events of a row are in the order of its commits by ${reader}`, ascending.length, ids.length),
  ]
}
