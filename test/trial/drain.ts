import { setTimeout as wait } from 'node:timers/promises'
import { type End, openConnections } from './busy-connection.js'
import type { ServiceRun, Stage } from './stage.js'
import { allOf, atLeast, atMost, type Finding, type Trial } from './trial.js'

/** Connections to each of the four protocols. */
const BUSY_EACH = 240
const IDLE_EACH = 10
/** The default. */
const DRAIN_SECONDS = 5
/** The least that a balancer must be able to notice. */
const NOTICE_MILLIS = (DRAIN_SECONDS - 2) * 1_000
/** How long all connections are in use before the signal comes. */
const BUSY_MILLIS = 4_000

/** SIGTERM while nearly a thousand connections are in use, to one process and to four. */
export const drain: Trial = {
  name: 'drain',
  onEachDatabase: true,
  run: async (stage) => [...(await stopBusy(stage, 1)), ...(await stopBusy(stage, 4))],
}

async function stopBusy(stage: Stage, workers: number): Promise<readonly Finding[]> {
  const environment = { DRAIN_SECONDS: String(DRAIN_SECONDS) }
  const run = await stage.serve({ args: ['--workers', String(workers)], environment })
  const idle = await openConnections(run.port, stage.tokens.key, IDLE_EACH)
  const busy = await openConnections(run.port, stage.tokens.key, BUSY_EACH)
  for (const { begin } of busy) begin()
  await wait(BUSY_MILLIS)
  const readiness = watchReadiness(run)
  const stopped = run.stop()
  const idleEnds = idle.map(async ({ ended }) => [await ended, performance.now()] as const)
  const busyEnds = await Promise.all(busy.map(async ({ protocol, ended }) => [protocol, await ended] as const))
  const { unready, closed } = await readiness
  const { millis, status } = await stopped
  const inOrder = (await Promise.all(idleEnds)).filter(([end, at]) => isInOrder(end, at - unready))
  const cut = busyEnds.flatMap(([protocol, end]) =>
    end === 'announced' ? [] : `${protocol}: ${typeof end === 'string' ? end : end.fault}`,
  )
  const name = workers === 1 ? 'one process' : `${workers} processes`
  return [
    {
      promise: `${name}: of ${busy.length} connections in use none is cut`,
      measured: [cut.length, ...new Set(cut)].join(', '),
      kept: cut.length === 0,
    },
    atLeast(`${name}: not ready before the port is closed`, closed - unready, NOTICE_MILLIS, 'ms'),
    allOf(`${name}: idle connections end when a balancer could notice`, inOrder.length, idle.length),
    atMost(`${name}: SIGTERM ends the service in`, millis, (DRAIN_SECONDS + 3) * 1000, 'ms'),
    { promise: `${name}: it ends by itself`, measured: `exit ${status}`, kept: status === 0 },
  ]
}

/** HTTP/2 announces the end of an idle connection at once; HTTP/1.1 cannot, so it stays open while draining. */
function isInOrder(end: End, millisUnready: number): boolean {
  return end === 'announced' || (end === 'idle' && millisUnready >= NOTICE_MILLIS)
}

/** When health first reported not ready, and when the port first refused a connection. */
async function watchReadiness({ origin }: ServiceRun): Promise<{ unready: number; closed: number }> {
  let unready = Number.POSITIVE_INFINITY
  const init = { method: 'POST', headers: { 'content-type': 'application/json', connection: 'close' }, body: '{}' }
  for (;;) {
    try {
      const answer = await fetch(`${origin}/grpc.health.v1.Health/Check`, init)
      if ((await answer.text()).includes('NOT_SERVING')) unready = Math.min(unready, performance.now())
    } catch (error) {
      if (!(error instanceof Error)) throw error
      return { unready, closed: performance.now() }
    }
    await wait(50)
  }
}
