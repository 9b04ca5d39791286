import type { StatementObserver } from '../db/tables.js'

/**
 * Observes statements that serve several calls at once, such as looking up the tokens of calls that arrived together.
 * The list of waiting calls is short because it has only traced ones.
 */
export function createSharedStatements() {
  const waiting = new Set<{ readonly call: StatementObserver; readonly since: number; readonly told: string[] }>()
  return {
    /**
     * Reports to a call the statements that begin from now on, the first of each name, until the returned function is
     * called.
     */
    tell: (call: StatementObserver) => {
      const waiter = { call, since: performance.now(), told: [] }
      waiting.add(waiter)
      return () => waiting.delete(waiter)
    },
    statement: (name: string, startedAt: number, failure: unknown) => {
      for (const { call, since, told } of waiting) {
        if (startedAt < since || told.includes(name)) continue
        told.push(name)
        call.statement(name, startedAt, failure)
      }
    },
    transaction: () => {},
  }
}
