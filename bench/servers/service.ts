import { pino } from 'pino'
import { createApp } from '../../src/app.js'
import { configFromEnvironment } from '../../src/config.js'
import { createDatabase, type DatabaseOptions } from '../../src/db/database.js'
import { tuneGarbageCollection } from '../../src/runtime/garbage-collection.js'
import { systemRuntime } from '../../src/runtime/runtime.js'
import { createMeters } from '../../src/telemetry/meters.js'
import { serve, settings } from './serve.js'

/**
 * How to reach the database, and what observes the service. `tracing` has the collector of spans, and the share of
 * calls that are traced.
 */
interface Settings extends Pick<DatabaseOptions, 'connectionString' | 'sessions' | 'statementNames' | 'isDistributed'> {
  readonly metrics?: boolean
  readonly tracing?: { readonly collector: string; readonly share: number }
}

tuneGarbageCollection()
// The unmodified service, with its request log discarded, and observed if requested.
const { metrics, tracing: traced, ...reached } = settings<Settings>()
const log = pino({ level: 'info' }, pino.destination({ dest: '/dev/null', sync: true }))
const database = createDatabase({ ...reached, log })
const meters = metrics === true ? createMeters({ version: '0.0.0', commit: 'unknown' }) : undefined
if (traced !== undefined) {
  process.env['OTEL_EXPORTER_OTLP_ENDPOINT'] = traced.collector
  process.env['OTEL_TRACES_SAMPLER'] = 'traceidratio'
  process.env['OTEL_TRACES_SAMPLER_ARG'] = String(traced.share)
}
const tracing = traced && (await import('../../src/telemetry/tracing.js')).startTracing({ version: '0.0.0', log })
// Each request to revoke a key comes from another address.
const config = configFromEnvironment({ TRUST_PROXY: '1' })
const app = createApp({ config, database, runtime: systemRuntime, log, meters, tracing })
const { port } = await app.listen(0, '127.0.0.1')
serve(port, async () => {
  await app.close()
  meters?.close()
  await tracing?.close()
  await database.close()
})
