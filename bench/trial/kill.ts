import { setTimeout as wait } from 'node:timers/promises'
import { patchPriority, readTogether, untilGood } from './call.js'
import { execute, type ServiceRun, type Stage } from './stage.js'
import { allOf, atMost, type Finding, type Trial } from './trial.js'

const KILLS = 10
const CUTS = 10
const WRITERS = 8
const RESTARTED_MILLIS = 5_000
const REPAIRED_MILLIS = 5_000

/** The service is killed while it writes, and its sessions are ended by the server while it writes. */
export const kill: Trial = {
  name: 'kill',
  onEachDatabase: true,
  run: async (stage) => [...(await killService(stage)), ...(await endSessions(stage))],
}

async function killService(stage: Stage): Promise<readonly Finding[]> {
  const writes = createWrites(stage)
  let start = 0
  for (let round = 0; round < KILLS; round++) {
    const began = performance.now()
    const run = await stage.serve()
    start = Math.max(start, performance.now() - began)
    const writing = writes.writeTo(run)
    await wait(500 + Math.random() * 500)
    await run.kill()
    await writing
  }
  return [
    allOf(`killed ${KILLS} times: writes that were acknowledged stand`, await writes.standing(), writes.acknowledged()),
    atMost(`killed ${KILLS} times: a new process listens after, at most`, start, RESTARTED_MILLIS, 'ms'),
  ]
}

async function endSessions(stage: Stage): Promise<readonly Finding[]> {
  const writes = createWrites(stage)
  const run = await stage.serve()
  await readTogether(run, stage, 100)
  const writing = writes.writeTo(run)
  for (let round = 0; round < CUTS; round++) {
    await wait(200)
    await execute(
      stage.connectionString,
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE datname = current_database() AND pid <> pg_backend_pid()`,
    )
  }
  const start = performance.now()
  const recovered = await untilGood(run, stage, start + REPAIRED_MILLIS)
  await run.kill()
  await writing
  return [
    allOf(`sessions ended ${CUTS} times: acknowledged writes stand`, await writes.standing(), writes.acknowledged()),
    atMost('sessions ended: good answers alone again after', recovered - start, REPAIRED_MILLIS, 'ms'),
  ]
}

/** Writers that each count up in a priority of their own, and the acknowledged counts. */
function createWrites(stage: Stage) {
  const acknowledged: number[] = Array.from({ length: WRITERS }, () => 0)
  const sent = [...acknowledged]
  let total = 0
  const writeOn = async (run: ServiceRun, writer: number): Promise<void> => {
    for (;;) {
      const count = (sent[writer] ?? 0) + 1
      sent[writer] = count
      const { status } = await patchPriority(run, stage, writer, `write ${count}`)
      if (status === 0) return
      if (status !== 200) continue
      acknowledged[writer] = count
      total++
    }
  }
  return {
    /** Writes until the service is gone. */
    writeTo: (run: ServiceRun) => Promise.all(acknowledged.map((_, writer) => writeOn(run, writer))),
    acknowledged: () => total,
    /** How many of them stand: all up to the last one, where that one stands or a later one whose answer was lost. */
    standing: async () => {
      const rows = await execute(stage.connectionString, `SELECT id, name FROM priorities WHERE name LIKE 'write %'`)
      const found = new Map(rows.map(({ id, name }) => [String(id), Number(String(name).split(' ')[1])]))
      const isLost = (count: number, writer: number) => (found.get(`priority-${writer}`) ?? 0) < count
      return total - acknowledged.filter(isLost).length
    },
  }
}
