import { setTimeout as wait } from 'node:timers/promises'
import { type CallResult, callJson } from '../../harness/call.js'
import { execute, type Stage } from './stage.js'
import { allOf, atMost, type Finding } from './trial.js'

/** Writers of each kind. */
const WRITERS = 3
/** How many resources a batch writes: all of them, or none. */
const BATCH = 10
/** How long to wait after a call without a good answer; a part of it at random. */
const PAUSE_MILLIS = 100
const PATIENCE_MILLIS = 15_000
/** The service ends its statements after 10 s. */
const STILL_MILLIS = 30_000

/** A kind of write, and what it leaves in the database. */
interface Kind {
  readonly name: string
  send(stage: Stage, origin: string, write: Write): Promise<CallResult>
  /** Rows of `writer` and `text`, which is the text of the last write: one for each thing written. */
  readonly statement: string
  /** Audit events of each write. */
  readonly events: number
}

/** One write. */
interface Write {
  readonly writer: number
  /** What is written: the history's own word, and the number of the write. */
  readonly text: string
  readonly id: string
}

const options = ({ id }: Write) => ({ headers: { 'x-request-id': id }, patienceMillis: PATIENCE_MILLIS })

const kinds: readonly Kind[] = [
  {
    name: 'row',
    send: ({ tokens }, origin, write) =>
      callJson({ origin }, `/v2/priorities/priority-${write.writer}`, {
        method: 'PATCH',
        token: tokens.user,
        json: { name: write.text },
        ...options(write),
      }),
    statement: `SELECT replace(id, 'priority-', '') AS writer, name AS text FROM priorities`,
    events: 1,
  },
  {
    name: 'batch',
    send: ({ tokens }, origin, write) =>
      callJson({ origin }, '/v2/app-resources/batch', {
        method: 'PUT',
        token: tokens.key,
        json: { resources: batchOf(write) },
        ...options(write),
      }),
    statement: `SELECT (replace(id, 'resource-', '')::int / ${BATCH})::text AS writer, name AS text FROM app_resources`,
    events: BATCH,
  },
  {
    name: 'person',
    send: ({ tokens }, origin, write) =>
      callJson({ origin }, `/v2/users/user-${write.writer + 1}`, {
        method: 'PUT',
        token: tokens.user,
        json: { jobTitle: write.text, department: write.text },
        ...options(write),
      }),
    statement: `SELECT (replace(user_id, 'user-', '')::int - 1)::text AS writer,
        unnest(ARRAY[job_title, department]) AS text FROM memberships`,
    events: 1,
  },
]

function batchOf({ writer, text }: Write) {
  return Array.from({ length: BATCH }, (_, index) => ({ id: `resource-${writer * BATCH + index}`, name: text }))
}

/** What one writer has sent and received. */
interface Log {
  sent: number
  readonly acknowledged: number[]
}

/** Writers that each count up in rows of their own, and one that creates objects under a key until each creation is acknowledged. */
export interface History {
  /** Writes until `stop`; to be called again with the next service. */
  writeTo(origin: () => string): void
  /** Resolves when every writer has ended. */
  stop(): Promise<void>
  acknowledged(): number
  /** How many answers of the writes had each status; 0 is none. */
  answers(): ReadonlyMap<number, number>
  /** What was lost, and what was half done. */
  verify(): Promise<readonly Finding[]>
}

let histories = 0

