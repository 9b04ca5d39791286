import { Counter, type Registry } from 'prom-client'
import type { StatementObserver } from '../db/tables.js'
import { failureKind } from './failure-kind.js'
import { createTimes, type Times } from './series.js'

/** The statements of calls and of background work; imports run in a separate program. */
const MAX_STATEMENTS = 100
const BOUNDS = [0.001, 0.005, 0.025, 0.1, 0.5, 2.5, 10]

/** Measures transactions, and statements by name. */
export function createStatementMeters(registry: Registry): StatementObserver {
  const timesOf = createTimes({
    name: 'svc_statement_duration_seconds',
    help: 'Time from issuing a statement to receiving its rows, including the wait for a connection, by statement name.',
    labelNames: ['statement'],
    bounds: BOUNDS,
    most: MAX_STATEMENTS,
    registry,
  })
  const failures = new Counter({
    name: 'svc_statement_failures_total',
    help: 'Failed statements, by kind of failure.',
    labelNames: ['kind'],
    registers: [registry],
  })
  const transactionsOf = createTimes({
    name: 'svc_transaction_duration_seconds',
    help: 'Duration of transactions, including retries, by outcome (committed, rolled_back).',
    labelNames: ['outcome'],
    bounds: BOUNDS,
    most: 3,
    registry,
  })
  const statements = new Map<string, Times>()
  const [committed, rolledBack] = [transactionsOf('committed'), transactionsOf('rolled_back')]
  failures.inc({ kind: 'unavailable' }, 0)
  return {
    statement: (name, startedAt, failure) => {
      let times = statements.get(name)
      if (times === undefined) {
        times = timesOf(name)
        statements.set(name, times)
      }
      times.observe(secondsSince(startedAt))
      if (failure !== undefined) failures.inc({ kind: failureKind(failure) })
    },
    transaction: (startedAt, failure) =>
      (failure === undefined ? committed : rolledBack).observe(secondsSince(startedAt)),
  }
}

function secondsSince(startedAt: number): number {
  return (performance.now() - startedAt) / 1000
}
