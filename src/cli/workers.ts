import cluster, { type Address, type Worker } from 'node:cluster'
import { once } from 'node:events'
import { type CommandContext, originOf } from './command-context.js'

/** A worker that ends sooner than this after its start is not replaced. */
const MIN_LIFE_MS = 2_000

/**
 * Runs the service in several processes that share the port and the database, until the operator stops it. A worker
 * that dies is replaced; one that cannot start ends the program.
 */
export async function runWorkers(
  count: number,
  connectionString: string,
  { config, stopSignal, log, onHangup }: CommandContext,
  onListening: (origin: string) => Promise<void>,
): Promise<void> {
  const failure = new AbortController()
  const running = new Set<Worker>()
  const start = (): Worker => {
    const worker = cluster.fork({ DATABASE_URL: connectionString })
    const startedAt = performance.now()
    running.add(worker)
    worker.once('exit', (code, signal) => {
      running.delete(worker)
      if (stopSignal.aborted || failure.signal.aborted) return
      log.error({ pid: worker.process.pid, code, signal }, 'a worker died')
      if (performance.now() - startedAt < MIN_LIFE_MS) failure.abort(new Error('a worker could not start'))
      else start()
    })
    return worker
  }
  // Each worker reloads its certificate.
  const forward = () => {
    for (const worker of running) worker.process.kill('SIGHUP')
  }
  const leave = config.tls && onHangup?.(forward)
  const stop = AbortSignal.any([stopSignal, failure.signal])
  const listening = Array.from({ length: count }, start).map((worker) => once(worker, 'listening', { signal: stop }))
  try {
    const [first]: { address: Address }[] = (await Promise.all(listening)).map(([address]) => ({ address }))
    if (first !== undefined)
      await onListening(originOf(first.address.address, first.address.port, config.tls && 'https'))
    if (!stop.aborted) await once(stop, 'abort')
  } catch (error) {
    if (!stop.aborted) throw error
  } finally {
    leave?.()
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
