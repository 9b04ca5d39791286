import { setTimeout as wait } from 'node:timers/promises'
import { type EmbeddedServer, startEmbeddedServer } from '../../harness/database.js'
import { untilRecovered, untilWritten } from './back.js'
import { createHistory } from './history.js'
import { databaseOf, type Stage, setStage } from './stage.js'
import { atMost, type Finding, type Trial } from './trial.js'

const BACK_MILLIS = 2_000
/** How long writers write before the kill: this, and as long again at random. */
const WRITING_MILLIS = 250

/** PostgreSQL is killed, alone or together with the service, while writers write. It is one of this trial's own. */
export const crash: Trial = {
  name: 'crash',
  onEachDatabase: false,
  amount: { of: 'kills of each kind', full: 50, short: 1 },
  run: async (_, kills) => {
    const server = await startEmbeddedServer()
    const { stage, clear } = await setStage(databaseOf(server))
    try {
      return [...(await killDatabase(stage, server, kills)), ...(await killBoth(stage, server, kills))]
    } finally {
      await clear()
      await server.stop()
    }
  },
}

async function killDatabase(stage: Stage, server: EmbeddedServer, kills: number): Promise<readonly Finding[]> {
  const name = `PostgreSQL killed ${kills} times`
  const history = createHistory(stage, name)
  const run = await stage.serve()
  let slowest = 0
  history.writeTo(() => run.origin)
  for (let kill = 0; kill < kills; kill++) {
    await wait(WRITING_MILLIS * (1 + Math.random()))
    server.kill()
    const back = await untilRecovered(stage)
    slowest = Math.max(slowest, (await untilWritten(run, stage)) - back)
  }
  await history.stop()
  const { status } = await run.stop()
  return [
    ...(await history.verify()),
    atMost(`${name}: the first good write after it is back`, slowest, BACK_MILLIS, 'ms'),
    { promise: `${name}: the service runs through`, measured: `exit ${status}`, kept: status === 0 },
  ]
}

async function killBoth(stage: Stage, server: EmbeddedServer, kills: number): Promise<readonly Finding[]> {
  const name = `PostgreSQL and the service killed ${kills} times`
  const history = createHistory(stage, name)
  for (let kill = 0; kill < kills; kill++) {
    const run = await stage.serve()
    history.writeTo(() => run.origin)
    await wait(WRITING_MILLIS * (1 + Math.random()))
    server.kill()
    await run.kill()
    await history.stop()
    await untilRecovered(stage)
  }
  return history.verify()
}
