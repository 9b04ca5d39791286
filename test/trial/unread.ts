import { setTimeout as wait } from 'node:timers/promises'
import { quantile } from '../../harness/quantile.js'
import { fixture, insertFixture, insertUserToken } from '../support/fixture.js'
import { openSocket, preface, requestFrames } from '../support/http2-client.js'
import { read } from './call.js'
import { withDatabase } from './database.js'
import type { ServiceRun, Stage } from './stage.js'
import { allOf, atMost, type Finding, type Trial } from './trial.js'

const STREAMS = 100
const RST_STREAM = 3
/** Between two connections. */
const PAUSE_MILLIS = 100
/** How long an unread response is kept, plus the time to notice that beside other work. */
const CUT_MILLIS = 15_000
const PATIENCE_MILLIS = 100_000
const P99_MILLIS = 250
/** Between two calls of a caller that reads: in the short form, and else. */
const [FEW_CALLS_MILLIS, BETWEEN_CALLS_MILLIS] = [20, 4]

/** Clients of HTTP/2 that let no byte of their answers out, without a credential and with one of another organization. */
export const unread: Trial = {
  name: 'unread',
  onEachDatabase: false,
  amount: { of: `connections with ${STREAMS} calls`, full: 1_000, short: 20 },
  run: async (stage, connections) => {
    const token = await withDatabase(stage.connectionString, async (database) => {
      await insertFixture(database)
      return insertUserToken(database, { userId: fixture.users.manager })
    })
    const service = await stage.serve()
    const cuts: Promise<number>[] = []
    let isOver = false
    const pauseMillis = connections < 100 ? FEW_CALLS_MILLIS : BETWEEN_CALLS_MILLIS
    const others = readSequentially(service, stage, pauseMillis, () => isOver)
    for (let index = 0; index < connections; index++) {
      cuts.push(untilCut(service.port, index % 2 === 0 ? undefined : token))
      await wait(PAUSE_MILLIS)
    }
    const millis = await Promise.all(cuts)
    isOver = true
    const answers = await others
    const p99Millis = quantile(
      answers.map((answer) => answer.millis),
      0.99,
    )
    const findings: Finding[] = [
      allOf(
        `connections whose ${STREAMS} answers are cut`,
        millis.filter((each) => each < Number.POSITIVE_INFINITY).length,
        connections,
      ),
      atMost('until the last of them is cut', Math.max(...millis), CUT_MILLIS, 'ms'),
      allOf(
        'calls of others that are answered 200',
        answers.filter(({ status }) => status === 200).length,
        answers.length,
      ),
      atMost('p99 of these calls', p99Millis, P99_MILLIS, 'ms'),
    ]
    return findings
  },
}

/** The calls of a caller that reads the responses, until the trial is over. */
async function readSequentially({ origin }: ServiceRun, { tokens }: Stage, pauseMillis: number, isOver: () => boolean) {
  const answers: { readonly status: number; readonly millis: number }[] = []
  while (!isOver()) {
    answers.push(await read({ origin }, { tokens }))
    await wait(pauseMillis)
  }
  return answers
}

/** Opens a connection whose answers cannot leave; resolves with the milliseconds until all of them are cut. */
async function untilCut(port: number, token: string | undefined): Promise<number> {
  const head = { ':method': 'GET', ':scheme': 'http', ':path': `/v2/app-instances?teamId=${fixture.it}` }
  const fields = {
    ...head,
    ':authority': 'localhost',
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
  }
  const requests = Array.from({ length: STREAMS }, (_, index) => requestFrames(2 * index + 1, fields))
  const socket = await openSocket(port)
  const start = performance.now()
  let received: Buffer = Buffer.alloc(0)
  let resets = 0
  return new Promise((resolve) => {
    const end = (millis: number) => {
      clearTimeout(patience)
      socket.destroy()
      resolve(millis)
    }
    const patience = setTimeout(() => end(Number.POSITIVE_INFINITY), PATIENCE_MILLIS)
    socket.on('error', () => undefined).on('close', () => end(performance.now() - start))
    socket.on('data', (chunk: Buffer) => {
      received = Buffer.concat([received, chunk])
      while (received.length >= 9 && received.length >= 9 + received.readUIntBE(0, 3)) {
        if (received[3] === RST_STREAM) resets++
        received = received.subarray(9 + received.readUIntBE(0, 3))
      }
      if (resets === STREAMS) end(performance.now() - start)
    })
    socket.write(Buffer.concat([preface(0), ...requests]))
  })
}
