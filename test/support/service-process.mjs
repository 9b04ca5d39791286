// A second process of the service on the database of its environment, for tests across processes. Runs the
// built code. Sends its address over IPC; stops at any message, or when its parent is gone.
import { pino } from 'pino'
import { createApp } from '../../dist/src/app.js'
import { sessionsOf } from '../../dist/src/cli/command-context.js'
import { createRedactedLog } from '../../dist/src/cli/log.js'
import { configFromEnvironment } from '../../dist/src/config.js'
import { createDatabase } from '../../dist/src/db/database.js'
import { systemRuntime } from '../../dist/src/runtime/runtime.js'

const config = configFromEnvironment()
const log = createRedactedLog(config.logLevel, pino.destination(2))
const database = createDatabase({ ...sessionsOf(config), log })
const app = createApp({ config, database, runtime: systemRuntime, log })
const { port } = await app.listen(0, '127.0.0.1')

let stopping
const stop = () => {
  stopping ??= app.close().then(() => database.close())
  return stopping
}
process.on('message', () => stop().then(() => process.disconnect()))
process.on('disconnect', stop)
process.send({ baseUrl: `http://127.0.0.1:${port}` })
