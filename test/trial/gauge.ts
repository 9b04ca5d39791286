import { rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { isMainThread } from 'node:worker_threads'

// Loaded into a service beside its own program (`--import`): reports on the socket of GAUGE_SOCKET what it uses,
// after a full garbage collection if it is asked for one.

/** What a process uses. */
export interface ProcessUsage {
  /** Bytes of JavaScript objects. */
  readonly heap: number
  /** What keeps the process alive, by kind: sockets, timers, servers. */
  readonly handles: Readonly<Record<string, number>>
}

/** Asks for what is in use, now or after a garbage collection. */
export type GaugeQuestion = 'now' | 'collected'

const path = process.env['GAUGE_SOCKET']
if (path !== undefined && isMainThread) {
  setFlagsFromString('--expose_gc')
  const collect = runInNewContext('gc') as () => void
  setFlagsFromString('--no-expose_gc')
  rmSync(path, { force: true })
  createServer((socket) => {
    socket.once('data', (question: Buffer) => {
      if (String(question) === ('collected' satisfies GaugeQuestion)) collect()
      socket.end(JSON.stringify(processUsage()))
    })
  })
    .listen(path)
    .unref()
}

function processUsage(): ProcessUsage {
  const handles: Record<string, number> = {}
  for (const kind of process.getActiveResourcesInfo()) handles[kind] = (handles[kind] ?? 0) + 1
  return { heap: process.memoryUsage().heapUsed, handles }
}
