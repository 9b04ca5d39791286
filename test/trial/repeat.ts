import { setTimeout as wait } from 'node:timers/promises'
import { execute, type ServiceRun, type Stage } from './stage.js'
import { allOf, type Finding, type Trial } from './trial.js'

/** Pairs in flight at a time: as many calls as a process accepts. */
const TOGETHER = 128
/** How long to wait before a refused or lost call is sent again. */
const PAUSE_MILLIS = 200

/**
 * Each of many calls is sent twice at once, to a service of two processes that is killed meanwhile, until it is
 * answered.
 */
export const repeat: Trial = {
  name: 'repeat',
  onEachDatabase: true,
  amount: { of: 'pairs', full: 10_000, short: 300 },
  run,
}

interface Answer {
  readonly status: number
  readonly isReplayed: boolean
  readonly text: string
}

async function run(stage: Stage, pairs: number): Promise<readonly Finding[]> {
  const start = () => stage.serve({ args: ['--workers', '2'] })
  let service: ServiceRun = await start()
  const answers: (readonly [Answer, Answer])[] = []
  let sent = 0
  const sendPairs = async (): Promise<void> => {
    while (sent < pairs) {
      const key = `pair-${sent++}`
      const call = () => untilAnswered(() => service.origin, stage, key)
      answers.push(await Promise.all([call(), call()]))
    }
  }
  const sending = Promise.all(Array.from({ length: TOGETHER }, sendPairs))
  while (answers.length < pairs / 2) await wait(10)
  await service.kill()
  service = await start()
  await sending
  const [row] = await execute(
    stage.connectionString,
    `SELECT count(*)::int AS effects, count(DISTINCT id)::int AS ids FROM approval_procedures`,
  )
  const equal = answers.filter(([one, other]) => one.status === 200 && one.text === other.text)
  const marked = answers.filter(([one, other]) => one.isReplayed || other.isReplayed)
  return [
    allOf('pairs of calls, the service killed in between: effects', Number(row?.['effects']), pairs),
    allOf('pairs with the same 200, byte for byte', equal.length, pairs),
    allOf('pairs with one response marked as a replay', marked.length, pairs),
  ]
}

/** Creates an approval procedure, a new one each time, and retries while the service does not respond or is too busy. */
async function untilAnswered(origin: () => string, { tokens }: Stage, key: string): Promise<Answer> {
  for (;;) {
    const answer = await create(origin(), tokens.key, key)
    if (answer !== undefined) return answer
    await wait(PAUSE_MILLIS * Math.random())
  }
}

async function create(origin: string, token: string, key: string): Promise<Answer | undefined> {
  try {
    const response = await fetch(`${origin}/v2/access-policies/policy-1/approval-procedures`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        'idempotency-key': key,
      },
      body: '{"steps":[{"approvers":[{"manager":{}}]}]}',
      signal: AbortSignal.timeout(30_000),
    })
    const text = await response.text()
    if (response.status === 503) return undefined
    return { status: response.status, isReplayed: response.headers.has('idempotency-replayed'), text }
  } catch (error) {
    if (!(error instanceof Error)) throw error
    return undefined
  }
}
