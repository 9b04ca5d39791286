import { randomBytes } from 'node:crypto'
import { pino } from 'pino'
import { createApp } from '../../src/app.js'
import { configFromEnvironment } from '../../src/config.js'
import { createDatabase } from '../../src/db/database.js'
import { createUuidV7 } from '../../src/runtime/uuid-v7.js'
import { createMeters } from '../../src/telemetry/meters.js'
import { serve, settings } from './serve.js'

// The service as it is, with its log of requests written to nowhere, and its metrics where they are asked for.
const { connectionString, metrics } = settings<{ connectionString: string; metrics?: boolean }>()
const log = pino({ level: 'info' }, pino.destination({ dest: '/dev/null', sync: true }))
const database = createDatabase({ connectionString, log })
const runtime = { now: () => new Date(), newId: createUuidV7({ now: Date.now, randomBytes }), randomBytes }
const meters = metrics === true ? createMeters('0.0.0') : undefined
const app = createApp({ config: configFromEnvironment({}), database, runtime, log, meters })
const { port } = await app.listen(0, '127.0.0.1')
serve(port, async () => {
  await app.close()
  meters?.close()
  await database.close()
})
