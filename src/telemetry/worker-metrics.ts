import cluster, { type Worker } from 'node:cluster'
import { setTimeout as wait } from 'node:timers/promises'
import { AggregatorRegistry } from 'prom-client'
import type { MetricValues } from './meters.js'

/** How long a worker may take to send its metrics, before the others are served without them. */
const ANSWER_MILLIS = 2_000

interface Question {
  readonly metrics: 'asked'
  readonly question: number
}

interface Answer {
  readonly metrics: 'told'
  readonly question: number
  readonly values: MetricValues
}

/**
 * Sums the metrics of all listening workers, because each scrape of their shared port would reach a different one. To be
 * called in the first process, before its workers start.
 */
export function sumOfWorkers(): () => Promise<string> {
  const listening = new Set<Worker>()
  cluster.on('listening', (worker) => listening.add(worker)).on('exit', (worker) => listening.delete(worker))
  let questions = 0
  return async () => {
    const question = ++questions
    const told = await Promise.all([...listening].map((worker) => ask(worker, question)))
    return AggregatorRegistry.aggregate(told.flatMap((values) => (values === undefined ? [] : [values]))).metrics()
  }
}

async function ask(worker: Worker, question: number): Promise<MetricValues | undefined> {
  const settled = new AbortController()
  const told = new Promise<MetricValues>((resolve) => {
    const onMessage = (message: unknown) => {
      if (isAnswer(message) && message.question === question) resolve(message.values)
    }
    worker.on('message', onMessage)
    settled.signal.addEventListener('abort', () => worker.off('message', onMessage))
    const asked: Question = { metrics: 'asked', question }
    // A worker that ends in the meantime counts as one that does not answer.
    worker.send(asked, () => {})
  })
  const late = wait(ANSWER_MILLIS, undefined, { signal: settled.signal }).catch(() => undefined)
  const values = await Promise.race([told, late])
  settled.abort()
  return values
}

/** Lets a worker answer the first process. */
export function sendMetrics(read: () => Promise<MetricValues>): void {
  process.on('message', (message: unknown) => {
    if (!isQuestion(message)) return
    void read().then((values) => {
      const told: Answer = { metrics: 'told', question: message.question, values }
      if (process.connected) process.send?.(told)
    })
  })
}

function isQuestion(message: unknown): message is Question {
  return typeof message === 'object' && message !== null && 'metrics' in message && message.metrics === 'asked'
}

function isAnswer(message: unknown): message is Answer {
  return typeof message === 'object' && message !== null && 'metrics' in message && message.metrics === 'told'
}
