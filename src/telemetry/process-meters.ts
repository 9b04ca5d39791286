import { monitorEventLoopDelay } from 'node:perf_hooks'
import { Gauge, type Registry } from 'prom-client'
import { addReadings } from './readings.js'

/** How often the event loop is checked, in milliseconds: each check is one turn of it. */
const LOOK_MILLIS = 20

/** Measures what the process uses and how late its event loop is; the returned function ends this. */
export function watchProcess(registry: Registry, build: Readonly<Record<'version' | 'commit', string>>): () => void {
  const delay = monitorEventLoopDelay({ resolution: LOOK_MILLIS })
  delay.enable()
  addReadings(registry, [
    {
      name: 'svc_event_loop_delay_seconds',
      help: 'Event loop delay since the last scrape: median (p50), 99th percentile (p99), maximum (max).',
      label: 'level',
      aggregator: 'max',
      read: () => {
        const late = (nanoseconds: number) => Math.max(0, nanoseconds / 1e9 - LOOK_MILLIS / 1000) || 0
        const levels = { p50: late(delay.percentile(50)), p99: late(delay.percentile(99)), max: late(delay.max) }
        delay.reset()
        return levels
      },
    },
    {
      name: 'process_resident_memory_bytes',
      help: 'Resident memory of the process.',
      read: () => process.memoryUsage.rss(),
    },
    {
      name: 'process_start_time_seconds',
      help: 'When the process started, in seconds since 1970.',
      aggregator: 'min',
      read: () => performance.timeOrigin / 1000,
    },
    {
      name: 'nodejs_heap_size_used_bytes',
      help: 'Memory used by JavaScript objects.',
      read: () => process.memoryUsage().heapUsed,
    },
    {
      name: 'process_cpu_seconds_total',
      help: 'CPU time of the process, over all threads.',
      read: () => {
        const { user, system } = process.cpuUsage()
        return (user + system) / 1e6
      },
    },
  ])
  new Gauge({
    name: 'svc_build_info',
    help: 'The version of the service, the commit that it was built from, and the version of Node; always 1.',
    labelNames: ['version', 'commit', 'node'],
    registers: [registry],
    aggregator: 'first',
  }).set({ ...build, node: process.version }, 1)
  return () => delay.disable()
}
