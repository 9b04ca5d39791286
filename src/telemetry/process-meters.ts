import { monitorEventLoopDelay } from 'node:perf_hooks'
import { Counter, Gauge, type Registry } from 'prom-client'

/** How often the event loop is checked, in milliseconds: each check is one turn of it. */
const LOOK_MILLIS = 20

/** Measures what the process uses and how late its event loop is; the returned function ends this. */
export function watchProcess(registry: Registry, build: Readonly<Record<'version' | 'commit', string>>): () => void {
  const registers = [registry]
  const delay = monitorEventLoopDelay({ resolution: LOOK_MILLIS })
  delay.enable()
  new Gauge({
    name: 'svc_event_loop_delay_seconds',
    help: 'Event loop delay since the last scrape: median (p50), 99th percentile (p99), maximum (max).',
    labelNames: ['level'],
    registers,
    aggregator: 'max',
    collect() {
      const late = (nanoseconds: number) => Math.max(0, nanoseconds / 1e9 - LOOK_MILLIS / 1000) || 0
      this.set({ level: 'p50' }, late(delay.percentile(50)))
      this.set({ level: 'p99' }, late(delay.percentile(99)))
      this.set({ level: 'max' }, late(delay.max))
      delay.reset()
    },
  })
  new Counter({
    name: 'process_cpu_seconds_total',
    help: 'CPU time of the process, over all threads.',
    registers,
    collect() {
      const { user, system } = process.cpuUsage()
      this.reset()
      this.inc((user + system) / 1e6)
    },
  })
  new Gauge({
    name: 'process_resident_memory_bytes',
    help: 'Resident memory of the process.',
    registers,
    collect() {
      this.set(process.memoryUsage.rss())
    },
  })
  new Gauge({
    name: 'process_start_time_seconds',
    help: 'When the process started, in seconds since 1970.',
    registers,
    aggregator: 'min',
  }).set(performance.timeOrigin / 1000)
  new Gauge({
    name: 'nodejs_heap_size_used_bytes',
    help: 'Memory used by JavaScript objects.',
    registers,
    collect() {
      this.set(process.memoryUsage().heapUsed)
    },
  })
  new Gauge({
    name: 'svc_build_info',
    help: 'The version of the service, the commit that it was built from, and the version of Node; always 1.',
    labelNames: ['version', 'commit', 'node'],
    registers,
    aggregator: 'first',
  }).set({ ...build, node: process.version }, 1)
  return () => delay.disable()
}
