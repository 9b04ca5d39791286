import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { Usage } from '../child.js'

/** The settings that the parent gave this process. */
export function settings<T>(): T {
  return JSON.parse(process.argv[2] ?? '{}') as T
}

/** Reports the port to the parent, then answers its requests until it sends stop. */
export function serve(port: number, close: () => Promise<void>): void {
  const delay = monitorEventLoopDelay({ resolution: 1 })
  delay.enable()
  let cpu = process.cpuUsage()
  process.on('message', (message) => {
    if (message === 'stop') {
      void close().then(() => process.disconnect())
      return
    }
    const { user, system } = process.cpuUsage(cpu)
    cpu = process.cpuUsage()
    const usage: Usage = {
      cpuMicros: user + system,
      stallMillis: delay.max / 1e6,
      rssBytes: process.memoryUsage.rss(),
    }
    delay.reset()
    process.send?.(usage)
  })
  process.send?.(port)
}
