import { setTimeout as wait } from 'node:timers/promises'
import { type CallResult, callJson } from '../../harness/call.js'
import { httpFormOf } from '../../src/limits/method-rules.js'
import {
  fixture,
  insertApiKey,
  insertFeedEvent,
  insertFixture,
  insertManagedKeys,
  insertUserToken,
} from '../support/fixture.js'
import { methodNamed, restFormOf } from '../support/method-forms.js'
import { removals, type WriteCall, writeCalls } from '../support/write-calls.js'
import { withDatabase } from './database.js'
import { eventsOf, type History, untilStill } from './history.js'
import type { Stage } from './stage.js'
import { allOf, atMost } from './trial.js'

/** Sets the numbers apart of calls with an earlier request, and of those that make what is then removed. */
const [AGAIN, MADE] = [1_000, 1_000_000]
/** How long to wait before a call is sent again; a part of it at random. */
const PAUSE_MILLIS = 100
const PATIENCE_MILLIS = 15_000
/** How long the service may take to answer a call of each method at the end. */
const FINISH_MILLIS = 300_000
/**
 * Numbers of the calls of each method that nothing disturbs, whose events are those of one effect. The second one repeats
 * the first under another key: it may find that there is nothing to change.
 */
const UNDISTURBED = [1, 1 + AGAIN, 3]

/** A method that writes, and whose request may be about what another call has made. */
interface Writer extends Pick<WriteCall, 'name' | 'caller'> {
  readonly made?: WriteCall
  readonly request: (n: number, id: string) => Readonly<Record<string, unknown>>
}

/** Every method that writes, as the matrices know them from the schema. */
const writers: readonly Writer[] = [
  ...writeCalls.map(({ name, caller, request }) => ({ name, caller, request: (n: number) => request(n) })),
  ...removals.map(({ name, caller, made, request }) => ({
    name,
    caller,
    made,
    request: (_: number, id: string) => request(id),
  })),
]

/** A history of every method that writes. */
export interface EveryWrite extends Pick<History, 'writeTo' | 'stop' | 'verify'> {
  /** Sends again what was not answered, and further calls of each method until one has succeeded. */
  finish(origin: string): Promise<void>
}

/**
 * Callers of every method that writes, one each, that send a call under a key until it is answered. Prepares the
 * database, and learns from the service at `origin` how many audit events each method leaves.
 */
export async function createEveryWrite(stage: Stage, name: string, origin: string): Promise<EveryWrite> {
  const tokens = await withDatabase(stage.connectionString, async (database) => {
    await insertFixture(database)
    await insertFeedEvent(database)
    await insertManagedKeys(database)
    const admin = await insertUserToken(database, { userId: fixture.users.admin })
    return { admin, key: (await insertApiKey(database, { organizationId: fixture.acme })).token }
  })
  const answered = new Map<string, number>()
  const last = new Map<string, string>()
  const turns = writers.map((writer) => ({ writer, n: 0 }))
  let isOver = false
  let writing: Promise<unknown> = Promise.resolve()

  /** Sends a call until it has an answer that another try would not change; undefined if all is over before. */
  const send = async (call: Writer, n: number, id: string, at: () => string): Promise<CallResult | undefined> => {
    const key = keyOf(call.name, n)
    const { verb: method, path, json } = restFormOf(methodNamed(call.name), call.request(n === 1 + AGAIN ? 1 : n, id))
    while (!isOver) {
      const headers = { 'idempotency-key': key, 'x-request-id': key }
      const options = { method, headers, token: tokens[call.caller], patienceMillis: PATIENCE_MILLIS }
      const answer = await callJson({ origin: at() }, path, json === undefined ? options : { ...options, json })
      const { status, text } = answer
      last.set(call.name, `${status} ${text.slice(0, 300)}`)
      const isLost = status === 0 || status >= 500 || status === 429 || (status === 409 && text.includes('"aborted"'))
      if (!isLost) {
        answered.set(key, status)
        return answer
      }
      await wait(PAUSE_MILLIS * (0.5 + Math.random()))
    }
    return undefined
  }
  const write = async ({ made, ...writer }: Writer, n: number, at: () => string): Promise<boolean> => {
    if (made === undefined) return (await send(writer, n, '', at)) !== undefined
    const making = { name: made.name, caller: made.caller, request: () => made.request(n) }
    const answer = await send(making, n + MADE, '', at)
    if (answer?.status !== 200) return answer !== undefined
    return (await send(writer, n, String(Object(JSON.parse(answer.text).data).id), at)) !== undefined
  }

  for (const writer of writers) for (const n of UNDISTURBED) await write(writer, n, () => origin)
  const undisturbed = await eventsOf(stage)
  const usual = new Map(
    [...writers, ...writers.flatMap(({ made }) => made ?? [])].map((writer) => {
      const numbers = UNDISTURBED.flatMap((n) => [n, n + MADE]).map((n) => keyOf(writer.name, n))
      return [
        writer.name,
        new Set(numbers.filter((key) => answered.get(key) === 200).map((key) => undisturbed.get(key) ?? 0)),
      ]
    }),
  )
  for (const turn of turns) turn.n = 5
  answered.clear()

  const silent = () => {
    const heard = new Set([...answered].filter(([, status]) => status === 200).map(([key]) => methodOf(key)))
    return writers.map((writer) => writer.name).filter((each) => !heard.has(each))
  }
  return {
    finish: async (origin) => {
      isOver = false
      const timer = setTimeout(() => {
        isOver = true
      }, FINISH_MILLIS)
      const until = async ({ writer, n }: (typeof turns)[number]) => {
        let next = n
        do {
          await write(writer, next, () => origin)
          next += 2
        } while (!isOver && silent().includes(writer.name))
      }
      await Promise.all(turns.map(until))
      clearTimeout(timer)
    },
    writeTo: (at) => {
      isOver = false
      writing = Promise.all(
        turns.map(async (turn) => {
          while (!isOver) if (await write(turn.writer, turn.n, at)) turn.n += 2
        }),
      )
    },
    stop: async () => {
      isOver = true
      await writing
    },
    verify: async () => {
      await untilStill(stage)
      const events = await eventsOf(stage)
      const acknowledged = [...answered].filter(([, status]) => status === 200)
      // What a killed process has sent to somebody else stays sent, and the retry sends it again.
      const isSentAgain = (key: string, count: number) => count > 1 && httpFormOf(methodNamed(methodOf(key))).sendsOut
      const isWhole = (key: string, count = events.get(key) ?? 0) =>
        usual.get(methodOf(key))?.has(count) === true || isSentAgain(key, count)
      const whole = acknowledged.filter(([key]) => isWhole(key))
      const others = [...events].filter(([key, count]) => usual.has(methodOf(key)) && count > 0 && !isWhole(key))
      for (const [key] of acknowledged.filter(([each]) => !isWhole(each)))
        console.log(`  ${key}: ${events.get(key)} events`)
      for (const name of silent())
        console.log(`  ${name}: no acknowledged write; last answer ${last.get(name) ?? 'none'}`)
      return [
        allOf(
          `${name}: acknowledged writes of every method that have their events once`,
          whole.length,
          acknowledged.length,
        ),
        atMost(`${name}: writes of every method that are half done or done twice`, others.length, 0, ''),
        atMost(`${name}: methods without an acknowledged write`, silent().length, 0, ''),
      ]
    },
  }
}

const keyOf = (method: string, n: number) => `every-${method}-${n}`

function methodOf(key: string): string {
  return key.split('-')[1] ?? ''
}
