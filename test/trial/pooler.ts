import { setTimeout as wait } from 'node:timers/promises'
import { startPgBouncer } from '../../harness/pgbouncer.js'
import { roleSettings } from '../../src/db/session-settings.js'
import { untilRecovered, untilWritten } from './back.js'
import { readTogether } from './call.js'
import { createHistory } from './history.js'
import type { Stage } from './stage.js'
import { atMost, type Finding, type Trial } from './trial.js'

const WRITING_MILLIS = 1_000
/** How long there is no pooler. */
const GONE_MILLIS = 300
const BACK_MILLIS = 2_000

/** A PgBouncer in transaction mode is ended and started again while writers write through it. */
export const pooler: Trial = {
  name: 'pooler',
  onEachDatabase: true,
  onlyIfNamed: true,
  amount: { of: 'restarts', full: 50, short: 2 },
  run,
}

async function run(stage: Stage, restarts: number): Promise<readonly Finding[]> {
  const name = `pooler restarted ${restarts} times`
  const adminUrl = stage.connectionString
  let bouncer = await startPgBouncer({ adminUrl, prepareRole: roleSettings })
  const settings = { listen_port: String(bouncer.port) }
  try {
    const url = new URL(`postgresql://svc@127.0.0.1:${bouncer.port}${new URL(adminUrl).pathname}`)
    const environment = { DATABASE_DIRECT_URL: adminUrl, DATABASE_STATEMENT_NAMES: 'off' }
    const service = await stage.serve({ connectionString: url.href, environment })
    await readTogether(service, stage, 50)
    const history = createHistory(stage, name)
    let slowest = 0
    history.writeTo(() => service.origin)
    for (let restart = 0; restart < restarts; restart++) {
      await wait(WRITING_MILLIS)
      await bouncer.stop()
      await wait(GONE_MILLIS)
      bouncer = await startPgBouncer({ adminUrl, prepareRole: roleSettings, settings })
      const back = await untilRecovered({ ...stage, connectionString: url.href })
      slowest = Math.max(slowest, (await untilWritten(service, stage)) - back)
    }
    await history.stop()
    const others = [...history.answers()].filter(([status]) => status !== 200 && status !== 503)
    const { status } = await service.stop()
    return [
      ...(await history.verify()),
      {
        promise: `${name}: answers but 200 and 503`,
        measured: others.map(([answer, count]) => `${count} × ${answer}`).join(', ') || '0',
        kept: others.length === 0,
      },
      atMost(`${name}: the first good write after it is back`, slowest, BACK_MILLIS, 'ms'),
      { promise: `${name}: the service runs through`, measured: `exit ${status}`, kept: status === 0 },
    ]
  } finally {
    await bouncer.stop()
  }
}