/** The writers of a stage; `name` begins the findings. One history at a time writes on a stage. */
export function createHistory(stage: Stage, name: string): History {
  const word = `history-${++histories}`
  const logs = kinds.map((kind) => ({
    kind,
    logs: Array.from({ length: WRITERS }, (): Log => ({ sent: 0, acknowledged: [] })),
  }))
  const made = new Set<string>()
  const answers = new Map<number, number>()
  let isOver = false
  let writing: Promise<unknown> = Promise.resolve()

  const write = async (kind: Kind, log: Log, writer: number, origin: () => string) => {
    while (!isOver) {
      log.sent++
      const text = `${word} ${log.sent}`
      const { status } = await kind.send(stage, origin(), {
        writer,
        text,
        id: `${kind.name}-${writer}-${word}-${log.sent}`,
      })
      answers.set(status, (answers.get(status) ?? 0) + 1)
      if (status === 200) log.acknowledged.push(log.sent)
      else await wait(PAUSE_MILLIS * (0.5 + Math.random()))
    }
  }
  const make = async (writer: number, origin: () => string) => {
    for (let count = 1; !isOver; ) {
      const key = `made-${writer}-${word}-${count}`
      const { status } = await callJson({ origin: origin() }, '/v2/access-policies/policy-1/approval-procedures', {
        method: 'POST',
        token: stage.tokens.key,
        json: { steps: [{ approvers: [{ manager: {} }] }] },
        headers: { 'idempotency-key': key, 'x-request-id': key },
        patienceMillis: PATIENCE_MILLIS,
      })
      if (status !== 200) await wait(PAUSE_MILLIS * (0.5 + Math.random()))
      else {
        made.add(key)
        count++
      }
    }
  }
  return {
    writeTo: (origin) => {
      isOver = false
      writing = Promise.all([
        ...logs.flatMap((each) => each.logs.map((log, writer) => write(each.kind, log, writer, origin))),
        make(0, origin),
        make(1, origin),
      ])
    },
    stop: async () => {
      isOver = true
      await writing
    },
    acknowledged: () =>
      logs.flatMap((each) => each.logs).reduce((sum, log) => sum + log.acknowledged.length, made.size),
    answers: () => answers,
    verify: async () => {
      await untilStill(stage)
      const events = await eventsOf(stage)
      let [lost, torn, all] = [0, 0, 0]
      for (const { kind, logs: writers } of logs) {
        const rows = await execute(stage.connectionString, kind.statement)
        for (const [writer, log] of writers.entries()) {
          const texts = new Set(
            rows.filter((row) => row['writer'] === String(writer)).map((row) => String(row['text'])),
          )
          const found = Math.max(0, ...[...texts].map((text) => numberIn(text, word)))
          const eventsIn = (count: number) => events.get(`${kind.name}-${writer}-${word}-${count}`) ?? 0
          const hasEvent = (count: number) => eventsIn(count) === kind.events
          const last = log.acknowledged.at(-1) ?? 0
          all += log.acknowledged.length
          lost += log.acknowledged.filter((count) => !hasEvent(count)).length
          // A call without an answer may have its effect later; an acknowledged one may not come back.
          if (found < last && (found === 0 || log.acknowledged.includes(found))) lost++
          if (found > 0 && (texts.size > 1 || !hasEvent(found))) torn++
          for (let count = 1; count <= log.sent; count++) if (eventsIn(count) > 0 && !hasEvent(count)) torn++
        }
      }
      const { effects, repeated, eventless } = await proceduresOf(stage)
      const missing = [...made].filter((key) => !effects.has(key)).length
      return [
        allOf(`${name}: acknowledged writes that stand`, all + made.size - lost - missing, all + made.size),
        atMost(`${name}: writes half done, or without their event`, torn + eventless, 0, ''),
        atMost(`${name}: calls with a key that have two effects`, repeated, 0, ''),
      ]
    },
  }
}

/** The number of the write whose text it is; 0 if it is of another history, or was there before. */
function numberIn(text: string, word: string): number {
  return text.startsWith(`${word} `) ? Number(text.slice(word.length + 1)) : 0
}

/** What a killed service has sent may still be executed: waits until its sessions have ended, or wait themselves. */
export async function untilStill({ connectionString }: Stage): Promise<void> {
  const end = performance.now() + STILL_MILLIS
  while (performance.now() < end) {
    const [row] = await execute(
      connectionString,
      `SELECT count(*)::int AS busy FROM pg_stat_activity
        WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'
          AND state IS DISTINCT FROM 'idle'`,
    )
    if (row?.['busy'] === 0) return
    await wait(20)
  }
  throw new Error('the database does not come to rest')
}

/** How many rows each request has changed, by its id. */
export async function eventsOf({ connectionString }: Stage): Promise<ReadonlyMap<string, number>> {
  const rows = await execute(
    connectionString,
    'SELECT request_id AS id, count(*)::int AS events FROM audit_events GROUP BY 1',
  )
  return new Map(rows.map(({ id, events }) => [String(id), Number(events)]))
}

/** The calls that have made a procedure, those that made two, and procedures without an event or an event without one. */
async function proceduresOf({ connectionString }: Stage) {
  const rows = await execute(
    connectionString,
    `SELECT event.request_id AS key, procedure.id FROM approval_procedures procedure
       FULL JOIN (SELECT * FROM audit_events WHERE action = 'approval_procedure.create') event
         ON event.target_id = procedure.id::text`,
  )
  const keys = rows.map(({ key }) => String(key))
  const effects = new Set(keys)
  return {
    effects,
    repeated: keys.length - effects.size,
    eventless: rows.filter(({ key, id }) => key === null || id === null).length,
  }
}
