import cluster, { type Address, type Worker } from 'node:cluster'
import { once, setMaxListeners } from 'node:events'
import { pause, systemTiming } from '../db/retries.js'
import { type CommandContext, originOf } from './command-context.js'

/** After how long a worker is replaced that died before it listened. */
const RETRY_MILLIS = 1_000

/**
 * Runs the service in several processes that share the port and the database, until the operator stops it. If one of
 * them does not start, the program ends; one that dies later is replaced.
 */
export async function runWorkers(
  count: number,
  connectionString: string,
  { config, stopSignal, log, onHangup }: CommandContext,
  onListening: (origin: string) => Promise<void>,
): Promise<void> {
  const failure = new AbortController()
  const stop = AbortSignal.any([stopSignal, failure.signal])
  // Each worker that starts, and the whole afterwards, waits for it.
  setMaxListeners(count + 1, stop)
  let haveAllStarted = false
  const running = new Set<Worker>()
  const start = () => {
    const worker = cluster.fork({ DATABASE_URL: connectionString })
    let hasListened = false
    running.add(worker)
    worker.once('listening', () => {
      hasListened = true
    })
    worker.once('exit', (code, signal) => {
      running.delete(worker)
      if (stop.aborted) return
      log.error({ workerPid: worker.process.pid, code, signal }, 'a worker died')
      if (haveAllStarted) void pause(hasListened ? 0 : RETRY_MILLIS, stop, systemTiming).then(replace)
      else failure.abort(new Error('a worker could not start'))
    })
    return worker
  }
  const replace = () => {
    if (!stop.aborted) start()
  }
  // Each worker reloads its certificate.
  const forward = () => {
    for (const worker of running) worker.process.kill('SIGHUP')
  }
  const stopListening = config.tls && onHangup?.(forward)
  const listening = Array.from({ length: count }, start).map((worker) => once(worker, 'listening', { signal: stop }))
  try {
    const [first]: { address: Address }[] = (await Promise.all(listening)).map(([address]) => ({ address }))
    haveAllStarted = true
    if (first !== undefined)
      await onListening(originOf(first.address.address, first.address.port, config.tls && 'https'))
    if (!stop.aborted) await once(stop, 'abort')
  } catch (error) {
    if (!stop.aborted) throw error
  } finally {
    stopListening?.()
    const signal = stopSignal.reason === 'SIGTERM' ? 'SIGTERM' : 'SIGINT'
    const ends = [...running].flatMap((worker) => {
      if (worker.isDead()) return []
      const exit = once(worker, 'exit')
      worker.process.kill(signal)
      return exit
    })
    await Promise.all(ends)
  }
  failure.signal.throwIfAborted()
}
