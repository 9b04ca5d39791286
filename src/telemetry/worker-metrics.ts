import cluster, { type Worker } from 'node:cluster'
import { once } from 'node:events'
import { AggregatorRegistry } from 'prom-client'
import type { MetricValues } from './meters.js'

/** How long a worker may take to send its metrics, before the others are served without them. */
const ANSWER_MILLIS = 2_000

/**
 * Sums the metrics of all listening workers, because each scrape of their shared port would reach a different one. To
 * be called in the first process, before its workers start.
 */
export function sumOfWorkers(): () => Promise<string> {
  const listening = new Set<Worker>()
  cluster.on('listening', (worker) => listening.add(worker)).on('exit', (worker) => listening.delete(worker))
  return async () => {
    const answers = await Promise.all([...listening].map(ask))
    return AggregatorRegistry.aggregate(answers.flat()).metrics()
  }
}

/** The metrics of a worker; none of one that does not answer, or ends in the meantime. */
async function ask(worker: Worker): Promise<MetricValues[]> {
  worker.send('metrics', () => {})
  // Workers send nothing else.
  const answer = once(worker, 'message', { signal: AbortSignal.timeout(ANSWER_MILLIS) })
  return answer.then(([values]) => [values]).catch(() => [])
}

/** Lets a worker answer the first process, which asks for nothing else. */
export function sendMetrics(read: () => Promise<MetricValues>): void {
  process.on('message', () => {
    void read().then((values) => process.connected && process.send?.(values))
  })
}
